// Package rpc makes calls between peers: a POST with one JSON value, answered
// by another. Both ends are strict: an unknown member, a second value or a
// body without end is an error, never a guess. An error of the called function
// arrives as the same error, if both ends know its code.
package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/svc-games/svc/api/exact"
)

// maxBody bounds a request or an answer, in bytes.
const maxBody = 64 << 20

// ErrUnreachable is returned, wrapped, when no answer came: nothing is known
// about whether the call took place.
var ErrUnreachable = errors.New("no answer")

// ErrSlow is returned, wrapped besides ErrUnreachable, when the call was sent and its
// deadline passed before all of the answer was there.
var ErrSlow = errors.New("not in time")

// Failure is an error on its way.
type Failure struct {
	// Codes name what the error is, among the errors that both ends know.
	Codes []string `json:"codes,omitempty"`
	// Message is the whole text of the error.
	Message string `json:"message"`
	// Detail belongs to one of the codes.
	Detail json.RawMessage `json:"detail,omitempty"`
}

// Codes translates between errors and their codes.
type Codes interface {
	// Encode returns the codes of an error, and what else has to travel.
	Encode(error) (codes []string, detail any)
	// Decode returns the errors that the failure's codes stand for. Codes that
	// are not known are left out.
	Decode(Failure) []error
}

// Sentinels are Codes for errors without detail, by their codes.
type Sentinels map[string]error

// Encode implements Codes.
func (s Sentinels) Encode(err error) (codes []string, detail any) {
	for _, code := range slices.Sorted(maps.Keys(s)) {
		if errors.Is(err, s[code]) {
			codes = append(codes, code)
		}
	}
	return codes, nil
}

// Decode implements Codes.
func (s Sentinels) Decode(f Failure) (errs []error) {
	for _, code := range f.Codes {
		if err, known := s[code]; known {
			errs = append(errs, err)
		}
	}
	return errs
}

// failed is an error that arrived: the text of the one that was sent, and what
// its codes stand for.
type failed struct {
	message string
	causes  []error
}

func (e *failed) Error() string { return e.message }

func (e *failed) Unwrap() []error { return e.causes }

// decode reads exactly one JSON value with known members only.
func decode(r io.Reader, into any) error {
	limited := &io.LimitedReader{R: r, N: maxBody + 1}
	body, err := io.ReadAll(limited)
	if err != nil {
		return err
	}
	if limited.N == 0 {
		return fmt.Errorf("more than %d bytes", maxBody)
	}
	return exact.Decode(bytes.NewReader(body), into)
}

// Interface guards
var _ Codes = Sentinels(nil)
