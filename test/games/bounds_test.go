package games

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/engine/gen/playtest"
	judged "github.com/svc-games/svc/engine/gen/playtest/corpus"
	"github.com/svc-games/svc/test/games/corpus"
)

// Parts of what the judge is held to.
const (
	partStock  = "stock"  // good games of the embedded generator, each made and judged in a job
	partHand   = "hand"   // good games that were written by hand, as an author would
	partMutant = "mutant" // those, broken in one way
	partAgain  = "again"  // those, judged once more
)

// verdict is what the judge said of one game.
type verdict struct {
	Part, Game string
	Mutation   string // of a mutant
	Round      int    // of a game that is judged again
	Rules      []string
	Said       string // what speaks against it
	Blocked    bool
	Named      bool    // of a mutant: by one of its rules
	Seconds    float64 // of a stock game with its making
}

func (v verdict) file() string {
	name := fmt.Sprintf("%s-%s-%s-%d", v.Part, v.Game, v.Mutation, v.Round)
	return filepath.Join(keptVerdicts, strings.ReplaceAll(name, " ", "_")+".json")
}

// keptVerdicts is where those of a long run are.
var keptVerdicts = filepath.Join("..", "output", "judge")

// bench has verdicts passed, and keeps them.
type bench struct {
	*studio
	long bool
	all  []verdict
}

// TestBoundsOfTheJudge holds the judge to its bounds: no good game is blocked, nine of ten
// mutants are named, and a game is judged alike each time. The short run looks at one game;
// SVC_JUDGE=all at all of them, and "rest" at those for which a former run had no time. Both
// write JUDGE.md.
func TestBoundsOfTheJudge(t *testing.T) {
	which := os.Getenv("SVC_JUDGE")
	if which == "all" {
		if err := os.RemoveAll(keptVerdicts); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{studio: newStudio(t), long: which != ""}
	games, err := judged.Games(b.frameworks)
	if err != nil {
		t.Fatal(err)
	}
	more, err := judged.More(b.frameworks)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 20
	if !b.long {
		games = slices.DeleteFunc(games, func(g judged.Game) bool { return g.Name != "quiz" })
		more, rounds = nil, 1
	}
	for _, g := range slices.Concat(games, more) {
		b.pass(verdict{Part: partHand, Game: g.Name}, func() verdict { return b.judge(g, g.Files) })
	}
	if b.long {
		b.stock(wishes(t))
	}
	for _, g := range games {
		b.mutants(g)
		for round := range rounds {
			b.pass(verdict{Part: partAgain, Game: g.Name, Round: round + 1}, func() verdict { return b.judge(g, g.Files) })
		}
	}
	for _, v := range of(b.all, partStock, partHand, partAgain) {
		if v.Blocked {
			t.Errorf("%s is blocked: %s", v.Game, v.Said)
		}
	}
	for _, g := range bounds(b.all) {
		few := !b.long && strings.HasPrefix(g.what, "good")
		if !g.reached && !few && !strings.HasSuffix(g.want, " s") { // time is the machine's
			t.Errorf("%s: %s, want %s", g.what, g.got, g.want)
		}
	}
	if b.long {
		if err := os.WriteFile("JUDGE.md", []byte(judgePage(b.all)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// pass takes a verdict that is kept, or has it passed.
func (b *bench) pass(as verdict, judge func() verdict) {
	b.t.Helper()
	data, err := os.ReadFile(as.file())
	if b.long && err == nil && json.Unmarshal(data, &as) == nil {
		b.all = append(b.all, as)
		return
	}
	if deadline, limited := b.t.Deadline(); b.long && limited && time.Until(deadline) < writing {
		b.t.Errorf("no time is left for %s %s %s; SVC_JUDGE=rest goes on there", as.Part, as.Game, as.Mutation)
		return
	}
	v := judge()
	v.Part, v.Game, v.Mutation, v.Round = as.Part, as.Game, as.Mutation, as.Round
	b.t.Logf("%s %s %s: %.1f s, %s", v.Part, v.Game, v.Mutation, v.Seconds, v.Said)
	b.all = append(b.all, v)
	if !b.long {
		return
	}
	data, err = json.Marshal(v)
	if err == nil {
		err = errors.Join(os.MkdirAll(keptVerdicts, 0o755), os.WriteFile(v.file(), data, 0o644))
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// judge judges a hand-written game's files.
func (b *bench) judge(g judged.Game, files map[string][]byte) verdict {
	b.t.Helper()
	built, err := judged.Built(b.t.Context(), files)
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := chromium.Play(b.t.Context(), playtest.Game{Files: built, Width: g.Width, Height: g.Height, Short: g.Short, Limit: 60})
	if err != nil {
		b.t.Fatal(err)
	}
	return verdict{Rules: r.Rules(), Said: r.String(), Blocked: !r.OK(), Seconds: r.Took.Seconds()}
}

func (b *bench) mutants(g judged.Game) {
	b.t.Helper()
	for _, m := range judged.Mutations {
		files, ok := m.Apply(g.Kind, g.Files)
		if !ok || !b.long && m.Name != "input dead" {
			continue
		}
		b.pass(verdict{Part: partMutant, Game: g.Name, Mutation: m.Name}, func() verdict {
			v := b.judge(g, files)
			v.Named = slices.ContainsFunc(v.Rules, func(rule string) bool { return slices.Contains(m.Rules, rule) })
			return v
		})
	}
}

// stock makes the game of the first brief of each kind. It is blocked where the judge refused
// a revision of it, be that mended later.
func (b *bench) stock(briefs []corpus.Wish) {
	b.t.Helper()
	seen := map[string]bool{}
	for _, w := range briefs {
		if w.Brief != "" || len(w.Want.Kind) == 0 || seen[w.Want.Kind[0]] {
			continue
		}
		seen[w.Want.Kind[0]] = true
		b.pass(verdict{Part: partStock, Game: w.Want.Kind[0]}, func() verdict {
			m, err := b.make(w, w.Prompt, b.t.TempDir(), nil)
			if err != nil {
				b.t.Fatal(err)
			}
			return verdict{Said: strings.Join(append(m.refused, m.problems...), "; "), Blocked: len(m.refused) > 0 || !m.played, Seconds: m.took.Seconds()}
		})
	}
}
