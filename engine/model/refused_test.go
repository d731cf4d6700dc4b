package model

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// TestModelThatDeclinesWithinAnAnswerIsNotAskedAgain: providers answer 200 to what they
// decline, and each wire has its word for it; nor is anybody else asked.
func TestModelThatDeclinesWithinAnAnswerIsNotAskedAgain(t *testing.T) {
	for name, tc := range map[string]struct{ protocol, body string }{
		"chat": {ProtocolChat, `data: {"choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n" +
			`data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}` + "\n\ndata: [DONE]\n\n"},
		"chat, whole": {ProtocolChat, `{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"content_filter"}]}`},
		"responses": {ProtocolResponses, `data: {"type":"response.created","response":{"status":"in_progress"}}` + "\n\n" +
			`data: {"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}` + "\n\n"},
		"responses, whole": {ProtocolResponses, `{"object":"response","status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`},
		"messages": {ProtocolMessages, `data: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{"output_tokens":1}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"},
		"messages, whole": {ProtocolMessages, `{"type":"message","content":[],"stop_reason":"refusal","usage":{"input_tokens":9,"output_tokens":1}}`},
	} {
		kind := "text/event-stream"
		if strings.HasPrefix(tc.body, "{") {
			kind = "application/json"
		}
		d := open(t, fakeprovider.Body(kind, tc.body)).known(Offer{Protocol: tc.protocol})
		r := begin()
		r.Fallback = []string{"other"}
		if _, err := d.Chat(t.Context(), r); KindOf(err) != Declined || len(d.provider.Requests()) != 1 {
			t.Errorf("%s: %v after %d requests", name, err, len(d.provider.Requests()))
		}
	}
}

// TestWordsOfAModelThatDeclinesAreAnAnswer: like any other.
func TestWordsOfAModelThatDeclinesAreAnAnswer(t *testing.T) {
	for protocol, stream := range map[string]string{
		ProtocolChat: `data: {"choices":[{"delta":{"refusal":"Not that."},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
		ProtocolResponses: `data: {"type":"response.refusal.delta","output_index":0,"delta":"Not that."}` + "\n\n" +
			`data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n",
	} {
		if reply, said, _, err := decoded(protocol, strings.NewReader(stream)); err != nil || reply.Text() != "Not that." || said != "Not that." {
			t.Errorf("%s: %+v, said %q, %v", protocol, reply, said, err)
		}
	}
}

// TestFullWindowCutsAnAnswer: a model that has no more room says so within a 200.
func TestFullWindowCutsAnAnswer(t *testing.T) {
	const stream = `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half a"}}` + "\n\n" +
		`data: {"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"},"usage":{"output_tokens":9}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"
	d := open(t, fakeprovider.Body("text/event-stream", stream)).known(Offer{Protocol: ProtocolMessages})
	if reply, err := d.Chat(t.Context(), begin()); err != nil || !reply.Cut || reply.Text() != "half a" {
		t.Errorf("%+v, %v", reply, err)
	}
}

// TestFormThatWasTakenIsKeptWithWhatIsRefusedLater: what a server does not take is not
// sent again, one thing after the other, nor what it never takes back.
func TestFormThatWasTakenIsKeptWithWhatIsRefusedLater(t *testing.T) {
	never := func(words ...string) fakeprovider.Answer {
		return func(p *fakeprovider.Provider, w http.ResponseWriter, q *http.Request, b fakeprovider.Request) {
			for _, word := range words {
				if strings.Contains(string(marshalled(b.Body)), word) {
					refuses(400, `{"error":"no","reason":"provider_refused"}`)(p, w, q, b)
					return
				}
			}
			looks(fakeprovider.DeepSeek)(len(p.Requests())).Answer()(p, w, q, b)
		}
	}
	for name, words := range map[string][]string{
		"no effort": {"reasoning_effort"}, "nothing replayed": {"reasoning_content"}, "neither": {"reasoning_effort", "reasoning_content"},
		"another cap, no effort, nothing replayed": {`"max_tokens"`, "reasoning_effort", "reasoning_content"},
	} {
		d := open(t, never(words...)).known(Offer{Protocol: ProtocolChat})
		r := begin()
		for step := range 6 {
			before := len(d.provider.Requests())
			reply, err := d.Chat(t.Context(), r)
			if err != nil {
				t.Fatalf("%s, step %d: %v", name, step, err)
			}
			if n := len(d.provider.Requests()) - before; step > 1 && n != 1 {
				t.Errorf("%s: step %d took %d requests", name, step, n)
			}
			goOn(&r, reply)
		}
	}
}

// marshalled is what was sent, as JSON.
func marshalled(body map[string]any) []byte {
	raw, err := encode(body)
	if err != nil {
		panic(err) // it was JSON
	}
	return raw
}

// TestErrorWithinAnAnswerSaysWhatItIs: what has no room, is declined or not paid for by
// the operator is no answer that broke off; and of one that began nobody else is asked
// for the rest.
func TestErrorWithinAnAnswerSaysWhatItIs(t *testing.T) {
	events := map[string][2]string{ // what comes first, and how an error looks like
		ProtocolChat: {`data: {"choices":[{"delta":{"content":"half"}}]}` + "\n\n", `data: {"error":{"message":"no","type":"invalid_request_error","code":"CODE"}}` + "\n\n"},
		ProtocolResponses: {`data: {"type":"response.output_text.delta","output_index":0,"delta":"half"}` + "\n\n",
			`data: {"type":"response.failed","response":{"status":"failed","error":{"code":"CODE","message":"no"}}}` + "\n\n"},
		ProtocolMessages: {`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half"}}` + "\n\n",
			`data: {"type":"error","error":{"type":"CODE","message":"no"}}` + "\n\n"},
	}
	for code, want := range map[string]struct {
		first, later Kind // before anything has come, and after
		asked        int  // models, before anything has come
	}{
		"context_length_exceeded": {Overflow, Overflow, 1}, "content_policy_violation": {Declined, Declined, 1}, "insufficient_quota": {Quota, "", 2},
		"overloaded_error": {"", "", 1}, "server_error": {"", "", 1},
	} {
		for protocol, e := range events {
			failed := strings.Replace(e[1], "CODE", code, 1)
			for _, began := range []bool{false, true} {
				kind, asked, body := want.first, want.asked, failed
				if began {
					kind, asked, body = want.later, 1, e[0]+failed
				}
				d := open(t, fakeprovider.Body("text/event-stream", body)).known(Offer{Protocol: protocol})
				r, lost := begin(), 0
				r.Fallback, r.Lost = []string{"other"}, func() bool { lost++; return true }
				_, err := d.Chat(t.Context(), r)
				if KindOf(err) != kind || kind == "" && !errors.Is(err, ErrBroken) || len(d.provider.Requests()) != asked || (lost > 0) != (began || kind == "") {
					t.Errorf("%s over %s, it began: %v: %v after %d requests, %d lost", code, protocol, began, err, len(d.provider.Requests()), lost)
				}
			}
		}
	}
	// An egress has its own word for it, at the top.
	for _, protocol := range []string{ProtocolChat, ProtocolResponses, ProtocolMessages} {
		d := open(t, fakeprovider.Body("text/event-stream", `data: {"type":"error","error":"no","reason":"context_length_exceeded"}`+"\n\n")).known(Offer{Protocol: protocol})
		if _, err := d.Chat(t.Context(), begin()); KindOf(err) != Overflow {
			t.Errorf("%s: %v", protocol, err)
		}
	}
}
