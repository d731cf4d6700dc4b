// Package agent has a tool-calling model change the sources of a game that the
// generator made and proved. The model works on a copy in memory, with a handful
// of tools that know neither a disk nor a shell nor a network: whatever a brief, a
// context block, a skill or a file says to it, no tool does more.
//
// The model never says that a game is done. A verifier does, and a revision that
// it did not pass is never handed out: what comes out is the last one that it did.
package agent

import (
	"context"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/model"
)

// Models answers questions; *model.Client does.
type Models interface {
	Chat(ctx context.Context, r model.Request) (model.Reply, error)
}

// Verifier judges revisions of a game. It gets sources, and may add to the map
// what it builds of them. An error is ctx's, or the verifier's own.
type Verifier interface {
	// Syntax says what the compiler makes of a file on its own.
	Syntax(ctx context.Context, name, content string) ([]build.Problem, error)
	// Check audits, builds and simulates a revision.
	Check(ctx context.Context, files compile.Files) (Verdict, error)
	// Prove does what has to pass before a revision may be handed out.
	Prove(ctx context.Context, files compile.Files) (Verdict, error)
}

// Verdict is what a verifier says of a revision.
type Verdict struct {
	OK       bool
	Findings []string // what is wrong, in words for the model, the worst first
	Note     string   // what was measured
}

// Reporter is told what happens.
type Reporter interface {
	// Step begins step n of at most so many.
	Step(n, most int)
	// Say passes on what the model says.
	Say(text string)
	// Call reports the call of a tool; the function it returns, its result.
	Call(name string, args map[string]any) func(ok bool, summary string)
}

// Limits of a run.
type Limits struct {
	Steps  int           // answers of the model
	Tokens int           // that it reads and writes in all of them together
	Wall   time.Duration // until it is stopped
	Fixes  int           // times that a revision may be handed in again
}

// LimitsOf returns the limits of a reasoning level. The time is what a job of
// that level has, less what generator and playtest need.
func LimitsOf(level api.ReasoningLevel) Limits {
	switch level {
	case api.ReasoningLow:
		return Limits{Steps: 12, Tokens: 150_000, Wall: 2 * time.Minute, Fixes: 1}
	case api.ReasoningHigh:
		return Limits{Steps: 60, Tokens: 1_500_000, Wall: 14 * time.Minute, Fixes: 5}
	}
	return Limits{Steps: 30, Tokens: 500_000, Wall: 6 * time.Minute, Fixes: 3}
}

// Task is what a model is to do.
type Task struct {
	Model  string
	Ask    author.Ask
	Limits Limits
	// Game is the proven game to start from. It is not changed.
	Game compile.Files
	// Mechanic is the name of the game's mechanic.
	Mechanic string
	// About says what the generator made and what it could not.
	About string
	// Tune changes tunables of the game's data file and says what it did.
	Tune func(data []byte, changes map[string]float64) (tuned []byte, did string, err error)
}

// Stop is why a run ended without the model's work having been proven; "" when
// it was.
type Stop string

// The reasons.
const (
	StopSteps    Stop = "it used up its steps"
	StopTokens   Stop = "it used up its tokens"
	StopWall     Stop = "it took too long"
	StopFixes    Stop = "what it handed in did not pass the playtest"
	StopLoop     Stop = "it went round in circles"
	StopSilent   Stop = "it called no tool"
	StopProvider Stop = "it could not be asked"
)

// Outcome is what came of a run.
type Outcome struct {
	// Files is the last revision that was proven, as the verifier left it; nil
	// when nothing but the start was.
	Files   compile.Files
	Summary string   // the model's own, of a revision that it handed in
	Unmet   []string // what it says it could not do
	Stop    Stop
	Hint    string // what would help a model that could not be asked
	Steps   int
	Usage   model.Usage // of all steps together
}

// Run lets a model work until it hands in a revision that passes, or a limit
// ends it. Then what it left is proven all the same, and is the outcome if it
// passes. An error is ctx's, model.ErrExhausted, or the verifier's.
func Run(ctx context.Context, models Models, verifier Verifier, rep Reporter, task Task) (Outcome, error) {
	s := newSession(models, verifier, rep, task)
	stop, err := s.work(ctx)
	if err != nil {
		return s.outcome(stop), err
	}
	if stop != "" {
		if err := s.salvage(ctx); err != nil {
			return s.outcome(stop), err
		}
	}
	return s.outcome(stop), nil
}
