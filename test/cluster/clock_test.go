package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/rig/offset"
)

// clock is what sidecars of the rig's gateways go by for days, months and
// deadlines, once Env is among their variables.
type clock struct {
	t    testing.TB
	path string
}

// newClock returns a clock that is right.
func newClock(t testing.TB) *clock {
	t.Helper()
	return &clock{t: t, path: filepath.Join(keep.Dir(t), "clock")}
}

// Env is the variable of the processes that go by the clock.
func (c *clock) Env() string { return offset.Env + "=" + c.path }

// Set sets the clock, which goes on from there.
func (c *clock) Set(now time.Time) {
	c.t.Helper()
	if err := errors.Join(os.WriteFile(c.path+".new", []byte(time.Until(now).String()), 0o600), os.Rename(c.path+".new", c.path)); err != nil {
		c.t.Fatal(err)
	}
}
