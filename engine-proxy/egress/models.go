package egress

import (
	"cmp"
	"context"
	"fmt"

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

// checkDefault refuses a default that no job could have.
func (c Config) checkDefault() error {
	if c.Default == "" || c.Default == api.ModelEmbedded {
		return nil
	}
	for _, m := range c.catalog() {
		if m.Name == c.Default && m.use() == useChat {
			return nil
		}
	}
	return fmt.Errorf("egress: the default %q is no model that writes", c.Default)
}

// Models lists the models that jobs may name, with what the ledger asks for them.
func (e *Egress) Models(ctx context.Context) ([]api.Model, error) {
	var units []string
	for _, m := range e.catalog {
		if m.use() == useChat {
			units = append(units, inputUnit(m.Name), cachedUnit(m.Name), cacheWriteUnit(m.Name), outputUnit(m.Name))
		}
	}
	prices, err := e.opts.Ledger.Prices(ctx, units)
	if err != nil {
		return nil, fmt.Errorf("asking for prices: %w", err)
	}
	var all []api.Model
	for _, m := range e.catalog {
		if m.use() != useChat {
			continue
		}
		out := api.Model{
			Name: m.Name, Default: m.Name == e.config.defaultModel(), Context: m.Context, Vision: m.Vision,
			Reasoning: m.Reasoning != "" && m.Reasoning != "none",
		}
		input, priced := prices[inputUnit(m.Name)]
		output, both := prices[outputUnit(m.Name)]
		if priced && both {
			// A millionth of a TIK for a token is a TIK for a million.
			out.Price = &api.ModelPrice{
				Input: int64(input), Cached: int64(prices[cachedUnit(m.Name)]), CacheWrite: int64(prices[cacheWriteUnit(m.Name)]), Output: int64(output),
			}
		}
		all = append(all, out)
	}
	return all, nil
}
