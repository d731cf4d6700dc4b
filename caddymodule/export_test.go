package caddymodule

import (
	"testing"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/block"
)

// AppOptions are the app's own, which nobody reads.
func AppOptions() block.Options { return new(App).options(nil, nil) }

// Deprecate has an operation be on its way out, until the test ends.
func Deprecate(t *testing.T, d answers.Deprecation) {
	before := deprecations
	deprecations = []answers.Deprecation{d}
	t.Cleanup(func() { deprecations = before })
}

// DefaultBounds are how many event streams may be open by default, and of how many jobs.
func DefaultBounds() (streams, jobs int, err error) {
	a := new(App)
	if err := a.boundStreams(); err != nil {
		return 0, 0, err
	}
	jobs, err = followedJobs()
	return a.MaxStreams, jobs, err
}
