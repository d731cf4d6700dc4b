package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// pixel is a picture, as far as a server looks.
var pixel = Image{Type: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}

// known tells a desk what can be asked of the model m.
func (d *desk) known(o Offer) *desk {
	o.Name, o.Use = "m", UseChat
	d.offers.set([]Offer{o, {Name: "other", Use: UseChat, Protocol: o.Protocol, Vision: o.Vision}})
	return d
}

var lookTool = Tool{Name: "look", Description: "Looks.", Parameters: json.RawMessage(`{"type":"object","properties":{"at":{"type":"string"}}}`)}

// begin is a conversation's first request.
func begin() Request {
	return Request{
		Model: "m", System: "You look. " + strings.Repeat("Rules. ", 400), Tools: []Tool{lookTool}, Effort: "medium", MaxOutput: 16000, Cache: true,
		Messages: []Message{TextMessage(RoleUser, "Look around.")},
	}
}

// goOn adds an answer, the results of its calls, each with what a test shows, and
// a word of the engine's.
func goOn(r *Request, reply Reply, shows ...Image) {
	r.Messages = append(r.Messages, reply.Message())
	for _, c := range reply.Calls() {
		r.Messages = append(r.Messages, Message{Role: RoleTool, Parts: []Part{{Result: &Result{ID: c.ID, Text: "seen <" + c.Arguments + ">", Images: shows}}}})
	}
}

// looks is the n-th answer of a model that thinks, and calls two tools at once.
func looks(m fakeprovider.Manner) func(n int) fakeprovider.Turn {
	return func(n int) fakeprovider.Turn {
		return fakeprovider.Turn{
			Manner: m, Reasoning: fmt.Sprintf("hm – 好 <%d>", n), Text: "I look.", Took: &fakeprovider.Took{Input: 10, Output: 5},
			Tools: []fakeprovider.ToolCall{
				{ID: fmt.Sprintf("a%d", n), Name: "look", Arguments: fmt.Sprintf(`{"at":"left of %d"}`, n)}, {ID: fmt.Sprintf("b%d", n), Name: "look", Arguments: `{}`},
			},
		}
	}
}

// inTurn answers with the n-th turn to the n-th request.
func inTurn(turn func(n int) fakeprovider.Turn) fakeprovider.Answer {
	var answers []fakeprovider.Answer
	for n := range 60 {
		answers = append(answers, turn(n).Answer())
	}
	return fakeprovider.InTurn(answers...)
}

var servers = map[string]struct {
	rules fakeprovider.Rules
	offer Offer
}{
	"chat":                {fakeprovider.Rules{}, Offer{Protocol: ProtocolChat, Vision: true}},
	"DeepSeek":            {fakeprovider.Rules{Manner: fakeprovider.DeepSeek, Reasoning: true}, Offer{Protocol: ProtocolChat, Vision: true}},
	"Gemini":              {fakeprovider.Rules{Manner: fakeprovider.Gemini, Reasoning: true}, Offer{Protocol: ProtocolChat, Vision: true}},
	"vLLM":                {fakeprovider.Rules{Manner: fakeprovider.VLLM}, Offer{Protocol: ProtocolChat, Vision: true}},
	"vLLM, responses":     {fakeprovider.Rules{Manner: fakeprovider.VLLM}, Offer{Protocol: ProtocolResponses, Vision: true}},
	"a router with marks": {fakeprovider.Rules{}, Offer{Protocol: ProtocolChat, Vision: true, Cache: CacheMarks}},
	"responses":           {fakeprovider.Rules{Reasoning: true}, Offer{Protocol: ProtocolResponses, Vision: true, Reasoning: ReasoningEffort}},
	"budget":              {fakeprovider.Rules{Manner: fakeprovider.Anthropic, Reasoning: true}, Offer{Protocol: ProtocolMessages, Vision: true, Reasoning: ReasoningBudget, Cache: CacheMarks}},
	"adaptive":            {fakeprovider.Rules{Manner: fakeprovider.Anthropic, Reasoning: true}, Offer{Protocol: ProtocolMessages, Vision: true, Reasoning: ReasoningAdaptive, Cache: CacheMarks}},
	"no pictures":         {fakeprovider.Rules{NoVision: true}, Offer{Protocol: ProtocolMessages}},
}

func TestStrictServersTakeALongConversationOfEachWire(t *testing.T) {
	for name, s := range servers {
		t.Run(name, func(t *testing.T) {
			d := open(t, fakeprovider.Strict(s.rules, inTurn(looks(s.rules.Manner)))).known(s.offer)
			r := begin()
			steps := 12
			if slices.Contains([]string{"chat", "responses", "budget"}, name) {
				steps = 40
			}
			for n := range steps {
				reply, err := d.Chat(t.Context(), r)
				if err != nil {
					t.Fatalf("step %d: %v", n, err)
				}
				calls := reply.Calls()
				if len(calls) != 2 || calls[0].ID != fmt.Sprintf("a%d", n) || calls[1].ID != fmt.Sprintf("b%d", n) || reply.Text() != "I look." || reply.Cut {
					t.Fatalf("step %d: %+v", n, reply)
				}
				if n%3 == 0 {
					goOn(&r, reply, pixel)
				} else {
					goOn(&r, reply)
				}
				if n%7 == 0 {
					r.Messages = append(r.Messages, TextMessage(RoleUser, "Go on."))
				}
			}
			if n := len(d.provider.Requests()); n != steps {
				t.Errorf("%d steps took %d requests", steps, n)
			}
		})
	}
}

func TestReasoningOfAnotherModelIsDroppedWithoutARefusalInTheEnd(t *testing.T) {
	for name, s := range servers {
		t.Run(name, func(t *testing.T) {
			// A call without an id may come without its reasoning on this wire.
			s.rules.Reasoning = s.rules.Reasoning && s.offer.Protocol != ProtocolResponses
			d := open(t, fakeprovider.Strict(s.rules, inTurn(looks(s.rules.Manner)))).known(s.offer)
			other := open(t, inTurn(looks(fakeprovider.OpenAI))).known(Offer{Protocol: ProtocolChat})
			r := begin()
			r.Model = "other"
			reply, err := other.Chat(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			goOn(&r, reply)
			r.Model = "m"
			if s.rules.Manner == fakeprovider.Gemini {
				r.Messages = append(r.Messages, TextMessage(RoleUser, "Go on.")) // it looks at the newest turn alone
			}
			if _, err := d.Chat(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			requests := d.provider.Requests()
			sent, err := json.Marshal(requests[len(requests)-1].Body)
			if err != nil || strings.Contains(string(sent), "hm –") {
				t.Errorf("it was sent %s, %v", sent, err)
			}
		})
	}
}

func TestNothingIsReplayedToAnEgressThatMayNotKnowIt(t *testing.T) {
	d := open(t, inTurn(looks(fakeprovider.DeepSeek)))
	r := begin()
	for range 3 {
		reply, err := d.Chat(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		goOn(&r, reply, pixel)
	}
	for _, q := range d.provider.Requests() {
		known := []string{"model", "messages", "tools", "reasoning_effort", "max_tokens", "stream", "stream_options"}
		for name := range q.Body {
			if !slices.Contains(known, name) {
				t.Errorf("it was sent %s", name)
			}
		}
		for _, m := range q.Body["messages"].([]any) {
			for name, value := range m.(map[string]any) {
				if _, isText := value.(string); !slices.Contains([]string{"role", "content", "tool_calls", "tool_call_id"}, name) || name == "content" && !isText {
					t.Errorf("it was sent %s %v", name, value)
				}
			}
		}
	}
}

func TestErrorsOfServersAreClassified(t *testing.T) {
	long := begin()
	long.Messages[0] = TextMessage(RoleUser, strings.Repeat("x", 9000))
	for name, tc := range map[string]struct {
		answer fakeprovider.Answer
		want   Kind
		holds  int
	}{
		"llama.cpp overflow":  {fakeprovider.Strict(fakeprovider.Rules{Manner: fakeprovider.LlamaCpp, Context: 512}, fakeprovider.Says("x")), Overflow, 512},
		"vLLM overflow":       {fakeprovider.Strict(fakeprovider.Rules{Manner: fakeprovider.VLLM, Context: 512}, fakeprovider.Says("x")), Overflow, 0},
		"OpenAI overflow":     {fakeprovider.Strict(fakeprovider.Rules{Context: 512}, fakeprovider.Says("x")), Overflow, 0},
		"Anthropic overflow":  {fakeprovider.Strict(fakeprovider.Rules{Manner: fakeprovider.Anthropic, Context: 512}, fakeprovider.Says("x")), Overflow, 0},
		"llama.cpp tools":     {fakeprovider.Strict(fakeprovider.Rules{Manner: fakeprovider.LlamaCpp, NoTools: true}, fakeprovider.Says("x")), ToolsOff, 0},
		"vLLM tools":          {fakeprovider.Strict(fakeprovider.Rules{Manner: fakeprovider.VLLM, NoTools: true}, fakeprovider.Says("x")), ToolsOff, 0},
		"Ollama tools":        {fakeprovider.Strict(fakeprovider.Rules{Manner: fakeprovider.Ollama, NoTools: true}, fakeprovider.Says("x")), ToolsOff, 0},
		"vLLM, flat":          {refuses(400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice","type":"BadRequestError","param":null,"code":400}`), ToolsOff, 0},
		"a numeric code":      {refuses(400, `{"error":{"code":400,"message":"no","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`), Overflow, 4096},
		"unknown model":       {refuses(404, `{"type":"error","error":{"type":"not_found_error","message":"model: m"}}`), NoModel, 0},
		"key":                 {refuses(401, `{"error":{"code":"invalid_api_key"}}`), Auth, 0},
		"quota":               {refuses(429, `{"error":{"code":"insufficient_quota"}}`), Quota, 0},
		"overloaded":          {refuses(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), Overloaded, 0},
		"declined":            {refuses(400, `{"error":"no","reason":"content_policy_violation"}`), Declined, 0},
		"egress: tools":       {refuses(400, `{"error":"no","reason":"tools_unsupported"}`), ToolsOff, 0},
		"egress: slow":        {refuses(504, `{"error":"no","reason":"provider_timeout"}`), Paid, 0},
		"egress: broke":       {refuses(502, `{"error":"no","reason":"provider_broke"}`), Paid, 0},
		"egress: balance":     {refuses(402, `{"error":"no","reason":"tik_exhausted"}`), Exhausted, 0},
		"egress: order":       {refuses(400, `{"error":"no","reason":"message_order"}`), Form, 0},
		"llama.cpp turns":     {refuses(500, `{"error":{"code":500,"message":"Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...","type":"server_error"}}`), Form, 0},
		"a page of something": {refuses(400, `<html>`), Other, 0},
	} {
		d := open(t, tc.answer)
		r := long
		r.Effort, r.MaxOutput = "", 0
		_, err := d.Chat(t.Context(), r)
		var refused *Refusal
		if KindOf(err) != tc.want || !errors.As(err, &refused) || refused.Context != tc.holds {
			t.Errorf("%s: %v, %q", name, err, KindOf(err))
		}
		if again := len(d.provider.Requests()) > 1; again != (tc.want == Overloaded) {
			t.Errorf("%s: asked %d times", name, len(d.provider.Requests()))
		}
	}
}

func refuses(status int, body string) fakeprovider.Answer {
	return func(_ *fakeprovider.Provider, w http.ResponseWriter, _ *http.Request, _ fakeprovider.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestModelThatHoldsTooLittleIsNotAskedAndWhoeverRunsItIsHelped(t *testing.T) {
	d := open(t, fakeprovider.Says("x")).known(Offer{Context: 4096})
	_, err := d.Chat(t.Context(), begin())
	if KindOf(err) != Small || !strings.Contains(Hint(err), "OLLAMA_CONTEXT_LENGTH") || len(d.provider.Requests()) != 0 {
		t.Errorf("%v, %q", err, Hint(err))
	}
	r := begin()
	r.Tools = nil
	if _, err := d.Chat(t.Context(), r); err != nil {
		t.Errorf("without tools: %v", err)
	}
}

func TestPartsThatTheProviderDoesNotKnowAgainAreLeftOut(t *testing.T) {
	d := open(t, looks("")(0).Answer(), refuses(400, `{"reason":"invalid_encrypted_content"}`)).known(Offer{Protocol: ProtocolResponses, Reasoning: ReasoningEffort})
	r := begin()
	reply, err := d.Chat(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	goOn(&r, reply)
	d.provider.Answer(func(p *fakeprovider.Provider, w http.ResponseWriter, q *http.Request, b fakeprovider.Request) {
		if strings.Contains(fmt.Sprint(b.Body["input"]), "encrypted_content") {
			refuses(400, `{"reason":"invalid_encrypted_content"}`)(p, w, q, b)
			return
		}
		fakeprovider.Turn{Text: "well"}.Answer()(p, w, q, b)
	})
	if reply, err = d.Chat(t.Context(), r); err != nil || reply.Text() != "well" {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestNextModelIsAskedOnlyWhileNothingHasArrived(t *testing.T) {
	refused := func(status int, body string) fakeprovider.Answer { return refuses(status, body) }
	for name, tc := range map[string]struct {
		first fakeprovider.Answer
		falls bool
	}{
		"down":       {refused(503, ``), true},
		"unknown":    {refused(404, ``), true},
		"tools off":  {refused(400, `{"reason":"tools_unsupported"}`), true},
		"slow":       {refused(504, `{"reason":"provider_timeout"}`), true},
		"broke":      {refused(502, `{"reason":"provider_broke"}`), true},
		"balance":    {refused(402, ``), false},
		"overflow":   {refused(400, `{"reason":"context_length_exceeded"}`), false},
		"declined":   {refused(400, `{"reason":"moderation_blocked"}`), false},
		"broken off": {fakeprovider.Chat{Text: long, Truncate: 200}.Answer(), false},
		"too long":   {fakeprovider.Body("text/event-stream", "data: "+strings.Repeat("x", 2*maxLine)), false},
	} {
		d := open(t, byModel(map[string]fakeprovider.Answer{"m": tc.first, "other": fakeprovider.Says("mine")})).known(Offer{})
		r := begin()
		r.Fallback = []string{"other"}
		reply, err := d.Chat(t.Context(), r)
		if (err == nil) != tc.falls || tc.falls && (reply.Text() != "mine" || reply.Model != "other") {
			t.Errorf("%s: %+v, %v", name, reply, err)
		}
	}
}

// TestNextModelIsAskedOnlyIfItCanBePaidFor: where the first one is paid for nothing, who
// pays says whether there is another.
func TestNextModelIsAskedOnlyIfItCanBePaidFor(t *testing.T) {
	for name, tc := range map[string]struct {
		first fakeprovider.Answer
		lost  int
		falls bool
	}{
		"down":       {refuses(503, ``), 0, true},
		"broke":      {refuses(502, `{"reason":"provider_broke"}`), 1, true},
		"slow":       {refuses(504, `{"reason":"provider_timeout"}`), 1, true},
		"broken off": {fakeprovider.Chat{Text: long, Truncate: 200}.Answer(), 1, false},
		"too long":   {fakeprovider.Body("text/event-stream", "data: "+strings.Repeat("x", 2*maxLine)), 1, false},
	} {
		for _, more := range []bool{true, false} {
			d := open(t, byModel(map[string]fakeprovider.Answer{"m": tc.first, "other": fakeprovider.Says("mine")})).known(Offer{})
			r := begin()
			lost := 0
			r.Fallback, r.Lost = []string{"other"}, func() bool { lost++; return more }
			_, err := d.Chat(t.Context(), r)
			if falls := tc.falls && (more || tc.lost == 0); (err == nil) != falls || lost != tc.lost {
				t.Errorf("%s, and there is more: %v: %v after %d lost", name, more, err, lost)
			}
		}
	}
}

// TestOperatorsFallbackIsAskedWhereNoneIsNamed: a request that names none leaves it to
// the list of models.
func TestOperatorsFallbackIsAskedWhereNoneIsNamed(t *testing.T) {
	down := func(_ *fakeprovider.Provider, w http.ResponseWriter, _ *http.Request, _ fakeprovider.Request) {
		w.WriteHeader(http.StatusNotFound)
	}
	d := open(t, byModel(map[string]fakeprovider.Answer{"m": down, "other": fakeprovider.Says("mine")})).known(Offer{Fallback: []string{"other"}})
	if reply, err := d.Chat(t.Context(), begin()); err != nil || reply.Text() != "mine" || reply.Model != "other" {
		t.Errorf("%+v, %v", reply, err)
	}
}

// byModel answers by the model that is asked.
func byModel(answers map[string]fakeprovider.Answer) fakeprovider.Answer {
	return func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		answers[q.Body["model"].(string)](p, w, r, q)
	}
}
