package playtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-games/svc/engine/gen/playtest/corpus"
)

func corpusGames(t *testing.T) []corpus.Game {
	t.Helper()
	dir := os.Getenv("SVC_FRAMEWORKS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "bin", "frameworks")
	}
	games, err := corpus.Games(dir)
	if err != nil {
		t.Fatal(err)
	}
	return games
}

func judged(t *testing.T, b *Browser, g corpus.Game, files map[string][]byte) Report {
	t.Helper()
	built, err := corpus.Built(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Play(t.Context(), Game{Files: built, Width: g.Width, Height: g.Height, Short: g.Short, Limit: 60})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestJudgeBlocksNoGoodGame(t *testing.T) {
	b := testBrowser(t)
	for _, g := range corpusGames(t) {
		t.Run(g.Name, func(t *testing.T) {
			r := judged(t, b, g, g.Files)
			t.Logf("%v: score %v, blind %v, ratio %.2f; %s", r.Took, r.Score, r.Blind, r.SkillRatio, r)
			if !r.OK() {
				t.Errorf("blocked: %+v", r.Failed(true))
			}
		})
	}
}

// A mutant is named when one of its rules failed.
func TestJudgeNamesMutants(t *testing.T) {
	b := testBrowser(t)
	named, all := 0, 0
	var wait sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan bool, 2)
	for _, g := range corpusGames(t) {
		if only := os.Getenv("GAME"); only != "" && !strings.Contains(only, g.Name) {
			continue
		}
		for _, m := range corpus.Mutations {
			if only := os.Getenv("MUT"); only != "" && !strings.Contains(only, m.Name) {
				continue
			}
			files, ok := m.Apply(g.Kind, g.Files)
			if !ok {
				continue
			}
			wait.Go(func() {
				slots <- true
				defer func() { <-slots }()
				r := judged(t, b, g, files)
				ok := slices.ContainsFunc(r.Failed(false), func(c Check) bool { return slices.Contains(m.Rules, c.Rule) })
				mu.Lock()
				defer mu.Unlock()
				all++
				if ok {
					named++
				} else {
					t.Logf("%s of %s is not named by %v: %v (%v)", m.Name, g.Name, m.Rules, r.String(), r.Took)
				}
			})
		}
	}
	wait.Wait()
	t.Logf("%d of %d mutants are named", named, all)
}
