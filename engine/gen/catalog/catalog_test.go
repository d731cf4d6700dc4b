package catalog_test

import (
	"slices"
	"testing"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/spec"
)

func TestThereAreEnoughMechanicsOfEachKind(t *testing.T) {
	if n := len(catalog.Choices(false)); n < 12 {
		t.Errorf("%d short mechanics", n)
	}
	wide := 0
	for _, m := range catalog.Mechanics {
		if m.Wide {
			wide++
		}
	}
	if n := len(catalog.Choices(true)); wide < 4 || n < 4 {
		t.Errorf("%d mechanics of the platform format, %d in 3D", wide, n)
	}
	if !slices.Equal(catalog.Names(), kit.Mechanics()) {
		t.Errorf("the catalog has %v, the kit %v", catalog.Names(), kit.Mechanics())
	}
}

func TestEveryMechanicIsDescribedInEveryLanguage(t *testing.T) {
	for name, m := range catalog.Mechanics {
		for _, lang := range catalog.Languages() {
			if text := m.HowTo[lang]; text == "" || len([]rune(text)) > spec.MaxText {
				t.Errorf("%s: how to play in %s: %q", name, lang, text)
			}
		}
		for _, theme := range m.Themes {
			if _, ok := look.Themes[theme]; !ok {
				t.Errorf("%s: there is no theme %q", name, theme)
			}
		}
		if len(m.Themes) == 0 || len(m.Titles["en"]) != 3 {
			t.Errorf("%s: themes %v, titles %v", name, m.Themes, m.Titles)
		}
	}
}

func TestUsualTunablesMakeAGameOfEveryMechanic(t *testing.T) {
	for _, format := range []spec.Format{spec.Short, spec.Platform} {
		for _, solid := range []bool{false, true} {
			for _, name := range catalog.Choices(solid) {
				s := brief.Read("A frog").Write(brief.Order{ProjectID: "p", Seed: 1, Format: format, Solid: solid})
				s.Mechanic, s.Params, s.Play = name, catalog.Params(name), catalog.Usual(name, format)
				if err := catalog.Check(s); err != nil {
					t.Errorf("%s in the %s format: %v", name, format, err)
				}
			}
		}
	}
}

func TestCheckRefusesWhatDoesNotGoTogether(t *testing.T) {
	for name, spoil := range map[string]func(*spec.Spec){
		"unknown mechanic":        func(s *spec.Spec) { s.Mechanic = "chess" },
		"unknown theme":           func(s *spec.Spec) { s.Theme = "office" },
		"2D by three.js":          func(s *spec.Spec) { s.Renderer = "three" },
		"3D by Phaser":            func(s *spec.Spec) { s.Mechanic = "roll3d" },
		"what spec.Check refuses": func(s *spec.Spec) { s.Title = "" },
	} {
		s := brief.Read("A frog jumps").Write(brief.Order{ProjectID: "p", Seed: 1})
		spoil(&s)
		if catalog.Check(s) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestTunableThatCountsTakesWholeNumbers(t *testing.T) {
	for _, c := range []struct {
		mechanic, param string
		v               float64
		fits            bool
	}{{"formation", "bunkers", 2.5, false}, {"formation", "bunkers", 2, true}, {"clicker", "price", 0.5, true}} {
		s := brief.Read("A frog").Write(brief.Order{ProjectID: "p", Seed: 1})
		s.Mechanic, s.Params, s.Play = c.mechanic, catalog.Params(c.mechanic), catalog.Usual(c.mechanic, spec.Short)
		s.Params[c.param] = c.v
		if err := catalog.Check(s); (err == nil) != c.fits {
			t.Errorf("%s of %v: %v", c.param, c.v, err)
		}
	}
}
