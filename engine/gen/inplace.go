package gen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// patch makes in the JSON of someone the changes that lie between two of ours, and
// no other: members that we don't know stay, and so does how the text is written. A
// change of what is not there any more is an error.
func patch(theirs, before, after []byte) ([]byte, error) {
	var old, now map[string]json.RawMessage
	if json.Unmarshal(before, &old) != nil || json.Unmarshal(after, &now) != nil || old == nil || now == nil {
		return after, nil // no objects: replaced whole
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if bytes.Equal(old[name], now[name]) {
			continue
		}
		from, to, err := member(theirs, name)
		if old[name] == nil && errors.Is(err, errNoMember) {
			if theirs, err = with(theirs, name, now[name]); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		value := []byte(now[name])
		if old[name] != nil {
			if value, err = patch(theirs[from:to], old[name], now[name]); err != nil {
				return nil, err
			}
		}
		theirs = slices.Concat(theirs[:from], value, theirs[to:])
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if now[name] == nil {
			theirs = without(theirs, name)
		}
	}
	return theirs, nil
}

// errNoMember: an object has no member of that name.
var errNoMember = errors.New("there is no such member")

// with adds a member to the text of an object, after its last one.
func with(object []byte, name string, value []byte) ([]byte, error) {
	end, comma := bytes.LastIndexByte(object, '}'), ","
	if end < 0 {
		return nil, fmt.Errorf("there is no object for a member %q", name)
	}
	key, err := json.Marshal(name)
	if err != nil {
		return nil, fmt.Errorf("naming a member: %w", err)
	}
	head := bytes.TrimRight(object[:end], " \t\r\n")
	if bytes.HasSuffix(head, []byte("{")) {
		comma = ""
	}
	return slices.Concat(head, []byte(comma+" "), key, []byte(": "), value, object[len(head):]), nil
}

// without takes all members of a name out of the text of an object.
func without(object []byte, name string) []byte {
	for {
		from, to, err := member(object, name)
		if err != nil {
			return object
		}
		from = bytes.LastIndexByte(object[:from], '"') // of the name, which has none within
		from = bytes.LastIndexByte(object[:from], '"')
		before, after := bytes.TrimRight(object[:from], " \t\r\n"), bytes.TrimLeft(object[to:], " \t\r\n")
		switch {
		case bytes.HasSuffix(before, []byte(",")):
			before, after = before[:len(before)-1], object[to:]
		case bytes.HasPrefix(after, []byte(",")):
			before, after = object[:from], bytes.TrimLeft(after[1:], " \t\r\n")
		}
		object = slices.Concat(before, after)
	}
}

// member finds the value of a member in the text of an object: the last of its
// name, as JavaScript does.
func member(object []byte, name string) (from, to int, err error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return 0, 0, fmt.Errorf("there is no object with a member %q", name)
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return 0, 0, fmt.Errorf("looking for member %q: %w", name, err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return 0, 0, fmt.Errorf("looking for member %q: %w", name, err)
		}
		if key == name {
			to = int(decoder.InputOffset())
			from = to - len(value)
		}
	}
	if to == 0 {
		return 0, 0, fmt.Errorf("looking for member %q: %w", name, errNoMember)
	}
	return from, to, nil
}
