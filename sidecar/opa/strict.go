package opa

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// maxDepth bounds how deep a value may be nested.
const maxDepth = 32

// checkMembers refuses members that like has not by exactly their name, and
// any that comes twice in its object. encoding/json takes both.
func checkMembers(data []byte, like any) error {
	c := checker{json.NewDecoder(bytes.NewReader(data))}
	if err := c.value(reflect.TypeOf(like), "", 0); err != nil {
		return err
	}
	if _, err := c.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data after the value")
	}
	return nil
}

type checker struct{ *json.Decoder }

// value checks the value that comes next. t may be nil, or a type that the
// value does not fit: that is found when it is decoded.
func (c checker) value(t reflect.Type, at string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s is nested too deeply", at)
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	token, err := c.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		err = c.members(t, at, depth)
	case json.Delim('['):
		for err == nil && c.More() {
			err = c.value(nil, at, depth+1)
		}
	default:
		return nil
	}
	if err != nil {
		return err
	}
	_, err = c.Token() // the end
	return err
}

func (c checker) members(t reflect.Type, at string, depth int) error {
	seen := make(map[string]bool)
	for c.More() {
		token, err := c.Token()
		if err != nil {
			return err
		}
		name, ok := token.(string)
		if !ok {
			return errors.New("a member has no name")
		}
		place := strings.TrimPrefix(at+"."+name, ".")
		if seen[name] {
			return fmt.Errorf("%s is given twice", place)
		}
		seen[name] = true
		member, known := memberType(t, name)
		if !known {
			return fmt.Errorf("%s is not a member", place)
		}
		if err := c.value(member, place, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// memberType returns the type of a member of t, and whether t has it. What is
// no struct may have any.
func memberType(t reflect.Type, name string) (reflect.Type, bool) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, true
	}
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name {
			return t.Field(i).Type, true
		}
	}
	return nil, false
}
