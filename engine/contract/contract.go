// Package contract is a suite that any engine can be run against. It starts the
// engine as its own process, speaks to it as an engine proxy does, kills it, and
// looks at nothing but its answers, its volume and its log.
//
// An engine that is not ours is tried with
//
//	go test ./engine/contract -engine "/path/to/engine --its-flags"
//
// to which the suite adds the flags of docs/engine-contract.md.
package contract

import (
	"testing"
	"time"
)

// Target is an engine under test.
type Target struct {
	// Command is the engine's program and its first arguments. The flags of the
	// contract follow them.
	Command []string
	// Stuck is added to the environment for an engine whose work never ends and
	// may take StuckFor; without it the cases about that are skipped.
	Stuck    []string
	StuckFor time.Duration
	// AsksModels says that the engine asks models: the cases that need a call
	// then fail without one, and are skipped otherwise.
	AsksModels bool
	// Slack is added to every limit of time that the contract sets, for a
	// machine that is busy with other work; default none.
	Slack time.Duration
	// EveryWrite kills the engine before each of its writes; default before the
	// first and the last of each kind that changes what a kill leaves.
	EveryWrite bool
}

// defaultPrompt is a brief that any engine should be able to follow.
const defaultPrompt = "A frog jumps over logs, on a plain canvas"

// A suite is a group of cases; the name of a case is what it proves.
type suite struct {
	name  string
	cases []named
}

type named struct {
	name string
	run  func(t *testing.T, target Target)
}

// running is a case about an engine that is ready.
func running(run func(t *testing.T, e *engine)) func(*testing.T, Target) {
	return func(t *testing.T, target Target) { run(t, startEngine(t, target)) }
}

// suites are all cases, in the order of docs/engine-contract.md.
func suites() []suite {
	return []suite{
		{"Start", startCases}, {"Submit", submitCases}, {"Jobs", jobCases}, {"Events", eventCases}, {"Files", fileCases},
		{"Feed", feedCases}, {"Models", modelCases}, {"Elsewhere", elsewhereCases}, {"Kill", killCases}, {"Input", inputCases},
	}
}

// Run runs the suite against target. Each case has a project and an engine of its
// own, so cases run side by side; go test's -parallel bounds how many.
func Run(t *testing.T, target Target) {
	for _, s := range suites() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range s.cases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(t, target)
				})
			}
		})
	}
}
