// Package policytest has the shipped policy for tests that need one and are about
// something else.
package policytest

import (
	"sync"
	"testing"

	"github.com/svc-games/svc/policy"
)

// Fixed is a policy that never changes.
type Fixed struct{ *policy.Evaluator }

var embedded = sync.OnceValues(policy.NewEvaluator)

// Embedded returns the policy that is shipped, compiled once for all tests of a process.
func Embedded(t testing.TB) Fixed {
	t.Helper()
	e, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	return Fixed{e}
}

func (Fixed) PolicyProblem() string { return "" }
func (Fixed) OnChange(func())       {}
