// Package requests reads what clients send, strictly: its errors are *answers.Error with
// status 400 that name what is wrong.
package requests

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/svc-games/svc/api/answers"
)

// members maps the exact names of an object's members to what reads them.
type members map[string]func(raw json.RawMessage) error

// maxMembers bounds what is read of an object, members that are not known
// included: looking at the million that a body has room for takes seconds.
const maxMembers = 1000

// decodeObject reads one JSON object. A member name must match exactly: one
// that differs in case from a known name, or comes twice, is refused, because
// two readers of the body could otherwise disagree on what it says. Unknown
// members are ignored, but for more than maxMembers; null counts as absent. at is
// the object's place in the request, "" for the whole body.
func decodeObject(data []byte, at string, known members) error {
	if !utf8.Valid(data) {
		return answers.BadRequest("The body is not valid UTF-8.")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	tok, err := dec.Token()
	if err != nil {
		return malformed(at, data)
	}
	if tok != json.Delim('{') {
		return answers.BadRequest("%s must be a JSON object.", place(at))
	}
	seen := make(map[string]bool, len(known))
	for n := 0; dec.More(); n++ {
		if n == maxMembers {
			return answers.BadRequest("%s has more than %d members.", place(at), maxMembers)
		}
		tok, err := dec.Token()
		if err != nil {
			return malformed(at, data)
		}
		name, _ := tok.(string)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return malformed(at, data)
		}
		read, ok := known[name]
		if !ok {
			if exact, near := caseVariant(name, known); near {
				return answers.BadRequest("%s is not a member; its exact name is %s.", member(at, name), exact)
			}
			continue
		}
		if seen[name] {
			return answers.BadRequest("%s is given twice.", member(at, name))
		}
		seen[name] = true
		if string(raw) == "null" {
			continue
		}
		if err := read(raw); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return malformed(at, data)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return answers.BadRequest("There is data after the JSON object.")
	}
	return nil
}

// decodeArray calls read for each element of a JSON array of at most limit. It
// stops at the first one too many: the millions that a body has room for would
// take seventy times its size.
func decodeArray(raw json.RawMessage, at string, limit int, read func(i int, raw json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('[') {
		return answers.BadRequest("%s must be an array.", at)
	}
	for i := 0; dec.More(); i++ {
		if i == limit {
			return answers.BadRequest("%s has more than %d elements, the most that are accepted.", at, limit)
		}
		var item json.RawMessage
		if err := dec.Decode(&item); err != nil {
			return malformed(at, raw)
		}
		if err := read(i, item); err != nil {
			return err
		}
	}
	return nil
}

// text reads a string of min to max characters into dst.
func text(dst *string, at string, min, max int) func(json.RawMessage) error {
	return value(at, "a string", func(s string) error {
		if n := utf8.RuneCountInString(s); n < min || n > max {
			return answers.BadRequest("%s must have %d to %d characters; it has %d.", at, min, max, n)
		}
		*dst = s
		return nil
	})
}

// bytesText reads a string of at most max bytes into dst.
func bytesText(dst *string, at string, max int) func(json.RawMessage) error {
	return value(at, "a string", func(s string) error {
		if len(s) > max {
			return answers.BadRequest("%s must have at most %d bytes; it has %d.", at, max, len(s))
		}
		*dst = s
		return nil
	})
}

// oneOf reads one of the given strings into dst.
func oneOf[T ~string](dst *T, at string, allowed ...T) func(json.RawMessage) error {
	return value(at, "a string", func(s string) error {
		names := make([]string, len(allowed))
		for i, a := range allowed {
			if T(s) == a {
				*dst = a
				return nil
			}
			names[i] = string(a)
		}
		return answers.BadRequest("%s must be one of: %s.", at, strings.Join(names, ", "))
	})
}

// boolean reads true or false into dst.
func boolean(dst **bool, at string) func(json.RawMessage) error {
	return value(at, "true or false", func(b bool) error {
		*dst = &b
		return nil
	})
}

// value reads what must be of a kind, and hands it to take.
func value[T any](at, kind string, take func(T) error) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return answers.BadRequest("%s must be %s.", at, kind)
		}
		return take(v)
	}
}

func caseVariant(name string, known members) (string, bool) {
	for exact := range known {
		if strings.EqualFold(exact, name) {
			return exact, true
		}
	}
	return "", false
}

// malformed says where data, which is no JSON, stops being any.
func malformed(at string, data []byte) error {
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(data, new(json.RawMessage)), &syntax) {
		return answers.BadRequest("%s is not valid JSON: see byte %d of %d.", place(at), syntax.Offset, len(data))
	}
	return answers.BadRequest("%s is not valid JSON.", place(at))
}

func place(at string) string {
	if at == "" {
		return "The body"
	}
	return at
}

func member(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
