// Package catalog lists what a game can be made of: its mechanics, what each
// of them can do and is called, and the words on its screens.
package catalog

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Renderers are those that can show a mechanic, the default first.
func (m Mechanic) Renderers() []string {
	if m.Solid {
		return []string{"three"}
	}
	return []string{"phaser", "pixi", "canvas"}
}

// Field returns the size of a game's field.
func Field(s spec.Spec) (w, h int) {
	m := Mechanics[s.Mechanic]
	if m.Wide || m.Solid && s.Format == spec.Platform {
		return 960, 540
	}
	return 480, 720
}

// Names returns the names of all mechanics, sorted.
func Names() []string { return slices.Sorted(maps.Keys(Mechanics)) }

// Choices returns the mechanics that a format and a dimension allow, sorted.
func Choices(f spec.Format, solid bool) []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		m := Mechanics[name]
		return m.Solid != solid || m.Wide && f == spec.Short
	})
}

// Usual returns the tunables that a mechanic was made with.
func Usual(name string, f spec.Format) spec.Play {
	m := Mechanics[name]
	p := spec.Play{Speed: 1, Gravity: 1, Density: 1, Size: 1, Ramp: 1, Lives: m.Lives, Levels: max(1, m.Levels), Players: 1}
	if f == spec.Short {
		p.Duration = 45
	}
	return p
}

// Params returns a mechanic's own tunables as they usually are.
func Params(name string) map[string]float64 {
	out := map[string]float64{}
	for param, p := range Mechanics[name].Params {
		out[param] = p.Value
	}
	return out
}

// Uses reports whether a mechanic heeds a tunable that all games have.
func Uses(name, tunable string) bool {
	source, err := kit.Source("mechanics/" + name + ".js")
	if err != nil {
		return false
	}
	sign := "cfg." + tunable
	if tunable == "ramp" || tunable == "how" { // "how much harder it gets"
		sign = "heat("
	}
	return bytes.Contains(source, []byte(sign))
}

// Check returns the first thing in s that does not exist or does not go
// together. It includes what s.Check checks.
func Check(s spec.Spec) error {
	if err := s.Check(); err != nil {
		return err
	}
	m, ok := Mechanics[s.Mechanic]
	if !ok {
		return fmt.Errorf("there is no mechanic %q; there are %v", s.Mechanic, Names())
	}
	if m.Wide && s.Format == spec.Short {
		return fmt.Errorf("the mechanic %s does not fit the short format", s.Mechanic)
	}
	for name, v := range s.Params {
		if p, ok := m.Params[name]; !ok || v < p.Min || v > p.Max {
			return fmt.Errorf("the mechanic %s has no parameter %s of %v", s.Mechanic, name, v)
		}
	}
	if !slices.Contains(m.Renderers(), s.Renderer) {
		return fmt.Errorf("the renderer %q can't show %s; %v can", s.Renderer, s.Mechanic, m.Renderers())
	}
	if _, ok := look.Themes[s.Theme]; !ok {
		return fmt.Errorf("there is no theme %q", s.Theme)
	}
	return nil
}
