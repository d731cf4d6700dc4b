package agent

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/engine/kit"
	"github.com/svc-games/svc/engine/model"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// TestServerThatForgetsInSilenceEndsTheRun: a server without room answers 200, and only what
// it says that it read gives it away. A short talk is found
// within a few steps, and nothing that another server says of itself is.
func TestServerThatForgetsInSilenceEndsTheRun(t *testing.T) {
	window := func(n int) func(int, map[string]any) int {
		return func(_ int, body map[string]any) int { return min(n, fakeprovider.Tokens(body)) }
	}
	for name, tc := range map[string]struct {
		read  func(step int, body map[string]any) int // tokens, as it says
		steps int                                     // after which it is found at most; 0: never
	}{
		"half of 4,096": {func(_ int, body map[string]any) int {
			return fakeprovider.Rules{Manner: fakeprovider.Ollama, Context: 4096}.Read(body)
		}, 4},
		"half of 8,192, later": {func(_ int, body map[string]any) int {
			return fakeprovider.Rules{Manner: fakeprovider.Ollama, Context: 8192}.Read(body)
		}, 8},
		"all of 4,096": {window(4096), 5},
		"all of 8,192": {window(8192), 8},
		"enough":       {window(1 << 20), 0},
		"what is new": {func(_ int, body map[string]any) int {
			list := body["messages"].([]any)
			return fakeprovider.Tokens(map[string]any{"messages": list[max(0, len(list)-2):]})
		}, 0},
		"thoughts that a template leaves out": {func(step int, body map[string]any) int {
			return fakeprovider.Tokens(body) + max(0, 6-step)*700
		}, 0},
	} {
		job := task()
		job.Manual = kit.Page + "\n" + kit.Sheet("canvas")
		job.Limits.Steps = 30
		var step atomic.Int64
		p := fakeprovider.New(t, fakeprovider.Strict(fakeprovider.Rules{Manner: fakeprovider.Ollama}, func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
			n := int(step.Add(1))
			turn := writing(n, 1)
			turn.Tools[0].Arguments = strings.Replace(turn.Tools[0].Arguments, `"content":"`, `"content":"`+strings.Repeat("export const speed = 3; ", 70), 1)
			if n == 12 {
				turn = fakeprovider.Turn{Tools: []fakeprovider.ToolCall{{ID: "dn0000000", Name: "done", Arguments: finish}}}
			}
			turn.Manner, turn.Reasoning, turn.Took = fakeprovider.Ollama, "", &fakeprovider.Took{Input: tc.read(n, q.Body), Output: 500}
			turn.Answer()(p, w, r, q)
		}))
		socket, token := fakeprovider.Reach(t, p, `{"data":[{"id":"wise","use":"chat","protocol":"chat"}]}`)
		client := model.New(model.Options{Socket: socket, TokenFile: token, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
		if _, err := client.Offers(t.Context()); err != nil {
			t.Fatal(err)
		}
		out, err := Run(t.Context(), client, &judge{}, &log{}, job)
		if err != nil {
			t.Fatal(err)
		}
		switch asked := int(step.Load()); {
		case tc.steps == 0 && (out.Stop != "" || out.Files == nil):
			t.Errorf("%s: %q (%v) after %d steps", name, out.Stop, out.Refusal, asked)
		case tc.steps > 0 && (out.Stop != StopProvider || model.KindOf(out.Refusal) != model.Small || !strings.Contains(model.Hint(out.Refusal), "num_ctx") || asked > tc.steps):
			t.Errorf("%s: %q (%v) after %d steps", name, out.Stop, out.Refusal, asked)
		default:
			t.Logf("%s: %d steps", name, asked)
		}
	}
}

// TestServerThatHoldsLessThanIsKnownIsSentLess: a larger window that nobody named. The
// conversation is made shorter, as for one that refuses, and stays so.
func TestServerThatHoldsLessThanIsKnownIsSentLess(t *testing.T) {
	const holds = 32 << 10
	job := task()
	job.Limits.Steps, job.Limits.Tokens = 60, 10_000_000
	var step, most atomic.Int64
	p := fakeprovider.New(t, func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		n, rules := int(step.Add(1)), fakeprovider.Rules{Manner: fakeprovider.Ollama, Context: holds}
		turn := writing(n, 1)
		turn.Tools[0].Arguments = strings.Replace(turn.Tools[0].Arguments, `"content":"`, `"content":"`+strings.Repeat("export const speed = 3; ", 400), 1)
		if n == 40 {
			turn = fakeprovider.Turn{Tools: []fakeprovider.ToolCall{{ID: "dn0000000", Name: "done", Arguments: finish}}}
		}
		if n > 30 {
			most.Store(max(most.Load(), int64(fakeprovider.Tokens(q.Body))))
		}
		turn.Manner, turn.Reasoning, turn.Took = fakeprovider.Ollama, "", &fakeprovider.Took{Input: rules.Read(q.Body), Output: 500}
		turn.Answer()(p, w, r, q)
	})
	socket, token := fakeprovider.Reach(t, p, `{"data":[{"id":"wise","use":"chat","protocol":"chat"}]}`)
	client := model.New(model.Options{Socket: socket, TokenFile: token, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if _, err := client.Offers(t.Context()); err != nil {
		t.Fatal(err)
	}
	out, err := Run(t.Context(), client, &judge{}, &log{}, job)
	if err != nil || out.Stop != "" || out.Files == nil || most.Load() > holds {
		t.Errorf("%q (%v), %v: %d steps, of %d tokens at most in the end", out.Stop, out.Refusal, err, step.Load(), most.Load())
	}
}

// TestServerThatNamesALittleWindowIsAskedNoMore: what would fit a shorter conversation is
// no game.
func TestServerThatNamesALittleWindowIsAskedNoMore(t *testing.T) {
	job := task()
	job.Manual = strings.Repeat("How a game is written, in other words. ", 300)
	out, _ := atServer(t, job, fakeprovider.Rules{Manner: fakeprovider.LlamaCpp, Context: 4096}, `"protocol":"chat"`, writing(1, 5000), writing(2, 5000))
	if out.Stop != StopProvider || out.Steps > 2 || !strings.Contains(model.Hint(out.Refusal), "-c for llama.cpp") {
		t.Errorf("%q (%v) after %d steps: %q", out.Stop, out.Refusal, out.Steps, model.Hint(out.Refusal))
	}
}
