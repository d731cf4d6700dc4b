package model

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// desk is a client whose egress socket leads to a provider that answers by
// script. Its pauses pass at once and are noted.
type desk struct {
	*Client
	provider *fakeprovider.Provider
	pauses   []time.Duration
}

func open(t *testing.T, answers ...fakeprovider.Answer) *desk {
	t.Helper()
	d := &desk{provider: fakeprovider.New(t, answers...)}
	socket, token := fakeprovider.Reach(t, d.provider, "")
	d.Client = New(Options{Socket: socket, TokenFile: token, Stall: time.Minute, Sleep: func(ctx context.Context, pause time.Duration) error {
		d.pauses = append(d.pauses, pause)
		return ctx.Err()
	}})
	return d
}

func (d *desk) ask(t *testing.T) (Reply, error) {
	t.Helper()
	return d.Chat(t.Context(), Request{Model: "m", Messages: []Message{TextMessage(RoleUser, "hello")}})
}

const long = "Grüße aus dem Süden – 你好, 世界! \"quoted\" \\ and\nmore"

func TestAnswerIsTheSameHoweverItIsCut(t *testing.T) {
	for every := range 40 {
		d := open(t, fakeprovider.Chat{
			Text: long, Every: every, Usage: &fakeprovider.Usage{PromptTokens: 1},
			Tools: []fakeprovider.ToolCall{{ID: "a", Name: "write", Arguments: `{"path":"ü"}`}, {ID: "b", Name: "read", Arguments: `{}`}},
		}.Answer())
		reply, err := d.ask(t)
		if err != nil {
			t.Fatal(err)
		}
		if reply.Text() != long || len(reply.Calls()) != 2 || reply.Calls()[0].Arguments != `{"path":"ü"}` || reply.Calls()[1].Name != "read" {
			t.Errorf("every %d bytes: %+v", every, reply)
		}
	}
}

func TestCharactersThatComeInPartsAreJoined(t *testing.T) {
	for size := 1; size < 8; size++ {
		d := open(t, fakeprovider.Chat{Text: long, Bytes: size, Every: size + 4, Tools: []fakeprovider.ToolCall{{Name: "write", Arguments: `{"path":"ü好🦊"}`}}}.Answer())
		reply, err := d.ask(t)
		if err != nil {
			t.Fatal(err)
		}
		if reply.Text() != long || len(reply.Calls()) != 1 || reply.Calls()[0].Arguments != `{"path":"ü好🦊"}` {
			t.Errorf("%d bytes each: %+v", size, reply)
		}
	}
	d := open(t, fakeprovider.Chat{Text: "half a fox: \xf0\x9f", Bytes: 5}.Answer())
	if reply, err := d.ask(t); err != nil || reply.Text() != "half a fox: \ufffd" {
		t.Errorf("%q, %v", reply.Text(), err)
	}
}

func TestFaultsOfKnownServersAreUnderstood(t *testing.T) {
	call := fakeprovider.ToolCall{Name: "write", Arguments: `{"a":1}`}
	for name, chat := range map[string]fakeprovider.Chat{
		"calls without ids":   {Tools: []fakeprovider.ToolCall{call, call}},
		"arguments as object": {Tools: []fakeprovider.ToolCall{call, call}, ArgumentsAsObject: true},
		"no end":              {Tools: []fakeprovider.ToolCall{call, call}, NoEnd: true},
		"no usage":            {Tools: []fakeprovider.ToolCall{call, call}, Text: "x"},
		"arguments in pieces": {Tools: []fakeprovider.ToolCall{call, call}, ArgumentsIn: 5},
		"text before calls":   {Tools: []fakeprovider.ToolCall{call, call}, Text: "I write.", ArgumentsIn: 3, Every: 7},
	} {
		d := open(t, chat.Answer())
		reply, err := d.ask(t)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(reply.Calls()) != 2 || reply.Calls()[0].ID == "" || reply.Calls()[0].ID == reply.Calls()[1].ID {
			t.Errorf("%s: %+v", name, reply.Calls())
			continue
		}
		for _, c := range reply.Calls() {
			var arguments map[string]int
			if err := json.Unmarshal([]byte(c.Arguments), &arguments); err != nil || arguments["a"] != 1 || c.Name != "write" {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}

func TestAnswerThatWasCutOffSaysSo(t *testing.T) {
	call := fakeprovider.ToolCall{ID: "a", Name: "write", Arguments: `{"path":"a.js","content":"let`}
	for name, chat := range map[string]fakeprovider.Chat{
		"text": {Text: "half a", Finish: "length"}, "arguments": {Tools: []fakeprovider.ToolCall{call}, Finish: "length"}, "nothing written": {Finish: "length"},
	} {
		d := open(t, chat.Answer())
		if reply, err := d.ask(t); err != nil || !reply.Cut || len(d.provider.Requests()) != 1 {
			t.Errorf("%s: %+v, %v after %d requests", name, reply, err, len(d.provider.Requests()))
		}
	}
}

func TestUsageIsTheServersOrAnEstimate(t *testing.T) {
	d := open(t, fakeprovider.Body("text/event-stream", `data: {"choices":[{"delta":{"content":"four"},"finish_reason":"stop"}],"usage":{"prompt_tokens":90,"completion_tokens":7}}`+"\n\ndata: [DONE]\n\n"))
	if reply, err := d.ask(t); err != nil || reply.Usage != (Usage{Input: 90, Output: 7}) {
		t.Errorf("%+v, %v", reply, err)
	}
	d = open(t, fakeprovider.Chat{Text: "four"}.Answer())
	if reply, err := d.ask(t); err != nil || reply.Usage.Output != 2 || reply.Usage.Input < 30 || !reply.Usage.Estimated {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestAnswerThatWasNotStreamedIsTaken(t *testing.T) {
	d := open(t, fakeprovider.Body("application/json", `{"choices":[{"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}]}`))
	if reply, err := d.ask(t); err != nil || reply.Text() != "whole" {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestWhatMayPassIsTriedAgain(t *testing.T) {
	right := fakeprovider.Says("right")
	for name, wrong := range map[string]fakeprovider.Answer{
		"time-out":   fakeprovider.Status(http.StatusRequestTimeout, ""),
		"conflict":   fakeprovider.Status(http.StatusConflict, ""),
		"rate limit": fakeprovider.RateLimited(7),
		"failure":    fakeprovider.Status(http.StatusInternalServerError, "server_error"),
		"overload":   fakeprovider.Status(529, "overloaded_error"),
	} {
		d := open(t, wrong, wrong, right)
		reply, err := d.ask(t)
		if err != nil || reply.Text() != "right" {
			t.Errorf("%s: %+v, %v", name, reply, err)
		}
		want := []time.Duration{500 * time.Millisecond, time.Second}
		if name == "rate limit" {
			want = []time.Duration{7 * time.Second, 7 * time.Second}
		}
		if !slices.Equal(d.pauses, want) {
			t.Errorf("%s: waited %v, want %v", name, d.pauses, want)
		}
		d = open(t, wrong)
		if _, err := d.ask(t); err == nil || len(d.provider.Requests()) != DefaultAttempts {
			t.Errorf("%s for ever: %v after %d requests", name, err, len(d.provider.Requests()))
		}
	}
}

func TestAnswerThatBeganAndBrokeOffIsNotAskedForAgain(t *testing.T) {
	for name, wrong := range map[string]fakeprovider.Answer{
		"hangs up":        fakeprovider.HangsUp(),
		"truncated":       fakeprovider.Chat{Text: long, Truncate: 150}.Answer(),
		"not JSON":        fakeprovider.Body("text/event-stream", "data: <html>\n\n"),
		"nothing":         fakeprovider.Body("text/event-stream", "data: [DONE]\n\n"),
		"error inside":    fakeprovider.Body("text/event-stream", "data: {\"error\":{\"message\":\"x\"}}\n\n"),
		"empty":           fakeprovider.Body("text/event-stream", ""),
		"call in nowhere": fakeprovider.Body("text/event-stream", `data: {"choices":[{"delta":{"tool_calls":[{"index":9,"function":{"name":"x"}}]}}]}`+"\n\n"),
		"took too long":   fakeprovider.Status(http.StatusGatewayTimeout, "provider_timeout"),
		"broke off":       refuses(http.StatusBadGateway, `{"error":"no","reason":"provider_broke"}`),
	} {
		d := open(t, wrong)
		if _, err := d.ask(t); !errors.Is(err, ErrBroken) || len(d.provider.Requests()) != 1 {
			t.Errorf("%s: %v after %d requests", name, err, len(d.provider.Requests()))
		}
	}
}

func TestWhatWillNotPassIsNotTriedAgain(t *testing.T) {
	for status, want := range map[int]error{
		http.StatusPaymentRequired: ErrExhausted, http.StatusForbidden: ErrRefused, http.StatusBadRequest: ErrRefused, http.StatusUnauthorized: ErrRefused,
	} {
		d := open(t, fakeprovider.Status(status, "model_not_allowed"))
		if _, err := d.ask(t); !errors.Is(err, want) || len(d.provider.Requests()) != 1 {
			t.Errorf("%d: %v after %d requests", status, err, len(d.provider.Requests()))
		}
	}
}

func TestEndlessAnswerIsCutOffAndNotAskedForAgain(t *testing.T) {
	d := open(t, fakeprovider.Endless())
	if _, err := d.ask(t); !errors.Is(err, errTooLong) || len(d.provider.Requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(d.provider.Requests()))
	}
	line := open(t, fakeprovider.Body("text/event-stream", "data: "+strings.Repeat("x", 2*maxLine)))
	if _, err := line.ask(t); !errors.Is(err, errTooLong) {
		t.Errorf("a line without end: %v", err)
	}
}

func TestCancelledRequestEndsAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stalls := fakeprovider.Stalls(true)
	d := open(t, func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		cancel()
		stalls(p, w, r, q)
	})
	if _, err := d.Chat(ctx, Request{Model: "m"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-d.provider.Left()
}

func TestOptionalMembersAreLeftOutWhereTheyAreNotKnown(t *testing.T) {
	full := Request{Model: "m", Schema: json.RawMessage(`{"type":"object"}`), Effort: "high", MaxOutput: 9}
	for refused, want := range []string{
		"max_tokens reasoning_effort response_format", "max_completion_tokens reasoning_effort response_format",
		"max_tokens response_format", "max_tokens", "max_completion_tokens",
	} {
		var answers []fakeprovider.Answer
		for range refused {
			answers = append(answers, unknownMember)
		}
		d := open(t, append(answers, fakeprovider.Says("plain"))...)
		for range 2 {
			if reply, err := d.Chat(t.Context(), full); err != nil || reply.Text() != "plain" {
				t.Fatalf("%+v, %v", reply, err)
			}
		}
		// The form that was taken is the first the next time.
		requests := d.provider.Requests()
		if len(requests) != refused+2 {
			t.Errorf("after %d refusals: %d requests", refused, len(requests))
		}
		for _, q := range requests[refused:] {
			var got []string
			for _, name := range []string{"max_completion_tokens", "max_tokens", "reasoning_effort", "response_format"} {
				if _, has := q.Body[name]; has {
					got = append(got, name)
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("after %d refusals it was asked with %v, want %s", refused, got, want)
			}
		}
	}
	d := open(t, unknownMember)
	if _, err := d.Chat(t.Context(), full); !errors.Is(err, ErrRefused) || len(d.provider.Requests()) != 5 {
		t.Errorf("refused in every form: %v after %d requests", err, len(d.provider.Requests()))
	}
	d = open(t, unknownMember)
	if _, err := d.Chat(t.Context(), Request{Model: "m"}); !errors.Is(err, ErrRefused) || len(d.provider.Requests()) != 1 {
		t.Errorf("without optional members: %v after %d requests", err, len(d.provider.Requests()))
	}
}

func TestChatModelsAreListed(t *testing.T) {
	d := open(t, fakeprovider.Body("application/json", `{"object":"list","data":[{"id":"painter","use":"images"},{"id":"big","use":"chat"},{"id":"small","use":"chat"}]}`))
	names, err := d.Chats(t.Context())
	if err != nil || !slices.Equal(names, []string{"big", "small"}) {
		t.Errorf("%v, %v", names, err)
	}
}

func TestErrorRepeatsNothingThatTheServerSaid(t *testing.T) {
	d := open(t, fakeprovider.Body("application/json", ""), fakeprovider.Says(""))
	d.provider.Answer(func(_ *fakeprovider.Provider, w http.ResponseWriter, _ *http.Request, _ fakeprovider.Request) {
		w.WriteHeader(http.StatusForbidden)
		w.Write([]byte(`{"error":"sk-secret of the operator","reason":"Secret: sk-secret"}`))
	})
	if _, err := d.ask(t); err == nil || strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("got %v", err)
	}
}
