package egress_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine-proxy/egress"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// withStatus answers with a status and a body.
func withStatus(status int, body string) fakeprovider.Answer {
	return func(_ *fakeprovider.Provider, w http.ResponseWriter, _ *http.Request, _ fakeprovider.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// TestServersRefuseInTheirOwnWords: of servers, as their users have reported them in 2025
// and 2026, whose code or status does not say it.
func TestServersRefuseInTheirOwnWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wire   string
		status int
		body   string
		want   int
		reason string
	}{
		"Anthropic, the answer is too much": {"messages", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 190000 + 20000 > 200000, decrease input length"}}`, 400, "context_length_exceeded"},
		"Anthropic, bytes":                  {"messages", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, 400, "context_length_exceeded"},
		"a proxy":                           {"chat", 413, `<html>413 Request Entity Too Large</html>`, 400, "context_length_exceeded"},
		"Gemini":                            {"chat", 400, `[{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).","status":"INVALID_ARGUMENT"}}]`, 400, "context_length_exceeded"},
		"xAI":                               {"chat", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, 400, "context_length_exceeded"},
		"SGLang":                            {"chat", 400, `{"object":"error","message":"The input (9000 tokens) is longer than the model's context length (8192 tokens).","type":"BadRequestError","code":400}`, 400, "context_length_exceeded"},
		"LM Studio":                         {"chat", 400, `{"error":"Trying to keep the first 9000 tokens when the number of tokens to keep from the initial prompt is greater than the context length."}`, 400, "context_length_exceeded"},
		"llama.cpp, in the middle":          {"chat", 500, `{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`, 400, "context_length_exceeded"},
		"Groq":                              {"chat", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error"}}`, 400, "context_length_exceeded"},
		"FastAPI":                           {"chat", 422, `{"detail":"prompt too long; exceeded max context length by 40 tokens"}`, 400, "context_length_exceeded"},
		"Azure's filter":                    {"chat", 400, `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400}}`, 400, "content_filter"},
		"OpenRouter's moderation":           {"chat", 403, `{"error":{"code":403,"message":"Your chosen model requires moderation and your input was flagged for \"violence\".","metadata":{"reasons":["violence"]}}}`, 400, "content_policy_violation"},
		"Anthropic, an empty account":       {"messages", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing."}}`, 502, "provider_quota"},
		"Moonshot, an empty account":        {"chat", 403, `{"error":{"message":"Your account is not active, organization exceeded current quota","type":"exceeded_current_quota_error"}}`, 502, "provider_quota"},
		"Gemini, a wrong key":               {"chat", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, 502, "provider_auth"},
		"xAI, a wrong key":                  {"chat", 400, `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: na***ys."}`, 502, "provider_auth"},
		"Gemini, too many calls":            {"chat", 429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED"}}]`, 429, "rate_limited"},
		"Mistral, the order of roles":       {"chat", 400, `{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","code":"3230"}`, 400, "message_order"},
		"Mistral, the id of a call":         {"chat", 400, `{"object":"error","message":"Tool call id was x but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","code":"3280"}`, 400, "message_order"},
		"llama.cpp, a template of Mistral":  {"chat", 500, `{"error":{"code":500,"message":"After the optional system message, conversation roles must alternate user/assistant/user/assistant/...","type":"server_error"}}`, 400, "message_order"},
		"Bedrock, throttled":                {"chat", 429, `{"message":"Too many tokens, please wait before trying again."}`, 429, "rate_limited"},
	} {
		r := newWires(t, nil)
		r.provider.Answer(withStatus(c.status, c.body))
		for _, more := range []string{"", `,"stream":true`} {
			if p := r.ask(c.wire, more); p.status != c.want || p.reason() != c.reason {
				t.Errorf("%s: got %d %s", name, p.status, p.body)
			}
		}
		if n := len(r.provider.Requests()); n != 2 {
			t.Errorf("%s: two calls were %d", name, n)
		}
		r.want()
	}
}

// noStreamOptions is what Mistral answers to them.
const noStreamOptions = `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],` +
	`"msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error","param":null,"code":null}`

// without answers what has no stream_options.
func without(status int, body string, answer fakeprovider.Answer) fakeprovider.Answer {
	return func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		if q.Body["stream_options"] != nil {
			withStatus(status, body)(p, w, r, q)
			return
		}
		answer(p, w, r, q)
	}
}

// TestServerThatTakesNoStreamOptionsIsAskedWithoutThem: once more, since the refusal cost
// nothing, and at once from then on. A usage that it gives unasked is what is charged.
func TestServerThatTakesNoStreamOptionsIsAskedWithoutThem(t *testing.T) {
	t.Parallel()
	end := `data: {"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]`
	usage := `,"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}`
	for name, c := range map[string]struct {
		status        int
		body          string
		more          string
		input, output int64
	}{
		"Mistral, which tells":   {422, noStreamOptions, usage, 9, 4},
		"one that does not tell": {400, `{"error":{"message":"Unknown parameter: 'stream_options'.","code":"unknown_parameter"}}`, "", inputLimit, 3},
		"by its code":            {400, `{"error":{"message":"Unsupported parameter: 'stream_options'","code":"unsupported_parameter"}}`, usage, 9, 4},
		"FastAPI":                {422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`, usage, 9, 4},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			r.provider.Answer(without(c.status, c.body, stream(end+c.more+"}", "data: [DONE]")))
			for n, asked := range []int{2, 3} {
				p := r.chat(`,"stream":true`)
				if p.status != 200 || streamed(t, p.body) != "hello" || len(r.provider.Requests()) != asked {
					t.Fatalf("call %d: got %d %s after %d requests", n, p.status, p.body, len(r.provider.Requests()))
				}
				calls := r.ledger.charged()
				if len(calls) != n+1 || calls[n].Units[0].Quantity != c.input || calls[n].Units[1].Quantity != c.output {
					t.Errorf("charged %+v", calls)
				}
			}
		})
	}
}

// TestRefusalThatNamesStreamOptionsIsTriedOnceMoreAtMost: a server that goes on refusing
// is asked twice for a call, nothing is remembered of it, and nothing charged; what
// breaks off then is charged once.
func TestRefusalThatNamesStreamOptionsIsTriedOnceMoreAtMost(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.provider.Answer(withStatus(422, noStreamOptions))
	for n := range 2 {
		if p := r.chat(`,"stream":true`); p.status != 400 || p.reason() != "provider_refused" || len(r.provider.Requests()) != 2*n+2 {
			t.Errorf("got %d %s after %d requests", p.status, p.body, len(r.provider.Requests()))
		}
	}
	if sent := r.provider.Requests(); sent[2].Body["stream_options"] == nil || sent[3].Body["stream_options"] != nil {
		t.Errorf("asked %v, then %v", sent[2].Body, sent[3].Body)
	}
	r.want()
	r.provider.Answer(withStatus(422, noStreamOptions), fakeprovider.HangsUp())
	if p := r.chat(`,"stream":true,"max_tokens":70`); p.status != 502 || p.reason() != "provider_broke" {
		t.Errorf("got %d %s", p.status, p.body)
	}
	r.want(chatUnits(inputLimit, 70)...)
}

// TestUsageWithinAChoiceIsWhatIsCharged: Moonshot's streams have it there.
func TestUsageWithinAChoiceIsWhatIsCharged(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.provider.Answer(stream(writes["chat"], `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop",`+
		`"usage":{"prompt_tokens":1336,"completion_tokens":31,"total_tokens":1367,"cached_tokens":1280}}]}`, "data: [DONE]"))
	p := r.chat(`,"stream":true`)
	if p.status != 200 || !strings.Contains(p.body, `}],"usage":{"prompt_tokens":1336,"completion_tokens":31,"total_tokens":1367,"prompt_tokens_details":{"cached_tokens":1280}`) {
		t.Errorf("got %d %s", p.status, p.body)
	}
	r.want(unit("model.writer.input", 56), unit("model.writer.cached", 1280), unit("model.writer.output", 31))
}

// TestKeyIsShownAsABearerTokenWhereTheEndpointWantsIt: as Ollama's cloud does by the
// protocol messages.
func TestKeyIsShownAsABearerTokenWhereTheEndpointWantsIt(t *testing.T) {
	t.Parallel()
	bearer := [2]string{"Bearer " + key, ""}
	for auth, messages := range map[string][2]string{"": {"", key}, "bearer": bearer} {
		r := newWires(t, func(o *egress.Options) { o.Config.Endpoints[0].Auth = auth })
		r.provider.Key = "" // it lets in whoever comes
		r.provider.Answer(turn.Answer())
		for wire := range wires {
			if p := r.ask(wire, ""); p.status != 200 {
				t.Fatalf("%s: got %d %s", wire, p.status, p.body)
			}
			sent := r.provider.Requests()
			h := sent[len(sent)-1].Header
			want := bearer
			if wire == "messages" {
				want = messages
			}
			if got := [2]string{h.Get("Authorization"), h.Get("X-Api-Key")}; got != want || (wire == "messages") != (h.Get("Anthropic-Version") != "") {
				t.Errorf("%q, %s: got %v", auth, wire, h)
			}
		}
	}
}
