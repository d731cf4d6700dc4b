package egress

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/engine/gen/agent"
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/kit"
	"github.com/svc-games/svc/engine/model"
	"github.com/svc-games/svc/sidecar/keys"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/puppets"
)

// trusting passes every revision, and keeps what an agent says quiet.
type trusting struct{}

func (trusting) Syntax(context.Context, string, string) ([]build.Problem, error) { return nil, nil }

func (trusting) Check(context.Context, compile.Files) (agent.Verdict, error) {
	return agent.Verdict{OK: true}, nil
}

func (trusting) Prove(context.Context, compile.Files) (agent.Verdict, error) {
	return agent.Verdict{OK: true}, nil
}
func (trusting) Step(int, int)                                       {}
func (trusting) Say(string)                                          {}
func (trusting) Call(string, map[string]any) func(ok bool, _ string) { return func(bool, string) {} }

func puppet(t *testing.T, name string) puppets.Puppet {
	t.Helper()
	all, err := puppets.All()
	if err != nil {
		t.Fatal(err)
	}
	return all[slices.IndexFunc(all, func(p puppets.Puppet) bool { return p.Name == name })]
}

// funded is a rig with a writer that is played by an actor behind a server that
// checks, and a job that can pay.
func funded(t *testing.T, rules fakeprovider.Rules, can egress.Abilities, a *puppets.Actor) (*rig, *model.Client) {
	t.Helper()
	r := newRigOf(t, func(at *egress.Endpoint) {
		at.Chat, at.Models = nil, []egress.Model{{Name: "writer", Abilities: can}}
	}, fakeprovider.Strict(rules, a.Answer()))
	if _, err := r.side.Keys().TopUp(t.Context(), "test", "alice", keys.Credit{TIK: 1_000_000 * api.MicroPerTIK}); err != nil {
		t.Fatal(err)
	}
	job := r.accept()
	r.report(contract.FeedStarted, job, api.JobRunning, "model")
	tokenFile := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(tokenFile, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	c := model.New(model.Options{Socket: r.socket, TokenFile: tokenFile, Attempts: 1})
	if names, err := c.Chats(t.Context()); err != nil || len(names) != 1 {
		t.Fatalf("%q, %v", names, err)
	}
	return r, c
}

// authored is what an author makes of the empty frame.
func authored(t *testing.T, c *model.Client, p puppets.Puppet) agent.Outcome {
	t.Helper()
	frame, err := kit.Frame(p.Start)
	if err != nil {
		t.Fatal(err)
	}
	out, err := agent.Run(t.Context(), c, trusting{}, trusting{}, agent.Task{
		Model: "writer", Ask: author.Ask{Prompt: p.Prompt, Settings: api.Settings{ReasoningLevel: api.ReasoningMedium}},
		Limits: agent.LimitsOf(api.ReasoningMedium), Game: frame, New: true, Fixed: map[string]string{kit.Folder + "/": "it is the kit"}, Manual: kit.Page,
	})
	if err != nil || out.Stop != "" {
		t.Fatalf("it ended with %q, %v after %d steps: %v", out.Stop, err, out.Steps, out.Refusal)
	}
	return out
}

// Case 2 of the author's acceptance: one puppet, every wire and manner.
func TestPuppetWritesTheSameBytesOverEveryWire(t *testing.T) {
	t.Parallel()
	p := puppet(t, "snake")
	var mu sync.Mutex // guards written
	written := map[string]compile.Files{}
	t.Run("wires", func(t *testing.T) {
		for name, w := range wires {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				a := puppets.Act(p.Script(nil), w.rules.Manner)
				r, c := funded(t, w.rules, w.can, a)
				out := authored(t, c, p)
				if problems := a.Problems(); len(problems) > 0 || !a.Finished() {
					t.Errorf("%d steps: %s", a.Steps(), strings.Join(problems, "\n"))
				}
				took := a.Bills.Took()
				if u := (model.Usage{Input: took.Input, Cached: took.Cached, CacheWrite: took.Written, Output: took.Output}); out.Usage != u {
					t.Errorf("the agent counts %+v, the provider %+v", out.Usage, u)
				}
				r.wantBalance((1_000_100)*api.MicroPerTIK - api.TIK(took.Input+took.Cached+took.Written)*1_000 - api.TIK(took.Output)*2_000_000)
				mu.Lock()
				defer mu.Unlock()
				written[name] = out.Files
			})
		}
	})
	for name, files := range written {
		if !maps.EqualFunc(files, written["chat"], slices.Equal) {
			t.Errorf("over %s it wrote another game", name)
		}
		if string(files["src/main.js"]) != string(p.Files["src/main.js"]) {
			t.Errorf("over %s its main module is not the puppet's", name)
		}
	}
}

// Case 6: what is cut is never written, and is written in parts then.
func TestCutAnswersLeaveNoTruncatedFile(t *testing.T) {
	t.Parallel()
	p := puppet(t, "snake")
	for _, name := range []string{"chat", "responses", "budget"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := wires[name]
			a := puppets.Act(p.Script(&puppets.Cut), w.rules.Manner)
			_, c := funded(t, w.rules, w.can, a)
			out := authored(t, c, p)
			if problems := a.Problems(); len(problems) > 0 || !a.Finished() || string(out.Files["src/main.js"]) != string(p.Files["src/main.js"]) {
				t.Errorf("%d steps: %s", a.Steps(), strings.Join(problems, "\n"))
			}
		})
	}
}
