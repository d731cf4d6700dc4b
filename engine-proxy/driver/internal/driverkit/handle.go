package driverkit

import (
	"encoding/json"
	"fmt"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// NewHandle returns the handle of a driver whose instances data names, a struct
// of strings and numbers.
func NewHandle(name string, data any) driver.Handle {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return driver.Handle{Driver: name, Data: raw}
}

// ReadHandle reads what NewHandle was given. The handle of another driver, or
// a damaged one, names no instance: ErrNotFound.
func ReadHandle(h driver.Handle, name string, data any) error {
	if h.Driver != name {
		return fmt.Errorf("reading handle of driver %q: %w", h.Driver, driver.ErrNotFound)
	}
	if err := json.Unmarshal(h.Data, data); err != nil {
		return fmt.Errorf("reading %s handle: %w: %w", name, driver.ErrNotFound, err)
	}
	return nil
}

// Adopted returns what Adopt does of an instance that Inspect found, for a
// driver whose Watch reports every end: there is nothing to adopt of one that
// has ended.
func Adopted(obs driver.Observed, err error) (driver.Observed, error) {
	if err == nil && !obs.Running {
		return driver.Observed{}, driver.ErrNotFound
	}
	return obs, err
}
