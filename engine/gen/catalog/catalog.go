// Package catalog lists what a game can be made of: its mechanics, what each
// of them can do and is called, and the words on its screens.
package catalog

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"sync"

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
	if s.Format == spec.Platform && (m.Wide || m.Solid) {
		return 960, 540
	}
	return 480, 720
}

// Names returns the names of all mechanics, sorted.
func Names() []string { return slices.Sorted(maps.Keys(Mechanics)) }

// Choices returns the mechanics of a dimension, sorted.
func Choices(solid bool) []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		return Mechanics[name].Solid != solid
	})
}

// Usual returns the tunables that a mechanic was made with.
func Usual(name string, f spec.Format) spec.Play {
	m := Mechanics[name]
	p := spec.Play{Speed: 1, Gravity: 1, Density: 1, Size: 1, Ramp: 1, Lives: m.Lives, Levels: max(1, m.Levels), Players: 1}
	if f == spec.Short {
		p.Duration = 45
		if m.Wide { // its levels take longer than the rest of the short format
			p.Duration = 60
		}
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

// Figures are the roles of the cast that a mechanic shows in play: hero, hazard,
// pickup.
func Figures(name string) []string { return figures()[name] }

var figures = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for _, name := range kit.Mechanics() {
		out[name] = figuresOf(name)
	}
	return out
})

func figuresOf(name string) []string {
	return slices.DeleteFunc([]string{"hero", "hazard", "pickup"}, func(role string) bool {
		return !draws("mechanics/"+name+".js", []byte("'"+role+"'"))
	})
}

// Shared reports whether two players of a mechanic play in one run, against each other.
func Shared(name string) bool { return draws("mechanics/"+name+".js", []byte(".both")) }

var drawers = regexp.MustCompile(`from '\.\./(core/(?:duel|roomart|keys)\.js)'`)

// draws reports whether a module, or one of those that it draws with, names a
// sprite.
func draws(module string, sprite []byte) bool {
	source, err := kit.Source(module)
	if err != nil {
		return false
	}
	return bytes.Contains(source, sprite) || slices.ContainsFunc(drawers.FindAllSubmatch(source, -1), func(m [][]byte) bool {
		return draws(string(m[1]), sprite)
	})
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
	for name, v := range s.Params {
		if p, ok := m.Params[name]; !ok || v < p.Min || v > p.Max || p.whole() && v != math.Trunc(v) {
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
