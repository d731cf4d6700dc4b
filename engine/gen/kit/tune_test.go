package kit_test

import (
	"testing"

	"github.com/dop251/goja"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/spec"
)

// tuned returns what core/tune.js makes of a game for a player with variants.
func tuned(t *testing.T) func(game, variants string) (speed, lives float64, palette spec.Palette) {
	t.Helper()
	out, err := build.Bundle(t.Context(), build.Options{Entry: "core/tune.js", GlobalName: "tune", Target: build.Sim, Read: kit.Source})
	if err != nil {
		t.Fatal(err)
	}
	vm := goja.New()
	vm.SetFieldNameMapper(goja.TagFieldNameMapper("json", true))
	script := string(out.Script) + "\n;(game, variants) => tune.tuned(JSON.parse(game), JSON.parse(variants))"
	made, err := vm.RunString(script)
	if err != nil {
		t.Fatal(err)
	}
	call, ok := goja.AssertFunction(made)
	if !ok {
		t.Fatal("there is no function")
	}
	return func(game, variants string) (speed, lives float64, palette spec.Palette) {
		v, err := call(goja.Undefined(), vm.ToValue(game), vm.ToValue(variants))
		if err != nil {
			t.Fatalf("%s: %v", variants, err)
		}
		var got struct {
			Play struct {
				Speed float64 `json:"speed"`
				Lives float64 `json:"lives"`
			} `json:"play"`
			Palette spec.Palette `json:"palette"`
		}
		if err := vm.ExportTo(v, &got); err != nil {
			t.Fatal(err)
		}
		return got.Play.Speed, got.Play.Lives, got.Palette
	}
}

func TestExperimentTunesAGameWithinItsBounds(t *testing.T) {
	tune := tuned(t)
	const game = `{"play":{"speed":1.5,"lives":3},"palette":{"bg":"#ffffff"}}`
	for variants, want := range map[string][2]float64{
		`{}`: {1.5, 3}, `{"speed":"own","lives":"own","palette":"own"}`: {1.5, 3},
		`{"speed":"1.25"}`: {1.875, 3}, `{"speed":"2"}`: {2, 3}, `{"lives":"5"}`: {1.5, 5},
		`{"speed":"0.1"}`: {1.5, 3}, `{"speed":"9"}`: {1.5, 3}, `{"speed":"NaN"}`: {1.5, 3}, `{"lives":"0"}`: {1.5, 3}, `{"lives":"2.5"}`: {1.5, 3}, `{"lives":"6"}`: {1.5, 3}, `{"lives":"99"}`: {1.5, 3},
		`{"palette":"constructor"}`: {1.5, 3},
	} {
		if speed, lives, palette := tune(game, variants); speed != want[0] || lives != want[1] || palette.BG != "#ffffff" {
			t.Errorf("%s: speed %v, lives %v, sky %s, want %v", variants, speed, lives, palette.BG, want)
		}
	}
}

func TestFiguresStandOutInThePalettesOfExperiments(t *testing.T) {
	tune := tuned(t)
	for name, theme := range look.Themes {
		for _, mood := range append([]string{""}, look.Moods...) {
			game := spec.Spec{Palette: look.Palette(theme, spec.Look{Mood: mood})}
			text, err := spec.Marshal(game)
			if err != nil {
				t.Fatal(err)
			}
			for _, wanted := range []string{"soft", "night"} {
				_, _, p := tune(string(text), `{"palette":"`+wanted+`"}`)
				if p.BG == game.Palette.BG && p.Ground == game.Palette.Ground {
					t.Errorf("%s %s %s: nothing changes", name, mood, wanted)
				}
				for _, sky := range []string{p.BG, look.Mix(p.BG, p.BG2, 0.5)} {
					if got := look.Contrast(p.Ink, sky); got < look.FigureContrast {
						t.Errorf("%s %s %s: the outline %s on %s has contrast %.2f", name, mood, wanted, p.Ink, sky, got)
					}
				}
			}
		}
	}
}
