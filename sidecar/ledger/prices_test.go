package ledger_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/ledger"
)

func TestPriceListThatCannotBeChargedByIsRefusedByTheNameOfItsUnit(t *testing.T) {
	for name, tc := range map[string]struct {
		prices map[string]api.TIK
		units  []string
		want   string // "" for accepted
	}{
		"default":             {nil, ledger.DefaultUnits(), ""},
		"free unit":           {map[string]api.TIK{"step": 0}, []string{"step"}, ""},
		"unit nobody reports": {map[string]api.TIK{"step": 1}, nil, ""},
		"model":               {map[string]api.TIK{"model.a.b.input": 1, "model.a.b.output": 2}, nil, ""},
		"no name":             {map[string]api.TIK{"": 1}, nil, "a unit has no name"},
		"negative price":      {map[string]api.TIK{"step": -1}, nil, "step costs -0.000001 TIK; a price is zero or more"},
		"absurd price":        {map[string]api.TIK{"step": ledger.MaxAmount + 1}, nil, "step costs 1000000000.000001 TIK; a price is at most 1000000000"},
		"unit without price":  {map[string]api.TIK{"step": 1}, []string{"step", "image"}, "image has no price"},
		"empty list":          {map[string]api.TIK{}, ledger.DefaultUnits(), "generator.job has no price"},
		"model without output": {
			map[string]api.TIK{"model.a.b.input": 1}, nil, "model.a.b.input has a price but model.a.b.output has none",
		},
		"model with a cache": {map[string]api.TIK{"model.a.input": 4, "model.a.cached": 1, "model.a.cache_write": 5, "model.a.output": 9}, nil, ""},
		"cache without model": {
			map[string]api.TIK{"model.a.cached": 1}, nil, "model.a.cached has a price but model.a.input has none",
		},
		"model without input": {
			map[string]api.TIK{"model.a.b.output": 1}, nil, "model.a.b.output has a price but model.a.b.input has none",
		},
	} {
		_, err := ledger.New(ledger.Options{Prices: tc.prices, Units: tc.units})
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

func TestPriceListInAConfigurationIsRefusedByTheNameOfItsUnit(t *testing.T) {
	for name, tc := range map[string]struct{ file, want string }{
		"whole":             {`{"generator.job": 1.5, "image": 0, "model.a.b.input": 0.000001, "model.a.b.output": 2}`, ""},
		"hole":              {`{"image": 1}`, "generator.job has no price"},
		"half a model":      {`{"generator.job": 1, "model.a.input": 1}`, "model.a.output has none"},
		"negative":          {`{"generator.job": -1}`, "generator.job costs -1 TIK"},
		"unknown unit":      {`{"generator.job": 1, "generator.jobs": 1}`, `there is no unit "generator.jobs"`},
		"model, no name":    {`{"generator.job": 1, "model.input": 1, "model.output": 1}`, `there is no unit "model.input"`},
		"model, empty name": {`{"generator.job": 1, "model..input": 1, "model..output": 1}`, `there is no unit "model..input"`},
		"two prices":        {`{"generator.job": 1, "generator.job": 2}`, "generator.job has two prices"},
		"seven places":      {`{"generator.job": 0.0000001}`, `prices: generator.job: "0.0000001" is not an amount`},
		"exponent":          {`{"generator.job": 1e3}`, `prices: generator.job: "1e3" is not an amount`},
		"overflow":          {`{"generator.job": 99999999999999999999}`, "prices: generator.job"},
		"no number":         {`{"generator.job": "1"}`, "the price of generator.job is not a number"},
		"nested":            {`{"generator": {"job": 1}}`, "the price of generator is not a number"},
		"no object":         {`[1]`, "want one JSON object"},
		"empty":             {``, "want one JSON object"},
		"cut off":           {`{"generator.job": 1`, "EOF"},
		"two objects":       {`{"generator.job": 1}{}`, "something follows"},
	} {
		path := filepath.Join(t.TempDir(), "prices.json")
		if err := os.WriteFile(path, []byte(tc.file), 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := ledger.ReadPrices(path)
		if err == nil {
			err = ledger.CheckPrices(list, ledger.DefaultUnits())
		}
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	if _, err := ledger.ReadPrices(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
}

func TestChangedPricesHoldForWhatIsChargedFromThenOn(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		id := f.accept(f.newKey(policy.Limits{}))
		f.feed(f.started(id, "step"), f.used(id, "step", 1, "step"))
		if err := f.ledger.SetPrices(map[string]api.TIK{"step": -1}); err == nil {
			t.Error("a negative price was taken")
		}
		f.feed(f.used(id, "step", 1, "step"))
		f.must(f.ledger.SetPrices(map[string]api.TIK{"step": 3 * api.MicroPerTIK}))
		f.feed(f.used(id, "step", 1, ""))
		if spent := f.job(id).TIKSpent; spent != 23*api.MicroPerTIK {
			t.Errorf("spent %s, want 10, 10 and 3", spent)
		}
	})
}
