package gen

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/spec"
)

// dataMembers are those of a game's data file, as compile.Data writes them.
var dataMembers = []string{"id", "title", "seed", "art", "play", "text", "cast", "scene", "palette"}

// withData is a spec with what a game's data file says, where that is one: figures at
// their bounds that are beyond them, and without members that no spec can have.
func withData(s spec.Spec, data []byte) spec.Spec {
	var theirs map[string]json.RawMessage
	if json.Unmarshal(data, &theirs) != nil {
		return s
	}
	maps.DeleteFunc(theirs, func(name string, _ json.RawMessage) bool { return !slices.Contains(dataMembers, name) })
	whole, err := json.Marshal(theirs)
	if err != nil {
		return s
	}
	return overlay(s, nil, whole)
}

// overlay is a spec with the value of a member, or with as much of it as makes one.
func overlay(s spec.Spec, path []string, value json.RawMessage) spec.Spec {
	out, member := s, value
	for _, name := range slices.Backward(path) {
		member = slices.Concat([]byte(`{"`+name+`":`), member, []byte("}"))
	}
	place := strings.Join(path, ".")
	actor := false
	for name, at := range map[string]*spec.Actor{"cast.hero": &out.Cast.Hero, "cast.hazard": &out.Cast.Hazard, "cast.pickup": &out.Cast.Pickup} {
		if place == "" || place == "cast" || place == name { // it has a body or art, which the other must not join
			*at = spec.Actor{}
		}
		actor = actor || place == name
	}
	if json.Unmarshal(member, &out) == nil {
		out.Play = out.Play.Clamped(out.Format)
		if out.Check() == nil {
			return out
		}
	}
	var members map[string]json.RawMessage
	if actor || json.Unmarshal(value, &members) != nil {
		return s
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if quoted, err := json.Marshal(name); err == nil && string(quoted) == `"`+name+`"` {
			s = overlay(s, append(slices.Clone(path), name), members[name])
		}
	}
	return s
}
