package egress_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/egress"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/wait"
)

func TestEngineGetsAnAnswerAndNoCredential(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	p := r.chat("")
	if p.status != 200 || !strings.Contains(p.body, `"content":"hello"`) || strings.Contains(p.body, "fp_fake") {
		t.Fatalf("got %d %s", p.status, p.body)
	}
	sent := r.provider.Requests()[0]
	if sent.Path != "/v1/chat/completions" || sent.Header.Get("Authorization") != "Bearer "+key {
		t.Errorf("the provider got %s, %v", sent.Path, sent.Header)
	}
	for name := range sent.Header {
		if !slices.Contains([]string{"Authorization", "Content-Type", "Content-Length", "User-Agent"}, name) {
			t.Errorf("the provider got the header %s", name)
		}
	}
	r.want(chatUnits(11, 7)...)
}

func TestStreamIsPassedOnWhereverItIsSplit(t *testing.T) {
	t.Parallel()
	for _, every := range []int{0, 1, 7, 4096} {
		r := newRig(t, nil)
		r.provider.Answer(fakeprovider.Chat{
			Text: "the quick brown fox – schnell", Every: every,
			Usage: &fakeprovider.Usage{PromptTokens: 5, CompletionTokens: 9, TotalTokens: 14},
			Tools: []fakeprovider.ToolCall{{Name: "write_file", Arguments: `{"path":"a.js"}`}}, // without an id
		}.Answer())
		p := r.chat(`,"stream":true`)
		if p.status != 200 || p.header.Get("Content-Type") != "text/event-stream" || !strings.HasSuffix(p.body, "data: [DONE]\n\n") {
			t.Fatalf("every %d: got %d %v %s", every, p.status, p.header, p.body)
		}
		if got := streamed(t, p.body); got != "the quick brown fox – schnell" || !strings.Contains(p.body, `write_file`) {
			t.Errorf("every %d: got %q", every, got)
		}
		r.want(chatUnits(5, 9)...)
	}
}

// streamed puts the text of a stream together.
func streamed(t *testing.T, body string) string {
	t.Helper()
	var text strings.Builder
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Model   string
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatalf("chunk %q: %v", data, err)
		}
		if chunk.Model != "writer" {
			t.Errorf("chunk of model %q", chunk.Model)
		}
		for _, c := range chunk.Choices {
			text.WriteString(c.Delta.Content)
		}
	}
	return text.String()
}

func TestUsageThatNobodyGivesIsEstimatedFromAbove(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word ", 100)
	for name, more := range map[string]string{"whole": "", "stream": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			r.provider.Answer(fakeprovider.Chat{Text: text}.Answer())
			if p := r.chat(more); p.status != 200 {
				t.Fatalf("got %d %s", p.status, p.body)
			}
			r.want(chatUnits(inputLimit, int64(len(text)/2))...)
		})
	}
}

func TestUsageThatCannotBeTrueIsNotBelieved(t *testing.T) {
	t.Parallel()
	for _, said := range []fakeprovider.Usage{{PromptTokens: -1, CompletionTokens: 3}, {PromptTokens: 1 << 40, CompletionTokens: 1}, {}} {
		r := newRig(t, nil)
		r.provider.Answer(fakeprovider.Chat{Text: "hello you", Usage: &said}.Answer())
		r.chat("")
		r.want(chatUnits(inputLimit, 5)...)
	}
}

func TestTokensAreCapped(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for more, want := range map[string]map[string]any{
		"":                                {"max_tokens": 1000.0},
		`,"max_tokens":10`:                {"max_tokens": 10.0},
		`,"max_tokens":99999`:             {"max_tokens": 1000.0},
		`,"max_completion_tokens":99999`:  {"max_completion_tokens": 1000.0},
		`,"stream":true,"max_tokens":100`: {"max_tokens": 100.0, "stream": true},
	} {
		r.chat(more)
		sent := r.provider.Requests()
		got := sent[len(sent)-1].Body
		for name, value := range want {
			if got[name] != value {
				t.Errorf("with %s: %s is %v, want %v", more, name, got[name], value)
			}
		}
		if _, both := got["max_completion_tokens"]; both && got["max_tokens"] != nil {
			t.Errorf("with %s: both members were sent", more)
		}
		if got["stream"] == true && got["stream_options"].(map[string]any)["include_usage"] != true {
			t.Errorf("a stream without its usage was asked for: %v", got)
		}
	}
}

func TestWhatIsNotAllowedDoesNotGoOut(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	message := `"messages":[{"role":"user","content":"x"}]`
	for name, c := range map[string]struct {
		path, body string
		status     int
		reason     string
	}{
		"another path":         {"/v1/files", `{}`, 404, "not_found"},
		"a path that climbs":   {"/v1/chat/completions/../../../admin", `{}`, 404, "not_found"},
		"another model":        {"/v1/chat/completions", `{"model":"gpt-9",` + message + `}`, 403, "model_not_allowed"},
		"a painter that talks": {"/v1/chat/completions", `{"model":"painter",` + message + `}`, 403, "model_not_allowed"},
		"a member we don't know": {
			"/v1/chat/completions", `{"model":"writer","web_search_options":{},` + message + `}`, 400, "invalid_request",
		},
		"a nested one": {
			"/v1/chat/completions", `{"model":"writer","messages":[{"role":"user","content":"x","audio":{}}]}`, 400, "invalid_request",
		},
		"a picture elsewhere": {
			"/v1/chat/completions",
			`{"model":"writer","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://169.254.169.254/"}}]}]}`,
			400, "invalid_request",
		},
		"no messages":   {"/v1/chat/completions", `{"model":"writer","messages":[]}`, 400, "invalid_request"},
		"two objects":   {"/v1/chat/completions", `{"model":"writer",` + message + `}{}`, 400, "invalid_request"},
		"no JSON":       {"/v1/chat/completions", `model=writer`, 400, "invalid_request"},
		"a wrong type":  {"/v1/chat/completions", `{"model":1}`, 400, "invalid_request"},
		"no tokens":     {"/v1/chat/completions", `{"model":"writer","max_tokens":0,` + message + `}`, 400, "invalid_request"},
		"two ceilings":  {"/v1/chat/completions", `{"model":"writer","max_tokens":1,"max_completion_tokens":1,` + message + `}`, 400, "invalid_request"},
		"too large":     {"/v1/chat/completions", `{"model":"` + strings.Repeat("x", 70<<10) + `"}`, 413, "too_large"},
		"many pictures": {"/v1/images/generations", `{"model":"painter","prompt":"x","n":5}`, 400, "invalid_request"},
		"picture links": {"/v1/images/generations", `{"model":"painter","prompt":"x","response_format":"url"}`, 400, "invalid_request"},
		"a long speech": {"/v1/audio/speech", `{"model":"speaker","input":"` + strings.Repeat("x", 5000) + `"}`, 400, "invalid_request"},
	} {
		if p := r.post(c.path, c.body); p.status != c.status || p.reason() != c.reason {
			t.Errorf("%s: got %d %s", name, p.status, p.body)
		}
	}
	for name, req := range map[string]*http.Request{
		"no token":      r.request(t.Context(), "POST", "/v1/chat/completions", "", chatBody("")),
		"another token": r.request(t.Context(), "POST", "/v1/chat/completions", token+"x", chatBody("")),
		"the wrong key": r.request(t.Context(), "GET", "/v1/models", key, ""),
	} {
		if p := r.do(req); p.status != 401 || p.reason() != "unauthorized" {
			t.Errorf("%s: got %d %s", name, p.status, p.body)
		}
	}
	if p := r.do(r.request(t.Context(), "GET", "/v1/chat/completions", token, "")); p.status != 405 || p.header.Get("Allow") != "POST" {
		t.Errorf("GET: got %d %v", p.status, p.header)
	}
	form := r.request(t.Context(), "POST", "/v1/chat/completions", token, chatBody(""))
	form.Header.Set("Content-Type", "text/plain")
	if p := r.do(form); p.status != 415 {
		t.Errorf("text: got %d %s", p.status, p.body)
	}
	if n := len(r.provider.Requests()); n != 0 {
		t.Errorf("%d requests reached the provider", n)
	}
	if calls := r.ledger.charged(); len(calls) != 0 {
		t.Errorf("charged %v", calls)
	}
}

func TestModelsAreListedWithTheirUse(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	p := r.do(r.request(t.Context(), "GET", "/v1/models", token, ""))
	want := `{"data":[{"id":"writer","object":"model","owned_by":"svc","use":"chat","default":true,"protocol":"chat","max_output":1000},` +
		`{"id":"painter","object":"model","owned_by":"svc","use":"images"},` +
		`{"id":"speaker","object":"model","owned_by":"svc","use":"speech"}],"object":"list"}` + "\n"
	if p.status != 200 || p.body != want {
		t.Errorf("got %d %s", p.status, p.body)
	}
}

func TestPicturesAndSpeechAreCharged(t *testing.T) {
	t.Parallel()
	t.Run("pictures", func(t *testing.T) {
		r := newRig(t, nil)
		r.provider.Answer(fakeprovider.Pictures([]byte("png")))
		p := r.post("/v1/images/generations", `{"model":"painter","prompt":"`+secret+`","n":3,"size":"1024x1024"}`)
		if p.status != 200 || strings.Count(p.body, `"b64_json":"cG5n"`) != 3 {
			t.Errorf("got %d %s", p.status, p.body)
		}
		r.want(unit("image", 3))
	})
	t.Run("links to pictures are no use, and are paid for", func(t *testing.T) {
		r := newRig(t, nil)
		r.provider.Answer(fakeprovider.PictureLinks())
		if p := r.post("/v1/images/generations", `{"model":"painter","prompt":"x","n":2}`); p.status != 502 {
			t.Errorf("got %d %s", p.status, p.body)
		}
		r.want(unit("image", 2))
	})
	t.Run("speech", func(t *testing.T) {
		r := newRig(t, nil)
		r.provider.Answer(fakeprovider.Speech([]byte("RIFF")))
		p := r.post("/v1/audio/speech", `{"model":"speaker","input":"`+secret+`","voice":"alloy"}`)
		if p.status != 200 || p.body != "RIFF" || p.header.Get("Content-Type") != "audio/wav" {
			t.Errorf("got %d %v %s", p.status, p.header, p.body)
		}
		r.want(unit("audio", 1))
	})
}

func TestLedgerDecidesBeforeACallGoesOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*fakeLedger)
		status int
		body   string
	}{
		"balance is used up": {
			func(l *fakeLedger) { l.grant.Exhausted = true },
			402, `{"error":"The balance allows no further step.","reason":"tik_exhausted"}` + "\n",
		},
		"no job runs": {
			func(l *fakeLedger) { l.grant = contract.CallGrant{} },
			409, `{"error":"The project has no running job that could pay.","reason":"no_running_job"}` + "\n",
		},
		"the ledger is away": {
			func(l *fakeLedger) { l.down = true },
			503, `{"error":"Calls can't be accounted for right now.","reason":"unavailable"}` + "\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			r.ledger.set(func() { c.change(r.ledger) })
			if p := r.chat(""); p.status != c.status || p.body != c.body {
				t.Errorf("got %d %s", p.status, p.body)
			}
			if len(r.provider.Requests()) != 0 {
				t.Error("the call went out")
			}
		})
	}
}

func TestEngineHasNoMoreCallsUnderWayThanAllowed(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.provider.Answer(fakeprovider.Stalls(false))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 2)
	for range 2 {
		go func() {
			res, err := r.client().Do(r.request(ctx, "POST", "/v1/chat/completions", token, chatBody("")))
			if err == nil {
				res.Body.Close()
			}
			ended <- err
		}()
	}
	wait.Until(t, "two calls are under way", func() bool { return len(r.provider.Requests()) == 2 })
	if p := r.chat(""); p.status != 429 || p.reason() != "busy" || p.header.Get("Retry-After") != "1" {
		t.Errorf("got %d %s", p.status, p.body)
	}
	cancel()
	<-ended
	<-ended
	r.provider.Answer(fakeprovider.Says("hello"))
	wait.Until(t, "there is room again", func() bool { return r.chat("").status == 200 })
}

func TestEngineThatLeavesEndsTheCallAtItsLimit(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.provider.Answer(fakeprovider.Stalls(true))
	ctx, cancel := context.WithCancel(t.Context())
	res, err := r.client().Do(r.request(ctx, "POST", "/v1/chat/completions", token, chatBody(`,"stream":true,"max_tokens":50`)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := res.Body.Read(make([]byte, 10)); err != nil { // the first chunk is there
		t.Fatal(err)
	}
	cancel()
	wait.For(t, "the call to the provider ends", r.provider.Left())
	r.want(chatUnits(inputLimit, 50)...)
}

func TestNewKeyNeedsNoRestart(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	if p := r.chat(""); p.status != 200 {
		t.Fatalf("got %d", p.status)
	}
	r.provider.Key = "another-key"
	if p := r.chat(""); p.status != 502 || p.reason() != "provider_auth" {
		t.Errorf("with the old key: %d %s", p.status, p.body)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "key"), []byte("another-key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := r.chat(""); p.status != 200 {
		t.Errorf("with the new key: %d %s", p.status, p.body)
	}
}

func TestUnpricedModelIsRefusedByName(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.close()
	r.ledger.set(func() { r.ledger.unpriced = []string{"model.writer.input"} })
	e, err := egress.New(r.options)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context(), nil); !errors.Is(err, egress.ErrUnpriced) || !strings.Contains(err.Error(), "model.writer.input") {
		t.Errorf("got %v", err)
	}
	if err := e.Close(t.Context()); err != nil {
		t.Error(err)
	}
	want := []string{"model.writer.input", "model.writer.output", "image", "audio"}
	if got := r.options.Config.Units(); !slices.Equal(got, want) {
		t.Errorf("units %v", got)
	}
}

func TestConfigurationThatCannotWorkIsRefused(t *testing.T) {
	t.Parallel()
	good := func() egress.Config {
		return egress.Config{Endpoints: []egress.Endpoint{{URL: "https://models.example/v1", KeyFile: "key", Chat: []string{"writer"}}}}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*egress.Config){
		"no endpoint":             func(c *egress.Config) { c.Endpoints = nil },
		"want a URL":              func(c *egress.Config) { c.Endpoints[0].URL = "models.example" },
		"holds a credential":      func(c *egress.Config) { c.Endpoints[0].URL = "https://me:s3cret@models.example" },
		"end with its path":       func(c *egress.Config) { c.Endpoints[0].URL = "https://models.example/?key=s3cret" },
		"in the clear":            func(c *egress.Config) { c.Endpoints[0].URL = "http://models.example" },
		"given twice: as key":     func(c *egress.Config) { c.Endpoints[0].Key = "s3cret" },
		"auth can't be \"basic\"": func(c *egress.Config) { c.Endpoints[0].Auth = "basic" },
		"has no model":            func(c *egress.Config) { c.Endpoints[0].Chat = nil },
		"writer is given twice":   func(c *egress.Config) { c.Endpoints[0].Images = []string{"writer"} },
		"can't be the name":       func(c *egress.Config) { c.Endpoints[0].Chat = []string{"a b"} },
		"not a model that writes": func(c *egress.Config) { c.Default = "painter" },
		"\"embedded\" can't be":   func(c *egress.Config) { c.Endpoints[0].Chat = []string{"embedded"} },
		"not a model with vision": func(c *egress.Config) { c.Eyes = "writer" },
		"not another model":       func(c *egress.Config) { c.Endpoints[0].Models = []egress.Model{{Name: "m", Fallback: []string{"m"}}} },
		"must not be negative":    func(c *egress.Config) { c.MaxTokens = -1 },
	} {
		c := good()
		spoil(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
