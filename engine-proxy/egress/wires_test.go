package egress_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/egress"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// wires are the three ways to ask a model, and how a request looks there.
var wires = map[string]struct {
	path, model, body string
	protocol          egress.Protocol
	ends              string // what a stream ends with
}{
	"chat": {"/chat/completions", "writer", `"messages":[{"role":"user","content":"` + secret + `"}]`, egress.ProtocolChat, "data: [DONE]\n\n"},
	"responses": {
		"/responses", "thinker", `"input":[{"role":"user","content":[{"type":"input_text","text":"` + secret + `"}]}]`, egress.ProtocolResponses, "",
	},
	"messages": {
		"/messages", "author", `"messages":[{"role":"user","content":"` + secret + `"}]`, egress.ProtocolMessages,
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
	},
}

// newWires is newRig with a model for each wire.
func newWires(t *testing.T, change func(*egress.Options)) *rig {
	t.Helper()
	return newRig(t, func(o *egress.Options) {
		o.Config.Endpoints[0].Models = []egress.Model{
			{Name: "thinker", Abilities: egress.Abilities{Protocol: egress.ProtocolResponses}},
			{Name: "author", Abilities: egress.Abilities{Protocol: egress.ProtocolMessages}},
		}
		if change != nil {
			change(o)
		}
	})
}

func (r *rig) ask(wire, more string) reply {
	r.t.Helper()
	w := wires[wire]
	return r.post("/v1"+w.path, `{"model":"`+w.model+`",`+w.body+more+`}`)
}

func wireUnits(wire string, input, cached, written, output int64) (units []contract.Unit) {
	for _, u := range []contract.Unit{unit(".input", input), unit(".cached", cached), unit(".cache_write", written), unit(".output", output)} {
		if u.Quantity > 0 || u.Name == ".input" || u.Name == ".output" {
			units = append(units, unit("model."+wires[wire].model+u.Name, u.Quantity))
		}
	}
	return units
}

var turn = fakeprovider.Turn{
	Reasoning: "hm", Text: "the quick brown fox – schnell",
	Tools: []fakeprovider.ToolCall{{ID: "a", Name: "look", Arguments: `{"at":"<b>"}`}, {ID: "b", Name: "look", Arguments: `{}`}},
	Took:  &fakeprovider.Took{Input: 5, Cached: 40, Written: 7, Output: 9},
}

func TestEachWireIsPassedOnAndChargedToTheToken(t *testing.T) {
	t.Parallel()
	for wire, w := range wires {
		for _, every := range []int{0, 1, 7} {
			for _, more := range []string{"", `,"stream":true`} {
				r := newWires(t, nil)
				answer := turn
				answer.Every = every
				r.provider.Answer(fakeprovider.Strict(fakeprovider.Rules{}, answer.Answer()))
				p := r.ask(wire, more)
				if p.status != 200 || !strings.Contains(p.body, "quic") || strings.Contains(p.body, "service_tier") || !strings.HasSuffix(p.body, w.ends) && more != "" {
					t.Fatalf("%s%s every %d: got %d %s", wire, more, every, p.status, p.body)
				}
				sent := r.provider.Requests()[0]
				if sent.Path != "/v1"+w.path || sent.Body["store"] != nil && sent.Body["store"] != false {
					t.Errorf("%s: the provider got %s %v", wire, sent.Path, sent.Body)
				}
				for name := range sent.Header {
					if !slices.Contains([]string{"Authorization", "X-Api-Key", "Anthropic-Version", "Content-Type", "Content-Length", "User-Agent"}, name) {
						t.Errorf("%s: the provider got the header %s", wire, name)
					}
				}
				r.want(wireUnits(wire, 5, 40, 7, 9)...)
			}
		}
	}
}

func TestModelIsAskedByItsProtocolAlone(t *testing.T) {
	t.Parallel()
	r := newWires(t, nil)
	for wire := range wires {
		for other := range wires {
			w := wires[other]
			p := r.post("/v1"+w.path, `{"model":"`+wires[wire].model+`",`+w.body+`}`)
			if wire == other && p.status != 200 && p.status != 502 || wire != other && (p.status != 400 || p.reason() != "wrong_protocol") {
				t.Errorf("%s at %s: got %d %s", wire, w.path, p.status, p.body)
			}
		}
	}
}

func TestWhatAWireDoesNotPassOnIsRefusedByName(t *testing.T) {
	t.Parallel()
	r := newWires(t, nil)
	for wire, cases := range map[string]map[string]string{
		"chat": {
			`,"tools":[{"type":"mcp"}]`: `"mcp"`, `,"store":true`: `"store"`, `,"messages":[{"role":"user","content":[{"type":"file","file":{}}]}]`: `"file"`,
			`,"messages":[{"role":"assistant","content":"","reasoning_details":{}}]`: `"reasoning_details"`,
		},
		"responses": {
			`,"store":true`: "store", `,"previous_response_id":"x"`: "previous_response_id", `,"conversation":"x"`: "conversation", `,"background":true`: "background",
			`,"tools":[{"type":"web_search","name":"x","parameters":{}}]`: "web_search", `,"tools":[{"type":"mcp","server_url":"http://x"}]`: "server_url",
			`,"include":["file_search_call.results"]`: "include", `,"input":[{"type":"item_reference"}]`: "item_reference",
			`,"input":[{"type":"reasoning","id":"rs_1","summary":[]}]`: `\"id\"`, `,"tool_choice":{"type":"mcp","name":"x"}`: "mcp",
			`,"input":[{"role":"user","content":[{"type":"input_image","image_url":"http://169.254.169.254/"}]}]`: "data: URL",
			`,"input":[{"role":"user","content":[{"type":"input_file","file_id":"x"}]}]`:                          "file_id",
		},
		"messages": {
			`,"mcp_servers":[]`: "mcp_servers", `,"container":"x"`: "container", `,"tools":[{"type":"web_search_20250305","name":"x","input_schema":{}}]`: "web_search_20250305",
			`,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","media_type":"","data":""}}]}]`:                  "base64",
			`,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"http://x"}}]}]`:                           "url",
			`,"messages":[{"role":"user","content":[{"type":"document"}]}]`:                                                                 "document",
			`,"messages":[{"role":"assistant","content":[{"type":"server_tool_use"}]}]`:                                                     "server_tool_use",
			`,"cache_control":{"type":"ephemeral","ttl":"1h"}`:                                                                              "5m",
			`,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/svg+xml","data":"x"}}]}]`: "image/png",
			`,"max_tokens":0`: "at least 1",
		},
	} {
		for more, names := range cases {
			if p := r.ask(wire, more); p.status != 400 || p.reason() != "invalid_request" || !strings.Contains(p.body, strings.Trim(names, `"`)) {
				t.Errorf("%s%s: got %d %s", wire, more, p.status, p.body)
			}
		}
	}
	if n := len(r.provider.Requests()); n != 0 {
		t.Errorf("%d requests reached the provider", n)
	}
}

func TestWhatAModelThoughtComesBackToItAsItWas(t *testing.T) {
	t.Parallel()
	const call = `"function":{"name":"look","arguments":"{}"}`
	for name, c := range map[string]struct {
		wire, body string
		rules      fakeprovider.Rules
	}{
		"DeepSeek": {"chat", `,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[{"id":"a","type":"function",` + call +
			`}]},{"role":"tool","tool_call_id":"a","content":"x"}]`, fakeprovider.Rules{Manner: fakeprovider.DeepSeek, Reasoning: true}},
		"a router": {"chat", `,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"","reasoning_details":[{"type":"reasoning.text","signature":"s"}],"tool_calls":[{"id":"a","type":"function",` + call +
			`}]},{"role":"tool","tool_call_id":"a","content":"x"}]`, fakeprovider.Rules{Manner: fakeprovider.OpenAI, Reasoning: true}},
		"Gemini": {"chat", `,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function",` + call +
			`,"extra_content":{"google":{"thought_signature":"` + fakeprovider.Sign("look{}") + `"}}}]},{"role":"tool","tool_call_id":"a","content":"x"}]`,
			fakeprovider.Rules{Manner: fakeprovider.Gemini, Reasoning: true}},
		"Claude": {"messages", `,"max_tokens":900,"thinking":{"type":"adaptive"},"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"a < b & \u2028","signature":"` +
			fakeprovider.Sign("a < b & \u2028") + `"},{"type":"tool_use","id":"a","name":"look","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x"}]}]}]`,
			fakeprovider.Rules{}},
		"Responses": {"responses", `,"input":[{"role":"user","content":"x"},{"type":"reasoning","summary":[],"encrypted_content":"aG0=.` + fakeprovider.Sign("hm") +
			`"},{"type":"function_call","call_id":"a","name":"look","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"x"}]`, fakeprovider.Rules{Reasoning: true}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newWires(t, nil)
			r.provider.Answer(fakeprovider.Strict(c.rules, turn.Answer()))
			if p := r.ask(c.wire, c.body); p.status != 200 {
				t.Errorf("got %d %s", p.status, p.body)
			}
		})
	}
}

func TestCapIsTheModelsOwn(t *testing.T) {
	t.Parallel()
	r := newWires(t, func(o *egress.Options) { o.Config.Endpoints[0].Models[1].MaxOutput = 32000 })
	for wire, want := range map[string]map[string]float64{
		"messages":  {"": 32000, `,"max_tokens":20000`: 20000, `,"max_tokens":64000`: 32000},
		"responses": {"": 1000, `,"max_output_tokens":20000`: 1000, `,"max_output_tokens":20`: 20},
	} {
		for more, most := range want {
			r.ask(wire, more)
			sent := r.provider.Requests()
			body := sent[len(sent)-1].Body
			if got, _ := body[map[string]string{"messages": "max_tokens", "responses": "max_output_tokens"}[wire]].(float64); got != most {
				t.Errorf("%s%s: %v, want %v", wire, more, got, most)
			}
		}
	}
}

// TestServerThatStreamsNothingIsPassedOnWhole: also where a stream was asked for, and at
// what it says that it took.
func TestServerThatStreamsNothingIsPassedOnWhole(t *testing.T) {
	t.Parallel()
	for wire := range wires {
		t.Run(wire, func(t *testing.T) {
			r := newWires(t, nil)
			answer := turn.Answer()
			r.provider.Answer(func(p *fakeprovider.Provider, w http.ResponseWriter, req *http.Request, q fakeprovider.Request) {
				delete(q.Body, "stream")
				answer(p, w, req, q)
			})
			streamed, whole := r.ask(wire, `,"stream":true`), r.ask(wire, "")
			if streamed.status != 200 || streamed.body != whole.body || streamed.header.Get("Content-Type") != "application/json" {
				t.Errorf("got %d %s, want %s", streamed.status, streamed.body, whole.body)
			}
			calls := r.ledger.charged()
			if len(calls) != 2 || !slices.Equal(calls[0].Units, calls[1].Units) {
				t.Errorf("charged %+v", calls)
			}
		})
	}
}
