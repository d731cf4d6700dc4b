package egress_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/egress"
)

func TestEnginesKnowEyesAndFallbacks(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *egress.Options) {
		o.Config.Eyes = "thinker"
		o.Config.Endpoints[0].Models = []egress.Model{{Name: "thinker", Abilities: egress.Abilities{Vision: true}, Fallback: []string{"writer"}}}
	})
	p := r.do(r.request(t.Context(), "GET", "/v1/models", token, ""))
	if want := `"vision":true,"fallback":["writer"],"eyes":true}`; p.status != 200 || !strings.Contains(p.body, want) || strings.Count(p.body, "eyes") != 1 {
		t.Errorf("got %d %s", p.status, p.body)
	}
}

// Engines know prices where a model has a bound that is counted in them, and wait for a
// ledger that is away rather than go without.
func TestEnginesKnowPricesWhereTIKIsBounded(t *testing.T) {
	t.Parallel()
	prices := map[string]api.TIK{"model.thinker.input": 3, "model.thinker.cached": 1, "model.thinker.cache_write": 4, "model.thinker.output": 15}
	for _, bounded := range []bool{false, true} {
		r := newRig(t, func(o *egress.Options) {
			thinker := egress.Model{Name: "thinker"}
			if bounded {
				thinker.TIKPerJob = &egress.PerLevel{Low: 20, Medium: 80}
			}
			o.Config.Endpoints[0].Models = []egress.Model{thinker}
		})
		r.ledger.set(func() { r.ledger.prices = prices })
		p := r.do(r.request(t.Context(), "GET", "/v1/models", token, ""))
		const want = `"tik_per_job":{"low":20,"medium":80},"price":{"input":3,"cached":1,"cacheWrite":4,"output":15}}`
		if p.status != 200 || strings.Contains(p.body, want) != bounded || strings.Count(p.body, "price") > 1 {
			t.Errorf("bounded %v: got %d %s", bounded, p.status, p.body)
		}
		r.ledger.set(func() { r.ledger.down = true })
		if p := r.do(r.request(t.Context(), "GET", "/v1/models", token, "")); (p.status == 503) != bounded {
			t.Errorf("bounded %v, without a ledger: got %d %s", bounded, p.status, p.body)
		}
	}
}

func TestModelsOfJobsComeWithWhatTheyCanDoAndCost(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.options.Config.Endpoints[0].Models = []egress.Model{{
		Name: "thinker", Abilities: egress.Abilities{Context: 200_000, Vision: true, Reasoning: "effort"},
	}}
	r.ledger.prices = map[string]api.TIK{
		"model.thinker.input": 3, "model.thinker.cached": 1, "model.thinker.cache_write": 4, "model.thinker.output": 15, "model.writer.input": 1,
	}
	free := api.Model{Name: "writer"}
	dear := api.Model{Name: "thinker", Context: 200_000, Vision: true, Reasoning: true, Price: &api.ModelPrice{Input: 3, Cached: 1, CacheWrite: 4, Output: 15}}
	for wanted, standard := range map[string]string{"": "writer", "thinker": "thinker", api.ModelEmbedded: ""} {
		r.options.Config.Default = wanted
		e, err := egress.New(r.options)
		if err != nil {
			t.Fatal(err)
		}
		want := []api.Model{free, dear}
		for i := range want {
			want[i].Default = want[i].Name == standard
		}
		if got, err := e.Models(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("default %q: %+v, %v", wanted, got, err)
		}
		r.ledger.set(func() { r.ledger.down = true })
		if _, err := e.Models(t.Context()); err == nil {
			t.Error("prices came from a ledger that is down")
		}
		r.ledger.set(func() { r.ledger.down = false })
	}
}
