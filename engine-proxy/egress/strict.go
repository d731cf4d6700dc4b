package egress

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/svc-games/svc/api/contract"
)

// decode reads a request. A member that is not among those that are passed on
// is refused by name: a call that does less than was asked for is worse than
// none.
func decode(body []byte, into any) *refusal {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		var mistyped *json.UnmarshalTypeError
		switch name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); {
		case unknown:
			return invalid("The member %s can't be passed on.", name)
		case errors.As(err, &mistyped):
			return invalid("The member %q has the wrong type.", mistyped.Field)
		}
		return invalid("The body is not valid JSON.")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return invalid("There is data after the JSON object.")
	}
	return nil
}

// encode writes what is sent to the provider.
func encode(request any) ([]byte, *refusal) {
	raw, err := json.Marshal(request)
	if err != nil {
		return nil, invalid("The request can't be passed on.")
	}
	return raw, nil
}

// units is a shorthand for a price list's entry and how many of it.
func units(name string, n int64) []contract.Unit {
	return []contract.Unit{{Name: name, Quantity: n}}
}
