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
func (trusting) Delta(string)                                        {}
func (trusting) Call(string, map[string]any) func(ok bool, _ string) { return func(bool, string) {} }
func (trusting) Made(string, agent.Asset)                            {}

func puppet(t *testing.T, name string) puppets.Puppet {
	t.Helper()
	all, err := puppets.All()
	if err != nil {
		t.Fatal(err)
	}
	return all[slices.IndexFunc(all, func(p puppets.Puppet) bool { return p.Name == name })]
}

// stage is a rig with a writer that is played by an actor behind a server that checks,
// and a user that can pay.
func stage(t *testing.T, rules fakeprovider.Rules, can egress.Abilities, a fakeprovider.Answer, more ...func(c *egress.Config)) *rig {
	t.Helper()
	r := newRigWith(t, func(c *egress.Config) {
		c.Endpoints[0].Chat, c.Endpoints[0].Models = nil, []egress.Model{{Name: "writer", Abilities: can}}
		for _, change := range more {
			change(c)
		}
	}, fakeprovider.Strict(rules, a))
	if _, err := r.side.Keys().TopUp(t.Context(), "test", "alice", keys.Credit{TIK: stageTIK - 100*api.MicroPerTIK}); err != nil {
		t.Fatal(err)
	}
	return r
}

const stageTIK = 1_000_000 * api.MicroPerTIK

// client is one of a job that runs on a rig.
func (r *rig) client() *model.Client {
	r.t.Helper()
	job := r.accept()
	r.report(contract.FeedStarted, job, api.JobRunning, "model")
	tokenFile := filepath.Join(r.t.TempDir(), "token")
	if err := os.WriteFile(tokenFile, []byte(token), 0o600); err != nil {
		r.t.Fatal(err)
	}
	c := model.New(model.Options{Socket: r.socket, TokenFile: tokenFile, Attempts: 1})
	if names, err := c.Chats(r.t.Context()); err != nil || names[0] != "writer" {
		r.t.Fatalf("%q, %v", names, err)
	}
	return c
}

// costs is what a provider's account comes to by the rig's prices, which have none
// for caches.
func costs(took fakeprovider.Took) api.TIK {
	return api.TIK(took.Input+took.Cached+took.Written)*1_000 + api.TIK(took.Output)*2_000_000
}

// taskOf is to write a puppet's game on the empty frame.
func taskOf(t *testing.T, p puppets.Puppet) agent.Task {
	t.Helper()
	frame, err := kit.Frame(p.Start)
	if err != nil {
		t.Fatal(err)
	}
	return agent.Task{
		Model: "writer", Ask: author.Ask{Prompt: p.Prompt, Settings: api.Settings{ReasoningLevel: api.ReasoningMedium}},
		Limits: agent.LimitsOf(api.ReasoningMedium), Game: frame, New: true, Fixed: map[string]string{kit.Folder + "/": "it is the kit"}, Manual: kit.Page,
	}
}

// authored is what an author makes of the empty frame.
func authored(t *testing.T, c *model.Client, p puppets.Puppet) agent.Outcome {
	t.Helper()
	out, err := agent.Run(t.Context(), c, trusting{}, trusting{}, taskOf(t, p))
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
				r := stage(t, w.rules, w.can, a.Answer())
				out := authored(t, r.client(), p)
				if problems := a.Problems(); len(problems) > 0 || !a.Finished() {
					t.Errorf("%d steps: %s", a.Steps(), strings.Join(problems, "\n"))
				}
				took := a.Bills.Took()
				if u := (model.Usage{Input: took.Input, Cached: took.Cached, CacheWrite: took.Written, Output: took.Output}); out.Usage != u {
					t.Errorf("the agent counts %+v, the provider %+v", out.Usage, u)
				}
				r.wantBalance(stageTIK - costs(took))
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
			out := authored(t, stage(t, w.rules, w.can, a.Answer()).client(), p)
			if problems := a.Problems(); len(problems) > 0 || !a.Finished() || string(out.Files["src/main.js"]) != string(p.Files["src/main.js"]) {
				t.Errorf("%d steps: %s", a.Steps(), strings.Join(problems, "\n"))
			}
		})
	}
}

// Case 6, a file that is longer than the cap, which the server does not say was reached:
// it is written in parts, and never as far as it came.
func TestLongFileUnderACapIsWrittenInParts(t *testing.T) {
	t.Parallel()
	const most, part = 4000, 7_500
	p := puppet(t, "snake")
	file := strings.Repeat("// A line of a file that is long.\n", 900)
	write := func(from, to int) puppets.Call {
		return puppets.Call{Name: "write_file", Arguments: map[string]any{"path": "src/long.js", "content": file[from:to], "append": from > 0}}
	}
	script := p.Script(nil)
	end := script[len(script)-1]
	script = append(script[:len(script)-1], puppets.Step{Cut: true, Unsaid: true, Calls: []puppets.Call{write(0, len(file))}},
		puppets.Step{After: []string{"cut off"}, Calls: []puppets.Call{{Name: "read_file", Arguments: map[string]any{"paths": []string{"src/long.js"}}}}})
	after := "(?i)no file|not there|does not exist"
	for from := 0; from < len(file); from += part {
		script = append(script, puppets.Step{After: []string{after}, Calls: []puppets.Call{write(from, min(from+part, len(file)))}})
		after = `Wrote \d+ bytes`
	}
	script = append(script, end)
	for _, name := range []string{"chat", "responses", "budget"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := wires[name]
			a := puppets.Act(script, w.rules.Manner)
			out := authored(t, stage(t, w.rules, w.can, a.Answer(), func(c *egress.Config) { c.MaxTokens = most }).client(), p)
			if problems := a.Problems(); len(problems) > 0 || !a.Finished() || string(out.Files["src/long.js"]) != file {
				t.Errorf("%d steps, %d of %d bytes: %s", a.Steps(), len(out.Files["src/long.js"]), len(file), strings.Join(problems, "\n"))
			}
		})
	}
}
