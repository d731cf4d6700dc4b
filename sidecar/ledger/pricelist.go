package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
)

// maxPriceFile bounds, in bytes, the file of a price list.
const maxPriceFile = 1 << 20

// knownUnits are the units that have one name; those of models have theirs in
// the middle.
var knownUnits = []string{UnitKEvents, "audio", "generator.job", "image"}

// CheckPrices refuses a price list that can't be charged by, naming the unit: a
// price that is negative or absurd, a unit that nothing ever reports, and a hole:
// one of units, or the other half of a model, without a price.
func CheckPrices(list map[string]api.TIK, units []string) error {
	for _, unit := range slices.Sorted(maps.Keys(list)) {
		if !knownUnit(unit) {
			return fmt.Errorf("prices: there is no unit %q; there are %s, model.NAME.input and model.NAME.output",
				unit, strings.Join(knownUnits, ", "))
		}
	}
	return prices(list).check(units)
}

func knownUnit(unit string) bool {
	if slices.Contains(knownUnits, unit) {
		return true
	}
	other, ofModel := counterpart(unit)
	return ofModel && !strings.HasPrefix(other, "model..") && other != "model.input" && other != "model.output"
}

// parsePrice reads the price of a unit as it is written: TIK with at most six
// places.
func parsePrice(unit, text string) (api.TIK, error) {
	if strings.HasPrefix(text, "-") {
		return 0, fmt.Errorf("prices: %s costs %s TIK; a price is zero or more", unit, text)
	}
	price, err := api.ParseTIK(text)
	if err != nil {
		return 0, fmt.Errorf("prices: %s: %w", unit, err)
	}
	return price, nil
}

// ReadPrices reads a price list from a file: one JSON object that maps the names
// of units to TIK. It doesn't check the list as a whole; CheckPrices does.
func ReadPrices(path string) (map[string]api.TIK, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading prices: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxPriceFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading prices: %w", err)
	}
	if len(raw) > maxPriceFile {
		return nil, fmt.Errorf("reading prices: %s is larger than %d bytes", path, maxPriceFile)
	}
	list, err := decodePrices(raw)
	if err != nil {
		return nil, fmt.Errorf("reading prices from %s: %w", path, err)
	}
	return list, nil
}

// decodePrices reads the object member by member, to refuse two prices for a unit:
// encoding/json takes the last.
func decodePrices(raw []byte) (map[string]api.TIK, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if begin, err := dec.Token(); err != nil || begin != json.Delim('{') {
		return nil, errors.Join(errors.New(`want one JSON object like {"generator.job": 1}`), err)
	}
	list := make(map[string]api.TIK)
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		unit := token.(string) // a member's name is nothing else
		if _, twice := list[unit]; twice {
			return nil, fmt.Errorf("prices: %s has two prices", unit)
		}
		if token, err = dec.Token(); err != nil {
			return nil, err
		}
		number, ok := token.(json.Number)
		if !ok {
			return nil, fmt.Errorf("prices: the price of %s is not a number", unit)
		}
		if list[unit], err = parsePrice(unit, number.String()); err != nil {
			return nil, err
		}
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the price list")
	}
	return list, nil
}
