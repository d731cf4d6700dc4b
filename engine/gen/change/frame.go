package change

import (
	"fmt"
	"slices"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// kin is the mechanic that a game becomes when its own does not go with new
// settings: the one in 3D for the one in 2D, and the reverse.
var (
	solidKin = map[string]string{"zigzag": "roll3d", "maze": "roll3d", "lane": "drive3d", "stack": "tower3d"}
	flatKin  = map[string]string{"roll3d": "zigzag", "drive3d": "lane", "tower3d": "stack", "runner3d": "hop"}
)

// Reframe brings a game in line with the project's settings and says what it
// changed.
func Reframe(s *spec.Spec, o brief.Order) (did []string) {
	if s.Format != o.Format {
		did = append(did, fmt.Sprintf("format %s → %s", s.Format, o.Format))
		s.Format = o.Format
	}
	if next := fitting(s.Mechanic, o); next != s.Mechanic {
		did = append(did, fmt.Sprintf("the mechanic %s → %s", s.Mechanic, next))
		*s = Mechanic(*s, next)
	}
	if s.Art != o.Art {
		did = append(did, fmt.Sprintf("art %s → %s", s.Art, o.Art))
		s.Art = o.Art
	}
	if s.Sound != o.Sound {
		did = append(did, map[bool]string{true: "sound: off → on", false: "sound: on → off"}[o.Sound])
		s.Sound = o.Sound
	}
	s.Play = s.Play.Clamped(s.Format)
	return did
}

// fitting returns the mechanic itself when the settings allow it, else the one
// most like it.
func fitting(name string, o brief.Order) string {
	can := catalog.Choices(o.Solid)
	if slices.Contains(can, name) {
		return name
	}
	m := catalog.Mechanics[name]
	next := ""
	switch {
	case o.Solid:
		next = solidKin[name]
		if next == "" {
			next = "runner3d"
		}
	case m.Solid:
		next = flatKin[name]
	}
	return next
}
