package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/model"
)

// turn is what a scripted model does when it is asked.
type turn func(ctx context.Context, r model.Request) (model.Reply, error)

// scripted takes one turn after the other, and the last for ever.
type scripted struct {
	turns []turn
	asked []model.Request
}

func (m *scripted) Chat(ctx context.Context, r model.Request) (model.Reply, error) {
	r.Messages = slices.Clone(r.Messages)
	m.asked = append(m.asked, r)
	return m.turns[min(len(m.asked), len(m.turns))-1](ctx, r)
}

// calls answers with tools: name and arguments in turns.
func calls(pairs ...string) turn {
	return func(context.Context, model.Request) (model.Reply, error) {
		reply := model.Reply{Usage: model.Usage{Input: 10, Output: 5}}
		for i := 0; i+1 < len(pairs); i += 2 {
			reply.Parts = append(reply.Parts, model.Part{Call: &model.Call{Name: pairs[i], Arguments: pairs[i+1]}})
		}
		return reply, nil
	}
}

func says(text string) turn {
	return func(context.Context, model.Request) (model.Reply, error) { return model.NewReply(text), nil }
}

func fails(err error) turn {
	return func(_ context.Context, r model.Request) (model.Reply, error) {
		if errors.Is(err, model.ErrBroken) {
			r.Lost()
		}
		return model.Reply{}, err
	}
}

// judge passes a game whose hero says "good", and notes what it was shown.
type judge struct {
	checks, proofs int
	picky          bool // what passes the check does not pass the proof
	asks           int  // the proof that does not pass, and may if it is handed in once more
	blind          int  // proofs that find nothing out
	wants          int  // proofs that pass and are wanting
}

func (j *judge) Syntax(_ context.Context, name, content string) ([]build.Problem, error) {
	return build.Syntax(name, content), nil
}

func (j *judge) Check(ctx context.Context, files compile.Files) (Verdict, error) {
	j.checks++
	files[compile.Script] = []byte("built")
	if strings.Contains(string(files["src/mechanics/gap.js"]), "bad") {
		return Verdict{Findings: []string{"src/mechanics/gap.js: it is bad"}}, ctx.Err()
	}
	return Verdict{OK: true, Note: "fine"}, ctx.Err()
}

func (j *judge) Prove(ctx context.Context, files compile.Files) (Verdict, error) {
	j.proofs++
	v, err := j.Check(ctx, files)
	if j.picky {
		v = Verdict{Findings: []string{fmt.Sprintf("in the browser: it is dark %d", j.proofs)}}
	}
	if j.proofs == j.asks {
		v = Verdict{Again: true, Findings: []string{"is it meant to be so?"}}
	}
	if j.proofs <= j.blind {
		v = Verdict{Unknown: true, Findings: []string{"the browser died, hand it in again"}}
	}
	if j.proofs <= j.wants {
		v.Wanting = "But it has no checks."
	}
	return v, err
}

// log notes what is reported.
type log struct {
	made   []string
	said   []string
	deltas []string
	calls  []string
	steps  int
}

func (l *log) Step(n, _ int) { l.steps = n }

func (l *log) Delta(text string) { l.deltas = append(l.deltas, text) }

func (l *log) Say(text string) { l.said = append(l.said, text) }

func (l *log) Call(name string, args map[string]any) func(bool, string) {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return func(ok bool, summary string) {
		l.calls = append(l.calls, fmt.Sprintf("%s %s %v: %s", name, raw, ok, summary))
	}
}

func (l *log) Made(path string, a Asset) { l.made = append(l.made, path+" "+a.Source) }

func game() compile.Files {
	return compile.Files{
		"src/mechanics/gap.js": []byte("export const meta = { id: 'gap' };\nconst speed = 1;\nlet a = 1;\nlet b = 1;\n"),
		"src/main.js":          []byte("boot();\n"), "src/game.json": []byte(`{"play":{"speed":1}}`),
		"src/core/hook.js": []byte("hook"), "index.html": []byte("<html>"), "lib/phaser.min.js": []byte("phaser"),
		"assets/hero.png": []byte("\x89PNG"), compile.Script: []byte("built"),
	}
}

func task() Task {
	return Task{
		Model: "wise", Game: game(), About: "A game.", Manual: "MANUAL",
		Limits: Limits{Steps: 10, Answer: answer, Tokens: 1 << 22, Wall: time.Minute, Fixes: 1},
		Fixed:  map[string]string{"src/core/": "it is not yours", "src/main.js": "it is not yours"},
		Ask:    author.Ask{Prompt: "make it wobble", Skills: []api.Skill{{Key: "wobble", Title: "Wobble", Files: []api.SkillFile{{Path: "w.js", Content: "wobble()"}}}}},
	}
}

// answer is how many tokens an answer may have.
const answer = 8000

type run struct {
	Outcome
	err   error
	model *scripted
	judge *judge
	log   *log
}

// work runs a model's turns.
func work(t *testing.T, task Task, judge *judge, turns ...turn) run {
	t.Helper()
	r := run{model: &scripted{turns: turns}, judge: judge, log: &log{}}
	r.Outcome, r.err = Run(t.Context(), r.model, judge, r.log, task)
	return r
}

// answers are the results that the model got of its last turn's calls.
func (r run) answers() []string {
	var out []string
	for _, m := range r.model.asked[len(r.model.asked)-1].Messages {
		if m.Role == model.RoleTool {
			out = append(out, m.Text())
		}
	}
	return out
}

const finish = `{"summary":"It wobbles.","unmet":["a  song"]}`

func edit(old, new string) string {
	raw, _ := json.Marshal(map[string]any{"path": "src/mechanics/gap.js", "old": old, "new": new})
	return string(raw)
}
