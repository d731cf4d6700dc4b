package gen

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/test/long"
)

// stockGame is what the judge is given of the game that a request makes.
func stockGame(t *testing.T, req Request) playtest.Game {
	t.Helper()
	dir := filepath.Dir(strings.TrimPrefix(gameOf(t, req), "file://"))
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	files, err := readGame(root)
	if err != nil {
		t.Fatal(err)
	}
	data, err := root.ReadFile(specFile)
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Unmarshal(data)
	if err != nil {
		t.Fatal(err)
	}
	w, h := catalog.Field(s)
	return playtest.Game{Files: files, Width: w, Height: h, Short: s.Format == spec.Short, Limit: s.Play.Duration, Trusted: true}
}

// TestJudgeBlocksNoStockGame judges a short game of each mechanic, and in the long run
// a long one. Those of SVC_KIND alone, where that is set.
func TestJudgeBlocksNoStockGame(t *testing.T) {
	asked := os.Getenv("SVC_KIND")
	if asked == "" && !long.Asked() {
		t.Skip("in the long run only: test/games judges some")
	}
	b := browser(t)
	all := eachRequest()
	for mechanic, m := range catalog.Mechanics {
		if m.Example != "" {
			all[mechanic] = Request{Prompt: m.Example}
		}
	}
	for _, mechanic := range slices.Sorted(maps.Keys(all)) {
		if asked != "" && !slices.Contains(strings.Split(asked, ","), mechanic) {
			continue
		}
		for _, kind := range []api.GameType{"", api.GamePlatform} {
			if kind == api.GamePlatform && !long.Asked() {
				continue
			}
			t.Run(mechanic+string(kind), func(t *testing.T) {
				req := all[mechanic]
				if kind != "" {
					req.Settings.GameType = kind
				}
				r, err := b.Play(t.Context(), stockGame(t, req))
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%v: score %v; %s", r.Took, r.Score, r)
				if !r.OK() {
					t.Errorf("blocked: %+v", r.Failed(true))
				}
			})
		}
	}
}

func TestAGameThatDoesNotBuildIsToldByItsLine(t *testing.T) {
	game := map[string][]byte{"index.html": []byte("<!doctype html>"), "src/main.js": []byte("const a = 1;\nconst b = ;\n")}
	against, err := (&embedded{}).Prove(t.Context(), game)
	if err != nil || len(against) != 1 || !strings.HasPrefix(against[0], "src/main.js:2: ") {
		t.Errorf("%q, %v", against, err)
	}
}
