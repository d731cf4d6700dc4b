package egress

import (
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/engine/model"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/puppets"
)

// TestOverflowWithinAStreamIsFreeAndTheTalkIsSentShorter: a server that answers 200 and
// says only then that the conversation is too long. The author leaves some of it out and
// goes on, and neither counts nor pays the refusal.
func TestOverflowWithinAStreamIsFreeAndTheTalkIsSentShorter(t *testing.T) {
	t.Parallel()
	p := puppet(t, "snake")
	for name, events := range map[string]string{
		"chat": `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}` + "\n\n" +
			`data: {"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`,
		"responses": `data: {"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}` + "\n\n" +
			`data: {"type":"response.failed","response":{"id":"r","status":"failed","output":[],"usage":null,"error":{"code":"context_length_exceeded","message":"Too long."}}}`,
		"budget": `data: {"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":0,"output_tokens":0}}}` + "\n\n" +
			`data: {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := wires[name]
			a, refused := puppets.Act(p.Script(nil), w.rules.Manner), 0
			r := stage(t, w.rules, w.can, func(s *fakeprovider.Provider, rw http.ResponseWriter, q *http.Request, f fakeprovider.Request) {
				if a.Steps() == 5 && refused == 0 {
					refused = fakeprovider.Tokens(f.Body)
					fakeprovider.Body("text/event-stream", events+"\n\n")(s, rw, q, f)
					return
				}
				if a.Steps() == 5 && fakeprovider.Tokens(f.Body) >= refused {
					t.Errorf("%d tokens were too many, and it sent %d", refused, fakeprovider.Tokens(f.Body))
				}
				a.Answer()(s, rw, q, f)
			})
			out := authored(t, r.client(), p)
			if problems := a.Problems(); len(problems) > 0 || !a.Finished() || string(out.Files["src/main.js"]) != string(p.Files["src/main.js"]) {
				t.Errorf("%d steps: %s", a.Steps(), strings.Join(problems, "\n"))
			}
			took := a.Bills.Took()
			if u := (model.Usage{Input: took.Input, Cached: took.Cached, CacheWrite: took.Written, Output: took.Output}); out.Usage != u {
				t.Errorf("the author counts %+v, the provider %+v", out.Usage, u)
			}
			if asked := len(r.provider.Requests()); refused == 0 || asked != a.Steps()+1 {
				t.Errorf("%d steps took %d requests", a.Steps(), asked)
			}
			r.wantBalance(stageTIK - costs(took))
		})
	}
}

// TestServerThatDropsTheBeginningInSilenceIsNamedInTheWarning: Ollama, which holds 4,096
// tokens unless it is told otherwise, or 2,048 in former versions, says that it read half of
// them, and has forgotten the task by the first answer. That one is paid, and none after it.
func TestServerThatDropsTheBeginningInSilenceIsNamedInTheWarning(t *testing.T) {
	for name, tc := range map[string]struct {
		holds   int
		context []api.ContextBlock
	}{
		"a short talk":   {2048, nil},
		"a long context": {4096, []api.ContextBlock{{Name: "world.md", Content: strings.Repeat("The fox lives in a wood of gaps. ", 2000)}}},
	} {
		t.Run(name, func(t *testing.T) {
			rules := fakeprovider.Rules{Manner: fakeprovider.Ollama, Context: tc.holds}
			var took fakeprovider.Took
			r := newRigWith(t, func(c *egress.Config) {
				c.Endpoints[0].Chat, c.Endpoints[0].Models = nil, []egress.Model{{Name: "writer"}}
			}, fakeprovider.Strict(rules, func(s *fakeprovider.Provider, w http.ResponseWriter, q *http.Request, f fakeprovider.Request) {
				took = fakeprovider.Took{Input: rules.Read(f.Body), Output: 12}
				fakeprovider.Turn{Manner: fakeprovider.Ollama, Text: "What shall I do for you today?", Took: &took}.Answer()(s, w, q, f)
			}))
			o := r.engine(model.Options{Attempts: 1}, judging(t)).workOn(api.GenerateRequest{
				Prompt: "a fox that flies through gaps", Settings: api.Settings{Model: "writer", ReasoningLevel: api.ReasoningLow}, Context: tc.context,
			})
			o.checkGame("The model wrote no game")
			if warned := o.warned(); !strings.Contains(warned, "num_ctx") || strings.Count(warned, "\n") > 0 {
				t.Errorf("the record says %q", warned)
			}
			if n := len(r.provider.Requests()); n != 1 || o.files["src/mechanics/gap.js"] == "" {
				t.Errorf("it was asked %d times, and the game has %d files", n, len(o.files))
			}
			r.wantBalance((1_000_100-1)*api.MicroPerTIK - costs(took))
		})
	}
}
