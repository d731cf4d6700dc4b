package egress_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/egress"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/wait"
)

// measured returns the values of a set, by name and labels; of a histogram how
// much it has seen. Zeros are left out.
func measured(t *testing.T, m *egress.Metrics) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.Collectors()...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]float64)
	for _, f := range families {
		for _, one := range f.GetMetric() {
			name := []string{strings.TrimPrefix(f.GetName(), "svc_egress_")}
			for _, l := range one.GetLabel() {
				name = append(name, l.GetValue())
			}
			v := one.GetCounter().GetValue() + one.GetGauge().GetValue() + float64(one.GetHistogram().GetSampleCount())
			if v != 0 {
				values[strings.Join(name, " ")] = v
			}
		}
	}
	return values
}

func TestEveryCallIsMeasuredByWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	m := egress.NewMetrics()
	r := newRig(t, func(o *egress.Options) { o.Metrics = m })
	want := make(map[string]float64)
	check := func(what string, changes map[string]float64) {
		t.Helper()
		for name, by := range changes {
			want[name] += by
		}
		wait.Until(t, what+" is measured", func() bool { return maps.Equal(measured(t, m), want) })
	}

	r.chat("")
	check("an answer", map[string]float64{
		"calls_total answered chat": 1, "call_seconds chat": 1,
		"units_total counted model.writer.input": 11, "units_total counted model.writer.output": 7,
	})
	r.ledger.set(func() { r.ledger.grant.Exhausted = true })
	r.chat("")
	check("an empty balance", map[string]float64{"calls_total tik_exhausted chat": 1})
	r.ledger.set(func() { r.ledger.grant = contract.CallGrant{JobID: job} })
	r.post("/v1/chat/completions", `{"model":"nobody","messages":[{"role":"user","content":"x"}]}`)
	check("a model that is not allowed", map[string]float64{"calls_total model_not_allowed chat": 1})
	r.provider.Answer(fakeprovider.RateLimited(3))
	r.chat("")
	check("a provider that has enough", map[string]float64{"calls_total rate_limited chat": 1, "call_seconds chat": 1})

	r.provider.Answer(fakeprovider.Stalls(true))
	ctx, cancel := context.WithCancel(t.Context())
	res, err := r.client().Do(r.request(ctx, "POST", "/v1/chat/completions", token, chatBody(`,"stream":true,"max_tokens":50`)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	check("a call under way", map[string]float64{"active_calls chat": 1})
	cancel()
	wait.Until(t, "it has ended", func() bool { return measured(t, m)["active_calls chat"] == 0 })
	delete(want, "active_calls chat")
	check("an engine that leaves", map[string]float64{
		"calls_total broken chat": 1, "call_seconds chat": 1,
		"units_total limit model.writer.input": float64(inputLimit), "units_total limit model.writer.output": 50,
	})
}
