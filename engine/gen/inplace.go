package gen

import (
	"bytes"
	"encoding/json"
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
	names := slices.Sorted(maps.Keys(old))
	if !slices.Equal(names, slices.Sorted(maps.Keys(now))) {
		return after, nil
	}
	for _, name := range names {
		if bytes.Equal(old[name], now[name]) {
			continue
		}
		from, to, err := member(theirs, name)
		if err != nil {
			return nil, err
		}
		value, err := patch(theirs[from:to], old[name], now[name])
		if err != nil {
			return nil, err
		}
		theirs = slices.Concat(theirs[:from], value, theirs[to:])
	}
	return theirs, nil
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
		return 0, 0, fmt.Errorf("there is no member %q", name)
	}
	return from, to, nil
}
