package e2e

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// reading is a reading of a brief that leaves no wish open.
var reading = fakeprovider.Chat{Text: `{"mechanic":"gap","theme":"forest","hero":"duck","title":"Duck","lives":3,"unmet":[]}`, Usage: answerUsage}.Answer()

// startWithTwoModels starts a service with a cheap model and a dear one, which is
// the default.
func startWithTwoModels(t *testing.T, f form, url string) *service {
	t.Helper()
	list := map[string]any{"generator.job": 1, "model.thinker.input": 0.003, "model.thinker.output": 0.05}
	for _, unit := range []string{"model.writer.input", "model.writer.output"} {
		list[unit] = prices[unit]
	}
	s := newService(t, f, "SVC_PRICES="+jsonFile(t, list))
	s.runEngines("process", map[string]any{"chromium": noBrowser}, jsonFile(t, map[string]any{"default": "thinker", "endpoints": []any{map[string]any{
		"url": url, "chat": []string{"writer"}, "models": []any{map[string]any{"name": "thinker", "reasoning": "effort", "vision": true}},
	}}}))
	s.start()
	return s
}

func TestModelIsChosenListedAndChargedByItsPrice(t *testing.T) {
	inEveryForm(t, func(t *testing.T, f form) {
		provider := fakeprovider.New(t, reading)
		s := startWithTwoModels(t, f, provider.URL)
		key := s.newKey("demo")
		a := s.call(key, "GET", "/v1/models", nil)
		for _, want := range []string{
			`[{"name":"embedded","default":false`, `{"name":"writer","default":false`,
			`{"name":"thinker","default":true,"vision":true,"reasoning":true,"price":{"input":3000,"cached":3000,"cacheWrite":3000,"output":50000}}`,
		} {
			if a.status != http.StatusOK || !strings.Contains(string(a.body), want) || strings.Contains(string(a.body), provider.URL) {
				t.Errorf("the list: %d %s", a.status, a.body)
			}
		}
		project := s.newProject(key)
		a = s.call(key, "POST", "/v1/generate", map[string]any{"projectId": project, "prompt": brief, "settings": map[string]any{"model": "dear"}})
		const names = `{"error":"settings.model must be one of embedded, writer, thinker, not \"dear\"."}`
		if a.status != http.StatusBadRequest || strings.TrimSpace(string(a.body)) != names || s.usage(key).JobsThisMonth != 0 {
			t.Errorf("a model that is not there: %d %s", a.status, a.body)
		}
		if started, err := filepath.Glob(filepath.Join(s.dir, "run", project)); err != nil || len(started) > 0 {
			t.Errorf("it started an engine: %v, %v", started, err)
		}

		spent := map[string]api.TIK{}
		for _, tc := range []struct {
			model, maker string
			answer       float64 // what one of its answers costs
		}{{"", "thinker", 8}, {"writer", "writer", 2}, {api.ModelEmbedded, api.ModelEmbedded, 0}} {
			before := len(provider.Requests())
			settings := map[string]any{"reasoningLevel": "low"}
			if tc.model != "" {
				settings["model"] = tc.model
			}
			sub := s.submit(key, map[string]any{"projectId": s.newProject(key), "prompt": brief, "settings": settings})
			job := s.finishLong(key, sub)
			asked := provider.Requests()[before:]
			if want := tik(1 + float64(len(asked))*tc.answer); job.Status != api.JobCompleted || job.Model != tc.maker || job.TIKSpent != want {
				t.Errorf("%s: %+v, want %s TIK for %d answers", tc.maker, job, want, len(asked))
			}
			if (len(asked) == 0) != (tc.maker == api.ModelEmbedded) {
				t.Errorf("%s was asked %d times", tc.maker, len(asked))
			}
			for _, q := range asked {
				if q.Body["model"] != tc.maker || q.Body["reasoning_effort"] != "low" {
					t.Errorf("%s: the provider was asked for %v, with the effort %v", tc.maker, q.Body["model"], q.Body["reasoning_effort"])
				}
			}
			spent[sub.JobID] = job.TIKSpent
		}
		for _, e := range s.statement("demo").Entries {
			spent[e.JobID] += e.TIK // a charge is negative
		}
		delete(spent, "")
		if len(spent) != 3 {
			t.Errorf("the ledger has %v", spent)
		}
		for id, rest := range spent {
			if rest != 0 {
				t.Errorf("the ledger lacks %s TIK of job %s", rest, id)
			}
		}
	})
}
