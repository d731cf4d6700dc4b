package egress_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine-proxy/egress"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// clever answers a probe's calls as a model does that can all of them, on whatever
// wire. With one tool at a time it can't work in parallel; blind, it sees nothing.
func clever(oneTool, blind bool, thought string) fakeprovider.Answer {
	return func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		raw, err := json.Marshal(q.Body)
		if err != nil {
			panic(err)
		}
		said := string(raw)
		n := fakeprovider.Tokens(q.Body)
		t := fakeprovider.Turn{Text: "ready", Reasoning: thought, Took: &fakeprovider.Took{Input: n, Output: 2}}
		switch {
		case strings.Contains(said, "Lisbon"):
			t.Text = ""
			t.Tools = []fakeprovider.ToolCall{{ID: "a", Name: "weather", Arguments: `{"city":"Lisbon"}`}, {ID: "b", Name: "weather", Arguments: `{"city":"Oslo"}`}}
			if oneTool || !strings.Contains(said, "Oslo") {
				t.Tools = t.Tools[:1]
			}
		case strings.Contains(said, "colour") && !blind:
			t.Text = "Red."
		case strings.Contains(said, "marmalade") && n > 4096:
			t.Text = "marmalade"
		}
		if strings.Contains(said, "cache_control") {
			t.Took.Written, t.Took.Input = n, 0
		}
		t.Answer()(p, w, r, q)
	}
}

func probed(t *testing.T, m egress.Model, answer fakeprovider.Answer) (egress.Probed, *fakeprovider.Provider) {
	t.Helper()
	provider := fakeprovider.New(t, answer)
	provider.Key = key
	config := egress.Config{Endpoints: []egress.Endpoint{{URL: provider.URL, Key: key, Models: []egress.Model{m}, Images: []string{"painter"}}}}
	var all []egress.Probed
	if err := config.Probe(t.Context(), nil, func(p egress.Probed) { all = append(all, p) }); err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].Model != m.Name {
		t.Fatalf("got %+v", all)
	}
	raw, err := json.Marshal(all)
	if err != nil || strings.Contains(string(raw), key) {
		t.Errorf("the key is in %s, %v", raw, err)
	}
	return all[0], provider
}

// failing are the calls that did not work.
func failing(p egress.Probed) (calls []string) {
	for _, f := range p.Found {
		if !f.OK {
			calls = append(calls, f.Call)
		}
	}
	return calls
}

func TestProbePrintsTheRowThatAModelShows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model  egress.Model
		rules  fakeprovider.Rules
		answer fakeprovider.Answer
		want   string
	}{
		"chat":                 {egress.Model{Name: "writer"}, fakeprovider.Rules{}, clever(false, false, "hm"), `"vision":true,"parallel":true,"reasoning":"effort"}`},
		"chat without thought": {egress.Model{Name: "writer"}, fakeprovider.Rules{Cap: "max_completion_tokens"}, clever(true, true, ""), `{"name":"writer","protocol":"chat"`},
		"what was given stays": {egress.Model{Name: "writer", Abilities: egress.Abilities{Context: 200000}}, fakeprovider.Rules{}, clever(false, false, "hm"), `"context":200000,"vision":true`},
		"responses": {egress.Model{Name: "writer", Abilities: egress.Abilities{Protocol: "responses", MaxOutput: 32000}}, fakeprovider.Rules{}, clever(false, false, "hm"),
			`"max_output":32000,"vision":true,"parallel":true,"reasoning":"effort"}`},
		"messages": {egress.Model{Name: "writer", FirstToken: 6e10, Abilities: egress.Abilities{Protocol: "messages"}}, fakeprovider.Rules{Manner: fakeprovider.Anthropic},
			clever(false, false, "hm"), `"vision":true,"parallel":true,"reasoning":"adaptive","cache":"marks","first_token":"1m0s"}`},
	} {
		t.Run(name, func(t *testing.T) {
			p, provider := probed(t, c.model, fakeprovider.Strict(c.rules, c.answer))
			if !p.Works() || !strings.Contains(string(p.Row), c.want) || !strings.HasPrefix(string(p.Row), `{"name":"writer","protocol":`) {
				t.Errorf("got %+v, row %s", p.Found, p.Row)
			}
			if given := c.model.Context > 0; strings.Contains(string(p.Row), `"context"`) != given {
				t.Errorf("no server said what it holds, and the row is %s", p.Row)
			}
			if n := len(provider.Requests()); n < 6 || n > 7 {
				t.Errorf("%d calls", n)
			}
			path := filepath.Join(t.TempDir(), "egress.json") // the row is one that a file may have
			if err := os.WriteFile(path, []byte(`{"endpoints":[{"url":"https://models.example","models":[`+string(p.Row)+`]}]}`), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := egress.ReadConfig(path); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRowHasTheContextThatAServerNames: and no other, since what was read is less than what
// most models hold.
func TestRowHasTheContextThatAServerNames(t *testing.T) {
	t.Parallel()
	for manner, want := range map[fakeprovider.Manner]bool{fakeprovider.LlamaCpp: true, fakeprovider.OpenAI: false} {
		p, _ := probed(t, egress.Model{Name: "writer"}, fakeprovider.Strict(fakeprovider.Rules{Manner: manner, Context: 4096}, clever(false, false, "")))
		if strings.Contains(string(p.Row), `"context":4096`) != want || strings.Contains(string(p.Row), `"context"`) != want {
			t.Errorf("%s: the row is %s", manner, p.Row)
		}
	}
}

func TestProbeSaysWhatHelps(t *testing.T) {
	t.Parallel()
	forgets := func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		fakeprovider.Turn{Text: "ready"}.Answer()(p, w, r, q)
	}
	for name, c := range map[string]struct {
		answer fakeprovider.Answer
		fails  []string
		call   string
		advice string
	}{
		"llama.cpp without tools": {fakeprovider.Strict(fakeprovider.Rules{Manner: fakeprovider.LlamaCpp, NoTools: true}, clever(false, false, "")), []string{"tool", "two tools"}, "tool", "--jinja"},
		"vLLM without tools":      {fakeprovider.Strict(fakeprovider.Rules{Manner: fakeprovider.VLLM, NoTools: true}, clever(false, false, "")), []string{"tool", "two tools"}, "tool", "--enable-auto-tool-choice"},
		"a small context":         {fakeprovider.Strict(fakeprovider.Rules{Manner: fakeprovider.LlamaCpp, Context: 4096}, clever(false, false, "")), []string{"long"}, "long", "-c 32768"},
		"Ollama cuts":             {fakeprovider.Strict(fakeprovider.Rules{Manner: fakeprovider.Ollama, Context: 4096}, forgets), []string{"tool", "two tools", "picture", "long"}, "long", "OLLAMA_CONTEXT_LENGTH"},
		"blind":                   {clever(false, true, ""), []string{"picture"}, "picture", "--mmproj"},
		"the wrong key":           {fakeprovider.Status(401, "invalid_api_key"), []string{"plain"}, "plain", "key_file"},
		"a wrong key, said so":    {withStatus(400, `{"error":"Incorrect API key provided"}`), []string{"plain"}, "plain", `"auth": "bearer"`},
		"an empty account":        {withStatus(400, `{"error":{"message":"Your credit balance is too low"}}`), []string{"plain"}, "plain", "account"},
		"another server":          {fakeprovider.Status(404, "x"), []string{"plain"}, "plain", "url"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := probed(t, egress.Model{Name: "writer"}, c.answer)
			if got := failing(p); !slices.Equal(got, c.fails) {
				t.Errorf("failed: %v, want %v: %+v", got, c.fails, p.Found)
			}
			if p.Default == nil {
				t.Fatal("nothing is said of the default")
			}
			if _, call, _ := strings.Cut(p.Default.Says, ": see "); !p.Default.OK && !slices.Contains(c.fails, call) {
				t.Errorf("of the default it says %q, and %v failed", p.Default.Says, c.fails)
			}
			for _, f := range p.Found {
				if f.Call == c.call && !strings.Contains(f.Advice, c.advice) {
					t.Errorf("%s says %q, advises %q", f.Call, f.Says, f.Advice)
				}
			}
		})
	}
}
