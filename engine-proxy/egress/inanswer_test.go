package egress_test

import (
	"fmt"
	"strings"
	"testing"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// begins is how a stream begins on each wire, before the model has written anything.
var begins = map[string]string{
	"chat":      `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
	"responses": "event: response.created\n" + `data: {"type":"response.created","response":{"id":"r","status":"in_progress","output":[],"usage":null,"error":null}}`,
	"messages": "event: message_start\n" + `data: {"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":0,"output_tokens":0}}}` +
		"\n\nevent: ping\n" + `data: {"type":"ping"}`,
}

// writes is the first that a model writes.
var writes = map[string]string{
	"chat":      `data: {"choices":[{"index":0,"delta":{"content":"I look"},"finish_reason":null}]}`,
	"responses": "event: response.output_text.delta\n" + `data: {"type":"response.output_text.delta","output_index":0,"delta":"I look"}`,
	"messages":  "event: content_block_start\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"I look"}}`,
}

// says is how servers say in the middle of a stream that they can't go on; %s is the
// error.
var says = map[string][]string{
	"chat":      {`data: {"error":%s}`},
	"responses": {`data: {"type":"response.failed","response":{"id":"r","status":"failed","output":[],"usage":null,"error":%s}}`, `data: {"type":"error","error":%s,"sequence_number":2}`},
	"messages":  {`data: {"type":"error","error":%s}`},
}

// stream is a stream of events.
func stream(events ...string) fakeprovider.Answer {
	return fakeprovider.Body("text/event-stream", strings.Join(events, "\n\n")+"\n\n")
}

// TestErrorWithinAStreamKeepsItsReason: by what a model has not begun to write it is the
// refusal that it is elsewhere, and costs nothing. Later the last event has the reason;
// the call is charged at its limit, and nothing asks for the same again.
func TestErrorWithinAStreamKeepsItsReason(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]struct {
		status       int
		reason, late string
	}{
		`{"code":"context_length_exceeded","message":"Your input exceeds it."}`:                    {400, "context_length_exceeded", "context_length_exceeded"},
		`{"code":500,"type":"server_error","message":"Context size has been exceeded."}`:           {400, "context_length_exceeded", "context_length_exceeded"},
		`{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}`:    {400, "context_length_exceeded", "context_length_exceeded"},
		`{"code":"content_filter","message":"The response was filtered"}`:                          {400, "content_filter", "content_filter"},
		`{"code":"rate_limit_exceeded","message":"Requests have exceeded the limit"}`:              {429, "rate_limited", "provider_broke"},
		`{"code":429,"message":"Provider returned error"}`:                                         {429, "rate_limited", "provider_broke"},
		`{"type":"overloaded_error","message":"Overloaded"}`:                                       {429, "overloaded", "provider_broke"},
		`{"code":"insufficient_quota","message":"You exceeded your quota"}`:                        {502, "provider_quota", "provider_quota"},
		`{"code":402,"message":"Insufficient credits"}`:                                            {502, "provider_quota", "provider_quota"},
		`{"type":"authentication_error","message":"invalid x-api-key"}`:                            {502, "provider_auth", "provider_auth"},
		`{"code":"model_not_found","message":"There is none"}`:                                     {502, "provider_no_model", "provider_no_model"},
		`{"type":"invalid_request_error","message":"no"}`:                                          {400, "provider_refused", "provider_refused"},
		`{"code":"server_error","message":"The server had an error at http://10.0.0.1 with sk-x"}`: {502, "provider_failed", "provider_broke"},
		`"it broke"`: {502, "provider_failed", "provider_broke"},
	} {
		for wire := range wires {
			for _, form := range says[wire] {
				r := newWires(t, nil)
				event := fmt.Sprintf(form, said)
				r.provider.Answer(stream(begins[wire], event))
				p := r.ask(wire, `,"stream":true`)
				if p.status != want.status || p.reason() != want.reason || (p.status == 429) != (p.header.Get("Retry-After") == "1") {
					t.Errorf("%s, %s, before it writes: %d %s", wire, event, p.status, p.body)
				}
				r.want()

				r = newWires(t, nil)
				r.provider.Answer(stream(begins[wire], writes[wire], event))
				p = r.ask(wire, `,"stream":true`)
				events := strings.Split(strings.TrimSpace(p.body), "\n\n")
				last := reply{body: strings.TrimPrefix(strings.TrimPrefix(events[len(events)-1], "event: error\n"), "data: ")}
				if p.status != 200 || !strings.Contains(p.body, "I look") || last.reason() != want.late || strings.Contains(p.body, "10.0.0.1") {
					t.Errorf("%s, %s, after it wrote: %d %s", wire, event, p.status, p.body)
				}
				if calls := r.ledger.charged(); len(calls) != 1 || calls[0].Units[1].Quantity != 1000 {
					t.Errorf("%s, %s: charged %+v", wire, event, calls)
				}
			}
		}
	}
}

// TestWholeAnswerThatIsAnErrorKeepsItsReason: also where a stream was asked for.
func TestWholeAnswerThatIsAnErrorKeepsItsReason(t *testing.T) {
	t.Parallel()
	for wire, body := range map[string]string{
		"chat":      `{"error":{"code":"context_length_exceeded","message":"It is too long."}}`,
		"responses": `{"object":"response","status":"failed","output":[],"error":{"code":"context_length_exceeded","message":"It is too long."}}`,
		"messages":  `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}`,
	} {
		for _, more := range []string{"", `,"stream":true`} {
			r := newWires(t, nil)
			r.provider.Answer(fakeprovider.Body("application/json", body))
			if p := r.ask(wire, more); p.status != 400 || p.reason() != "context_length_exceeded" {
				t.Errorf("%s%s: %d %s", wire, more, p.status, p.body)
			}
			r.want()
		}
	}
}

// TestErrorWithAUsageIsChargedByItAndNotToBeAskedForAgain: a provider that counted
// tokens before it gave up is paid for them.
func TestErrorWithAUsageIsChargedByItAndNotToBeAskedForAgain(t *testing.T) {
	t.Parallel()
	r := newWires(t, nil)
	r.provider.Answer(stream(begins["responses"], `data: {"type":"response.failed","response":{"id":"r","status":"failed","output":[],`+
		`"usage":{"input_tokens":12,"output_tokens":3,"total_tokens":15},"error":{"code":"rate_limit_exceeded","message":"no"}}}`))
	if p := r.ask("responses", `,"stream":true`); p.status != 502 || p.reason() != "provider_broke" {
		t.Errorf("got %d %s", p.status, p.body)
	}
	r.want(wireUnits("responses", 12, 0, 0, 3)...)
}

// TestBeginningOfAStreamIsHeldBackWithinABound: a server that begins for ever is not kept
// in memory.
func TestBeginningOfAStreamIsHeldBackWithinABound(t *testing.T) {
	t.Parallel()
	r := newWires(t, nil)
	var long []string
	for range 2000 {
		long = append(long, begins["chat"])
	}
	r.provider.Answer(stream(append(long, `data: {"error":{"code":"context_length_exceeded","message":"no"}}`)...))
	p := r.ask("chat", `,"stream":true`)
	if p.status != 200 || strings.Count(p.body, "data: ") != 2001 || !strings.Contains(p.body, "context_length_exceeded") {
		t.Errorf("got %d, %d events", p.status, strings.Count(p.body, "data: "))
	}
	r.want()
}
