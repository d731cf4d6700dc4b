package kit_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/kit"
	"github.com/svc-games/svc/test/long"
)

func frameOf(t *testing.T, s kit.Start) map[string][]byte {
	t.Helper()
	files, err := kit.Frame(s)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func starts() (out []kit.Start) {
	for i, renderer := range kit.Renderers {
		lang := []string{"en", "de", "es", "fr"}[i]
		out = append(out, kit.Start{Title: "New game", Lang: lang, Kind: "sandbox", Renderer: renderer, Short: i%2 == 0})
	}
	return out
}

func TestFrameStartsAndMovesOnEveryRenderer(t *testing.T) {
	for _, s := range starts() {
		t.Run(s.Renderer, func(t *testing.T) {
			p := open(t, frameOf(t, s), s)
			roles := "return window.__svc_state().hud.map((b) => b.role)"
			if got := eval[[]string](t, p, roles); !slices.Equal(got, []string{"title", "how", "start"}) {
				t.Errorf("before it starts there is %v", got)
			}
			start := "dispatchEvent(new KeyboardEvent('keydown', { key: ' ' })); window.__clock.step(1); window.__clock.step(1); await window.__clock.painted();"
			eval[any](t, p, start)
			if got := eval[[]string](t, p, roles); !slices.Equal(got, []string{"pause", "score"}) {
				t.Errorf("once it runs there is %v", got)
			}
			first := shot(t, p)
			eval[any](t, p, "window.__clock.draw(false); for (let i = 0; i < 30; i++) window.__clock.step(1); window.__clock.draw(true); window.__clock.step(1); await window.__clock.painted();")
			if bytes.Equal(first, shot(t, p)) {
				t.Error("nothing moves")
			}
			if said := p.Console(); slices.ContainsFunc(said, func(s string) bool { return !bytes.HasPrefix([]byte(s), []byte("warning")) }) {
				t.Errorf("it complains: %q", said)
			}
		})
	}
}

func shot(t *testing.T, p *playtest.Page) []byte {
	t.Helper()
	picture, err := p.Screenshot()
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// A frame has no end, and its kind is one that needs none.
func TestFrameIsAcceptedByTheJudge(t *testing.T) {
	long.Only(t)
	for _, s := range starts() {
		t.Run(s.Renderer, func(t *testing.T) {
			r := judged(t, frameOf(t, s), s, false)
			if rules := slices.DeleteFunc(r.Rules(), func(rule string) bool { return rule == "P04" }); len(rules) > 0 { // that is the machine's speed
				t.Errorf("judged: %v", r.Notes())
			}
		})
	}
}
