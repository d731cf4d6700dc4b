package model

import (
	"encoding/json"
	"slices"
)

// detail is one of a chat answer's reasoning_details: pieces of one in a stream
// have the same index and type, and are replayed as one.
type detail struct {
	raw     json.RawMessage // as it came, of one that came whole
	members map[string]json.RawMessage
	texts   map[string][]byte // members that come in pieces
}

// goesOn reports whether members are another piece of it.
func (d *detail) goesOn(members map[string]json.RawMessage) bool {
	same := func(name string) bool { return string(d.members[name]) == string(members[name]) }
	return same("index") && same("type")
}

// detail takes one in.
func (a *answer) detail(raw json.RawMessage, l line, whole bool) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil // nothing that could be replayed
	}
	n := len(a.details)
	if whole || n == 0 || !a.details[n-1].goesOn(members) {
		a.details = append(a.details, &detail{raw: slices.Clone(raw), members: map[string]json.RawMessage{}, texts: map[string][]byte{}})
		a.block(kindDetails, 0)
		n++
	} else {
		a.details[n-1].raw = nil
	}
	d := a.details[n-1]
	for name, value := range members {
		var piece string
		if (name == "text" || name == "summary") && json.Unmarshal(value, &piece) == nil {
			d.texts[name] = l.append(d.texts[name], piece)
		} else if given(value) || d.members[name] == nil {
			d.members[name] = slices.Clone(value)
		}
	}
	return a.grow(len(raw))
}

// settle puts together what came in pieces, and what belongs to a message as a
// whole before its other parts.
func (a *answer) settle() error {
	var list []json.RawMessage
	for _, d := range a.details {
		if d.raw == nil {
			for name, piece := range d.texts {
				d.members[name] = quoted(characters(piece))
			}
			raw, err := encode(d.members)
			if err != nil {
				return err
			}
			d.raw = raw
		}
		list = append(list, d.raw)
	}
	if len(list) > 0 {
		raw, err := encode(list)
		if err != nil {
			return err
		}
		a.block(kindDetails, 0).extra = raw
	}
	first := func(b *block) int {
		if b.kind == kindReasoning || b.kind == kindPlain || b.kind == kindDetails || b.kind == kindExtra {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(a.blocks, func(x, y *block) int { return first(x) - first(y) })
	return nil
}
