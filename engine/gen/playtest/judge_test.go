package playtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/playtest/corpus"
	"github.com/svc-games/svc/test/long"
)

func corpusGames(t *testing.T) []corpus.Game { return loaded(t, corpus.Games) }

func loaded(t *testing.T, load func(frameworks string) ([]corpus.Game, error)) []corpus.Game {
	t.Helper()
	dir := os.Getenv("SVC_FRAMEWORKS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "bin", "frameworks")
	}
	games, err := load(dir)
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
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
	for i, g := range append(corpusGames(t), loaded(t, corpus.More)...) {
		asked := os.Getenv("SVC_GAME") != "" && strings.Contains(os.Getenv("SVC_GAME")+"|", g.Name+"|")
		if i%3 > 0 && !long.Asked() && !asked {
			continue // apples, duel, rings, tunnel, flood, swarm stand for all
		}
		t.Run(g.Name, func(t *testing.T) {
			r := judged(t, b, g, g.Files)
			t.Logf("%v: score %v, blind %v, ratio %.2f; %s", r.Took, r.Score, r.Blind, r.SkillRatio, r)
			if !r.OK() {
				t.Errorf("blocked: %+v", r.Failed(true))
			}
		})
	}
}

// sampled are the mutants of the short run, each by its game.
var sampled = map[string]string{
	"input dead": "quiz", "never draws": "apples", "no restart": "tictactoe", "never ends": "story", "throws late": "bakery",
	"score never told": "quiz", "ends twice": "story", "rule of a check broken": "quiz",
}

// A mutant is named when one of its rules failed. The long run judges all, and those of
// the games in SVC_GAME and by the operators in SVC_MUTATION alone where these are set.
func TestJudgeNamesMutants(t *testing.T) {
	b := testBrowser(t)
	named, all := 0, 0
	asked := func(variable, name string) bool { return strings.Contains(os.Getenv(variable)+"|", name+"|") }
	whole := long.Asked() || os.Getenv("SVC_GAME")+os.Getenv("SVC_MUTATION") != ""
	for _, g := range corpusGames(t) {
		t.Logf("%d of %d mutants are named before those of %s", named, all, g.Name)
		for _, m := range corpus.Mutations {
			if os.Getenv("SVC_GAME") != "" && !asked("SVC_GAME", g.Name) || os.Getenv("SVC_MUTATION") != "" && !asked("SVC_MUTATION", m.Name) || !whole && sampled[m.Name] != g.Name {
				continue
			}
			files, ok := m.Apply(g.Kind, g.Files)
			if !ok {
				continue
			}
			all++
			r := judged(t, b, g, files)
			if slices.ContainsFunc(r.Failed(false), func(c Check) bool { return slices.Contains(m.Rules, c.Rule) }) {
				named++
			} else {
				t.Logf("%s of %s is not named by %v: %s", m.Name, g.Name, m.Rules, r)
			}
		}
	}
	t.Logf("%d of %d mutants are named", named, all)
	if all == 0 || named*200 < all*180 {
		t.Errorf("%d of %d mutants are named, want nine of ten", named, all)
	}
}

// Twenty rounds of the ten games in the long run, two of three of them in the short one.
func TestJudgeSaysTheSameEachTime(t *testing.T) {
	b := testBrowser(t)
	games, rounds := corpusGames(t), 20
	if !long.Asked() {
		games, rounds = slices.DeleteFunc(games, func(g corpus.Game) bool { return g.Kind == arcade || g.Kind == versus || g.Kind == sandbox }), 2
	}
	said := map[string]string{}
	for range rounds {
		for _, g := range games {
			r := judged(t, b, g, g.Files)
			now := Report{Checks: r.Failed(true)}.String()
			if was, ok := said[g.Name]; ok && was != now {
				t.Errorf("%s: %q, and before %q", g.Name, now, was)
			}
			said[g.Name] = now
		}
	}
}
