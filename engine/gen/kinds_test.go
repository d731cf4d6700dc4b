package gen

import (
	"os"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/test/long"
)

// show opens a game at a size, looks at it before, at the start,
// and in the middle of a run, and returns the last state.
func show(t *testing.T, b *playtest.Browser, url, name string, width, height int) playtest.State {
	t.Helper()
	page := open(t, b, url, width, height)
	run(t, page, "idle", 20)
	shoot(t, page, name+"-1-ready")
	if err := page.Tap(float64(width)/2, float64(height)/2); err != nil {
		t.Fatal(err)
	}
	run(t, page, "skilled", 30)
	shoot(t, page, name+"-2-started")
	playing := run(t, page, "skilled", 60*9)
	shoot(t, page, name+"-3-playing")
	if said := page.Console(); len(said) > 0 {
		t.Errorf("the console says %q", said)
	}
	return playing
}

// TestNamedKindsPlayInABrowser plays each on a desktop and on a phone. Those of
// SVC_KIND alone, where that is set; the simulation plays all in every run.
func TestNamedKindsPlayInABrowser(t *testing.T) {
	kind := os.Getenv("SVC_KIND")
	if kind == "" && !long.Asked() {
		t.Skip("in the long run only")
	}
	b := browser(t)
	for mechanic, m := range catalog.Mechanics {
		if m.Example == "" || kind != "" && kind != mechanic {
			continue
		}
		t.Run(mechanic, func(t *testing.T) {
			for format, settings := range map[string]api.Settings{"short": {}, "platform": {GameType: api.GamePlatform}} {
				url := gameOf(t, Request{Prompt: m.Example, Settings: settings})
				w, h := catalog.Field(spec.Spec{Mechanic: mechanic, Format: spec.Short})
				if playing := show(t, b, url, mechanic+"-"+format, w, h); playing.Score < 1 {
					t.Errorf("%s: nine seconds of skilled play score %v", format, playing.Score)
				} else {
					checkHUD(t, playing)
				}
				show(t, b, url, mechanic+"-"+format+"-phone", 390, 844)
			}
		})
	}
}

func TestEveryNamedKindIsWhatItsExampleMakes(t *testing.T) {
	for mechanic, m := range catalog.Mechanics {
		if m.Example == "" {
			continue
		}
		for format, settings := range map[string]api.Settings{"short": {}, "platform": {GameType: api.GamePlatform}} {
			d, err := decide(t.Context(), Request{Prompt: m.Example, ProjectID: "p", Settings: settings, Workspace: newProject(t, nil).root}, nil)
			if err != nil || d.spec.Mechanic != mechanic || len(d.unmet) > 0 {
				t.Errorf("%q in the %s format: %s, unmet %q (%v)", m.Example, format, d.spec.Mechanic, d.unmet, err)
			}
		}
	}
}
