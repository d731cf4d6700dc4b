package egress_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/egress"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

func TestProviderFaultsAreReportedAndChargedForWhatTheyMayHaveCost(t *testing.T) {
	t.Parallel()
	limit := chatUnits(inputLimit, 1000)
	for name, c := range map[string]struct {
		answer  fakeprovider.Answer
		stream  bool
		timeout time.Duration // 0: longer than the test
		status  int
		reason  string
		cost    []contract.Unit // nil: nothing was made
	}{
		"429":                      {answer: fakeprovider.RateLimited(7), status: 429, reason: "rate_limited"},
		"500":                      {answer: fakeprovider.Status(500, "server_error"), status: 502, reason: "provider_failed"},
		"401":                      {answer: fakeprovider.Status(401, "invalid_api_key"), status: 502, reason: "provider_auth"},
		"404":                      {answer: fakeprovider.Status(404, "model_not_found"), status: 502, reason: "provider_no_model"},
		"400":                      {answer: fakeprovider.Status(400, "whatever"), status: 400, reason: "provider_refused"},
		"400 with a known cause":   {answer: fakeprovider.Status(400, "context_length_exceeded"), status: 400, reason: "context_length_exceeded"},
		"redirect":                 {answer: fakeprovider.Redirects("http://127.0.0.1:1/"), status: 502, reason: "provider_failed"},
		"HTML":                     {answer: fakeprovider.Body("text/html", "<p>hello"), status: 502, reason: "provider_failed"},
		"an error within a 200":    {answer: fakeprovider.Body("application/json", `{"error":{"message":"no"}}`), status: 502, reason: "provider_failed"},
		"a whole for a stream":     {answer: fakeprovider.Body("application/json", `{}`), stream: true, status: 502, reason: "provider_failed"},
		"a whole that is an error": {answer: fakeprovider.Body("application/json", `{"error":{"message":"no"}}`), stream: true, status: 502, reason: "provider_failed"},
		"truncated JSON":           {answer: fakeprovider.Chat{Text: "hello", Truncate: 40}.Answer(), status: 502, reason: "provider_broke", cost: limit},
		"no JSON":                  {answer: fakeprovider.Body("application/json", `hello`), status: 502, reason: "provider_broke", cost: limit},
		"hangs up":                 {answer: fakeprovider.HangsUp(), status: 502, reason: "provider_broke", cost: limit},
		"silence":                  {answer: fakeprovider.Stalls(false), timeout: 5 * time.Second, status: 504, reason: "provider_timeout", cost: limit},
		"a stream that is no SSE":  {answer: fakeprovider.Body("text/event-stream", "data: {\"x\n\n"), stream: true, status: 502, reason: "provider_broke", cost: limit},
		"an empty stream":          {answer: fakeprovider.Body("text/event-stream", ""), stream: true, status: 502, reason: "provider_broke", cost: limit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(o *egress.Options) { o.Config.Timeout = c.timeout })
			r.provider.Answer(c.answer)
			more := ""
			if c.stream {
				more = `,"stream":true`
			}
			p := r.chat(more)
			p.body = strings.TrimPrefix(strings.TrimSpace(p.body), "data: ")
			if p.status != c.status || p.reason() != c.reason {
				t.Errorf("got %d %s", p.status, p.body)
			}
			if c.status == http.StatusTooManyRequests && p.header.Get("Retry-After") != "7" {
				t.Errorf("Retry-After %q", p.header.Get("Retry-After"))
			}
			r.want(c.cost...)
		})
	}
}

func TestProviderThatIsNotThereCostsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *egress.Options) { o.Config.Endpoints[0].URL = "http://127.0.0.1:1/v1" })
	if p := r.chat(""); p.status != 502 || p.reason() != "provider_failed" {
		t.Errorf("got %d %s", p.status, p.body)
	}
	r.want()
}

func TestStreamThatBreaksOffEndsWithAnErrorAndIsChargedAtItsLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer fakeprovider.Answer
		stall  time.Duration // 0: longer than the test
		reason string
	}{
		"cut off":      {fakeprovider.Chat{Text: strings.Repeat("word ", 20), Truncate: 700}.Answer(), 0, "provider_broke"},
		"stands still": {fakeprovider.Stalls(true), 5 * time.Second, "provider_timeout"},
		"never ends":   {fakeprovider.Endless(), 0, "provider_broke"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(o *egress.Options) { o.Config.Stall = c.stall })
			r.provider.Answer(c.answer)
			p := r.chat(`,"stream":true,"max_tokens":100`)
			events := strings.Split(strings.TrimSpace(p.body), "\n\n")
			last := reply{body: strings.TrimPrefix(events[len(events)-1], "data: ")}
			if p.status != 200 || last.reason() != c.reason || strings.Contains(p.body, "[DONE]") {
				t.Errorf("got %d, last %s", p.status, last.body)
			}
			if len(p.body) > 2<<20 {
				t.Errorf("%d bytes came through", len(p.body))
			}
			r.want(chatUnits(inputLimit, 100)...)
		})
	}
}

func TestStreamThatEndsWithoutSayingSoIsComplete(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.provider.Answer(fakeprovider.Chat{
		Text: "hello", NoEnd: true, Usage: &fakeprovider.Usage{PromptTokens: 3, CompletionTokens: 2},
	}.Answer())
	if p := r.chat(`,"stream":true`); !strings.HasSuffix(p.body, "data: [DONE]\n\n") {
		t.Errorf("got %s", p.body)
	}
	r.want(chatUnits(3, 2)...)
}

func TestArgumentsAsObjectPassAndAreCounted(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.provider.Answer(fakeprovider.Chat{
		ArgumentsAsObject: true, Tools: []fakeprovider.ToolCall{{Name: "edit", Arguments: `{"a":"bcd"}`}},
	}.Answer())
	if p := r.chat(""); !strings.Contains(p.body, `"arguments":{"a":"bcd"}`) {
		t.Errorf("got %s", p.body)
	}
	r.want(chatUnits(inputLimit, 8)...) // edit and 11 bytes, two a token
}
