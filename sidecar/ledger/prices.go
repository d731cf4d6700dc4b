package ledger

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// MaxAmount bounds one charge, credit or price: a billion TIK. It keeps sums
// far from what 64 bits can hold.
const MaxAmount = 1_000_000_000 * api.TIK(api.MicroPerTIK)

// ErrUnpriced is returned, wrapped, for a call to a model whose unit the price
// list doesn't name. It is charged once the list does.
var ErrUnpriced = errors.New("the unit has no price")

// DefaultPrices is the price list of a service that has none configured: one
// TIK for a job of the embedded generator.
func DefaultPrices() map[string]api.TIK {
	return map[string]api.TIK{"generator.job": api.MicroPerTIK}
}

// DefaultUnits are the units that a service reports whose engines have nothing
// but the embedded generator.
func DefaultUnits() []string { return []string{"generator.job"} }

// prices maps the names of units to what one of them costs.
type prices map[string]api.TIK

// check refuses a list that can't be charged by.
func (p prices) check(units []string) error {
	for _, unit := range slices.Sorted(maps.Keys(p)) {
		switch price := p[unit]; {
		case unit == "":
			return errors.New("prices: a unit has no name")
		case price < 0:
			return fmt.Errorf("prices: %s costs %s TIK; a price is zero or more", unit, price)
		case price > MaxAmount:
			return fmt.Errorf("prices: %s costs %s TIK; a price is at most %s", unit, price, MaxAmount)
		}
	}
	return p.checkHoles(units)
}

// counterpart names the other unit of a model: whoever charges for what a model
// reads charges for what it writes, be it nothing.
func counterpart(unit string) (string, bool) {
	if !strings.HasPrefix(unit, contract.UnitModel) {
		return "", false
	}
	if input, ok := inputOf(unit); ok {
		return input, true
	}
	if model, ok := strings.CutSuffix(unit, ".input"); ok {
		return model + ".output", true
	}
	model, ok := strings.CutSuffix(unit, ".output")
	return model + ".input", ok
}

// inputOf names the unit whose price holds for tokens of a cache that have none of
// their own: they are read all the same.
func inputOf(unit string) (string, bool) {
	for _, suffix := range []string{contract.UnitCached, contract.UnitCacheWrite} {
		if model, ok := strings.CutSuffix(unit, suffix); ok && strings.HasPrefix(unit, contract.UnitModel) {
			return model + ".input", true
		}
	}
	return "", false
}

// of returns what one of a unit costs.
func (p prices) of(unit string) (price api.TIK, priced bool) {
	price, priced = p[unit]
	if input, cached := inputOf(unit); !priced && cached {
		price, priced = p[input]
	}
	return price, priced
}

// checkHoles refuses a list that lacks a unit which will be used: its first use
// would otherwise stop a feed, long after the start.
func (p prices) checkHoles(units []string) error {
	if holes := p.unpriced(units); len(holes) > 0 {
		return fmt.Errorf("prices: %s has no price: add it, with 0 if it is free", holes[0])
	}
	for _, unit := range slices.Sorted(maps.Keys(p)) {
		other, ok := counterpart(unit)
		if _, priced := p[other]; ok && !priced {
			return fmt.Errorf("prices: %s has a price but %s has none: add it, with 0 if it is free", unit, other)
		}
	}
	return nil
}

// unpriced returns those of the units that the list lacks.
func (p prices) unpriced(units []string) []string {
	var holes []string
	for _, unit := range units {
		if _, priced := p.of(unit); !priced {
			holes = append(holes, unit)
		}
	}
	return holes
}

// cost returns what units cost together.
func (p prices) cost(units []contract.Unit) (api.TIK, error) {
	var sum api.TIK
	for _, u := range units {
		price, priced := p.of(u.Name)
		if !priced {
			return 0, fmt.Errorf("pricing %q: %w: add it to prices", u.Name, ErrUnpriced)
		}
		if u.Quantity < 0 {
			return 0, fmt.Errorf("pricing %q: the quantity %d is negative", u.Name, u.Quantity)
		}
		hi, lo := bits.Mul64(uint64(price), uint64(u.Quantity))
		if hi != 0 || lo > uint64(MaxAmount-sum) {
			return 0, fmt.Errorf("pricing %q: %d of them cost more than %s TIK", u.Name, u.Quantity, MaxAmount)
		}
		sum += api.TIK(lo)
	}
	return sum, nil
}
