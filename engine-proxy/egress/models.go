package egress

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/svc-games/svc/api"
)

// defaultModel is the model of jobs that name none: the one that is set, else the
// first that writes.
func (c Config) defaultModel() string {
	for _, m := range c.catalog() {
		if m.use() == useChat {
			return cmp.Or(c.Default, m.Name)
		}
	}
	return api.ModelEmbedded
}

// checkNamed refuses a default, eyes and fallbacks that are not there, or are no such.
func (c Config) checkNamed() error {
	all := c.catalog()
	writes := func(name string) *offered {
		i := slices.IndexFunc(all, func(m offered) bool { return m.Name == name && m.use() == useChat })
		if i < 0 {
			return nil
		}
		return &all[i]
	}
	if c.Default != "" && c.Default != api.ModelEmbedded && writes(c.Default) == nil {
		return fmt.Errorf("egress: the default %q is not a model that writes", c.Default)
	}
	if eyes := writes(c.Eyes); c.Eyes != "" && (eyes == nil || !eyes.Vision) {
		return fmt.Errorf("egress: the eyes %q are not a model with vision", c.Eyes)
	}
	for _, m := range all {
		for _, name := range m.Fallback {
			if name == m.Name || m.use() != useChat || writes(name) == nil {
				return fmt.Errorf("egress: the model %s: the fallback %q is not another model that writes", m.Name, name)
			}
		}
	}
	return nil
}

// Models lists the models that jobs may name, with what the ledger asks for them.
func (e *Egress) Models(ctx context.Context) ([]api.Model, error) {
	now := e.follow(ctx)
	prices, err := e.pricesOf(ctx, now.catalog)
	if err != nil {
		return nil, err
	}
	var all []api.Model
	for _, m := range now.catalog {
		if m.use() != useChat {
			continue
		}
		out := api.Model{
			Name: m.Name, Default: m.Name == now.defaultModel(), Context: m.Context, Vision: m.Vision,
			Reasoning: m.Reasoning != "" && m.Reasoning != "none", Price: priceOf(m.Name, prices),
		}
		all = append(all, out)
	}
	return all, nil
}

// pricesOf asks for the prices of the models that write.
func (e *Egress) pricesOf(ctx context.Context, models catalog) (map[string]api.TIK, error) {
	var units []string
	for _, m := range models {
		if m.use() == useChat {
			units = append(units, inputUnit(m.Name), cachedUnit(m.Name), cacheWriteUnit(m.Name), outputUnit(m.Name))
		}
	}
	prices, err := e.opts.Ledger.Prices(ctx, units)
	if err != nil {
		return nil, fmt.Errorf("asking for prices: %w", err)
	}
	return prices, nil
}

// priceOf is what a model costs, nil where it has no price.
func priceOf(model string, prices map[string]api.TIK) *api.ModelPrice {
	input, priced := prices[inputUnit(model)]
	output, both := prices[outputUnit(model)]
	if !priced || !both {
		return nil
	}
	// A millionth of a TIK for a token is a TIK for a million.
	return &api.ModelPrice{
		Input: int64(input), Cached: int64(prices[cachedUnit(model)]), CacheWrite: int64(prices[cacheWriteUnit(model)]), Output: int64(output),
	}
}
