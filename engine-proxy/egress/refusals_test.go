package egress_test

import (
	"context"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine-proxy/egress"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/wait"
)

// TestServersRefusalIsAWordThatTheEngineCanActOn: each in its own shape, and none of
// its words.
func TestServersRefusalIsAWordThatTheEngineCanActOn(t *testing.T) {
	t.Parallel()
	const tools = `,"tools":[{"type":"function","function":{"name":"look"}}]`
	const picture = `,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}]`
	called := `,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}]}]`
	for name, c := range map[string]struct {
		wire, more string
		rules      fakeprovider.Rules
		status     int
		reason     string
	}{
		"OpenAI, full":        {"chat", "", fakeprovider.Rules{Context: 1}, 400, "context_length_exceeded"},
		"OpenAI, cap":         {"chat", `,"max_tokens":9`, fakeprovider.Rules{Cap: "max_completion_tokens"}, 400, "unsupported_parameter"},
		"llama.cpp, full":     {"chat", "", fakeprovider.Rules{Context: 1, Manner: fakeprovider.LlamaCpp}, 400, "context_length_exceeded"},
		"llama.cpp, no tools": {"chat", tools, fakeprovider.Rules{NoTools: true, Manner: fakeprovider.LlamaCpp}, 400, "tools_unsupported"},
		"llama.cpp, blind":    {"chat", picture, fakeprovider.Rules{NoVision: true, Manner: fakeprovider.LlamaCpp}, 400, "vision_unsupported"},
		"vLLM, full":          {"chat", "", fakeprovider.Rules{Context: 1, Manner: fakeprovider.VLLM}, 400, "context_length_exceeded"},
		"vLLM, no tools":      {"chat", tools, fakeprovider.Rules{NoTools: true, Manner: fakeprovider.VLLM}, 400, "tools_unsupported"},
		"Ollama, no tools":    {"chat", tools, fakeprovider.Rules{NoTools: true, Manner: fakeprovider.Ollama}, 400, "tools_unsupported"},
		"DeepSeek":            {"chat", called, fakeprovider.Rules{Reasoning: true, Manner: fakeprovider.DeepSeek}, 400, "reasoning_missing"},
		"Gemini":              {"chat", called, fakeprovider.Rules{Reasoning: true, Manner: fakeprovider.Gemini}, 400, "reasoning_missing"},
		"Anthropic, full":     {"messages", "", fakeprovider.Rules{Context: 1, Manner: fakeprovider.Anthropic}, 400, "context_length_exceeded"},
		"Responses, sealed":   {"responses", `,"input":[{"type":"reasoning","summary":[],"encrypted_content":"x"}]`, fakeprovider.Rules{}, 400, "invalid_encrypted_content"},
		"a conversation":      {"chat", called, fakeprovider.Rules{}, 400, "provider_refused"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newWires(t, nil)
			r.provider.Answer(fakeprovider.Strict(c.rules, turn.Answer()))
			if p := r.ask(c.wire, c.more); p.status != c.status || p.reason() != c.reason || strings.Contains(p.body, "jinja") {
				t.Errorf("got %d %s", p.status, p.body)
			}
			r.want()
		})
	}
}

func TestOverloadedProviderIsAskedAgainLater(t *testing.T) {
	t.Parallel()
	r := newWires(t, nil)
	r.provider.Answer(fakeprovider.Overloaded())
	if p := r.ask("messages", ""); p.status != 429 || p.reason() != "overloaded" || p.header.Get("Retry-After") != "1" {
		t.Errorf("got %d %s", p.status, p.body)
	}
	r.want()
}

// TestProviderThatRefusesTheOperatorSaysWhy: no engine asks it again, and its user is
// told what no brief can mend.
func TestProviderThatRefusesTheOperatorSaysWhy(t *testing.T) {
	t.Parallel()
	r := newWires(t, nil)
	for name, c := range map[string]struct {
		status       int
		code, reason string
	}{
		"a wrong key":       {401, "invalid_api_key", "provider_auth"},
		"a key of others":   {403, "permission_error", "provider_auth"},
		"an empty account":  {429, "insufficient_quota", "provider_quota"},
		"an unpaid account": {402, "", "provider_quota"},
		"an unknown model":  {404, "model_not_found", "provider_no_model"},
	} {
		r.provider.Answer(fakeprovider.Status(c.status, c.code))
		for wire := range wires {
			if p := r.ask(wire, ""); p.status != 502 || p.reason() != c.reason {
				t.Errorf("%s, %s: %d %s", name, wire, p.status, p.body)
			}
		}
	}
	r.want()
}

func TestCallThatMarksItsPrefixIsChargedAsWrittenWhenNobodyKnows(t *testing.T) {
	t.Parallel()
	r := newWires(t, nil)
	r.provider.Answer(fakeprovider.HangsUp())
	r.ask("messages", `,"max_tokens":70,"cache_control":{"type":"ephemeral"}`)
	calls := r.ledger.charged()
	if len(calls) != 1 || len(calls[0].Units) != 3 || calls[0].Units[1].Name != "model.author.cache_write" || calls[0].Units[2] != unit("model.author.output", 70) {
		t.Errorf("charged %+v", calls)
	}
}

func TestModelsAreListedWithWhatTheyCan(t *testing.T) {
	t.Parallel()
	r := newWires(t, func(o *egress.Options) {
		o.Config.Endpoints[0].Models[0] = egress.Model{Name: "thinker", FirstToken: 1e11, Abilities: egress.Abilities{
			Protocol: egress.ProtocolResponses, Context: 400000, MaxOutput: 32000, Vision: true, Parallel: true, Reasoning: "effort", Cache: "auto",
		}}
	})
	p := r.do(r.request(t.Context(), "GET", "/v1/models", token, ""))
	want := `{"id":"thinker","object":"model","owned_by":"svc","use":"chat","protocol":"responses","context":400000,"max_output":32000,` +
		`"vision":true,"parallel":true,"reasoning":"effort","cache":"auto","first_token":100}`
	if p.status != 200 || !strings.Contains(p.body, want) {
		t.Errorf("got %d %s", p.status, p.body)
	}
}

// TestCallOfEachWireIsChargedOnceAtItsLimitAfterAKill: the journal knows a call of
// any wire before it goes out.
func TestCallOfEachWireIsChargedOnceAtItsLimitAfterAKill(t *testing.T) {
	t.Parallel()
	for wire, most := range map[string]string{"chat": "max_tokens", "responses": "max_output_tokens", "messages": "max_tokens"} {
		t.Run(wire, func(t *testing.T) {
			r := newWires(t, nil)
			r.provider.Answer(fakeprovider.Stalls(false))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			killed := r.Egress
			t.Cleanup(func() { _ = killed.Close(context.Background()) })
			w := wires[wire]
			go func() {
				body := `{"model":"` + w.model + `",` + w.body + `,"` + most + `":70,"stream":true}`
				if res, err := r.client().Do(r.request(ctx, "POST", "/v1"+w.path, token, body)); err == nil {
					res.Body.Close()
				}
			}()
			wait.Until(t, "the call is under way", func() bool { return len(r.provider.Requests()) == 1 })
			r.open() // on what the killed one left
			wait.Until(t, "the call is charged", func() bool { return len(r.ledger.charged()) == 1 })
			if c := r.ledger.charged()[0]; c.Units[0].Quantity < 1 || c.Units[1] != unit("model."+w.model+".output", 70) {
				t.Errorf("charged %+v", c)
			}
			r.provider.Answer(turn.Answer())
			if p := r.ask(wire, ""); p.status != 200 || len(r.ledger.charged()) != 2 {
				t.Errorf("after it: %d %s, %d charges", p.status, p.body, len(r.ledger.charged()))
			}
		})
	}
}
