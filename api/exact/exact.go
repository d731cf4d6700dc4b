// Package exact reads JSON in which a misspelt member is an error, not left out.
package exact

import (
	"encoding/json"
	"errors"
	"io"
)

// Decode reads one JSON value with known members only, and nothing after it.
func Decode(r io.Reader, into any) error {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data after the object")
	}
	return nil
}
