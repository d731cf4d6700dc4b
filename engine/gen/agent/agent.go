// Package agent has a tool-calling model write a game, or change the sources of one.
// The model works on a copy in memory, with a handful of tools that know neither a
// disk nor a shell nor a network: whatever a brief, a context block, a skill or a file
// says to it, no tool does more.
//
// The model never says that a game is done. A verifier does, and a revision that
// it did not pass is never handed out: what comes out is the last one that it did.
package agent

import (
	"context"
	"iter"
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

// Streamer is Models that hand an answer over as it comes.
type Streamer interface {
	Stream(ctx context.Context, r model.Request) iter.Seq2[model.Event, error]
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
	// Again: handed in as it is once more the revision may pass. The model was asked
	// whether it means it.
	Again bool
	// Unknown: nothing was found out about the revision. It counts as one that was not
	// handed in.
	Unknown bool
	// Wanting is what a revision that passed still lacks, "" for nothing. It is kept
	// as it is, whether or not the model adds it.
	Wanting string
}

// Reporter is told what happens.
type Reporter interface {
	// Step begins step n of at most so many.
	Step(n, most int)
	// Delta passes on a piece of what the model says, of whole words, and Say all of it.
	Delta(text string)
	Say(text string)
	// Call reports the call of a tool; the function it returns, its result.
	Call(name string, args map[string]any) func(ok bool, summary string)
	// Made reports a picture or a sound that was made for a path of the game.
	Made(path string, a Asset)
}

// Limits of a run.
type Limits struct {
	Steps  int           // answers of the model
	Answer int           // tokens that each of them may have
	Tokens int           // that it reads and writes in all of them together, at the price of one that is read
	Wall   time.Duration // until it is stopped
	Fixes  int           // times that a revision may be handed in again
	// TIK is what all of them may cost together, in millionths; 0 is no bound.
	TIK int64
	// Prices are those of the models that may answer, where TIK is bounded.
	Prices map[string]model.Price
	// Unknown is why TIK and Prices are not known; nil where they are. No answer is asked
	// for then.
	Unknown error
}

// LimitsOf returns the limits of a reasoning level. The time is what a job of
// that level has, less what generator and playtest need.
func LimitsOf(level api.ReasoningLevel) Limits {
	switch level {
	case api.ReasoningLow:
		return Limits{Steps: 20, Answer: 12_000, Tokens: 250_000, Wall: 5 * time.Minute, Fixes: 2}
	case api.ReasoningHigh:
		return Limits{Steps: 80, Answer: 32_000, Tokens: 2_500_000, Wall: 38 * time.Minute, Fixes: 8}
	}
	return Limits{Steps: 40, Answer: 24_000, Tokens: 800_000, Wall: 15 * time.Minute, Fixes: 4}
}

// Task is what a model is to do.
type Task struct {
	Model  string
	Ask    author.Ask
	Limits Limits
	Window int // tokens that the model can hold; 0 is unknown
	// Game is what to start from. It is not changed.
	Game compile.Files
	New  bool // there is nothing to play in it yet
	Plan bool // nothing is to be written but a plan
	// Fixed are files, and folders that end in a slash, that can be read and not
	// written, and why.
	Fixed map[string]string
	// Manual says how such a game is written.
	Manual string
	Stage  *Stage // nil where nothing can be played or made
	// About says what the game is, and what has been done.
	About string
	// Mask takes out of a text what no model may have, before it goes to one; nil takes
	// out nothing. The game's files keep it.
	Mask func(text string) string
}

func (t Task) masked(text string) string {
	if t.Mask == nil {
		return text
	}
	return t.Mask(text)
}

// Stop is why a run ended without the model's work having been proven; "" when
// it was.
type Stop string

// The reasons.
const (
	StopSteps    Stop = "it used up its steps"
	StopTokens   Stop = "it used up its tokens"
	StopTIK      Stop = "it used up the TIK that the operator allows for a job"
	StopWall     Stop = "it took too long"
	StopFixes    Stop = "what it handed in did not pass the playtest"
	StopLoop     Stop = "it went round in circles"
	StopRoom     Stop = "what goes with the request is more than it can hold"
	StopSilent   Stop = "it called no tool"
	StopProvider Stop = "it could not be asked"
)

// Outcome is what came of a run.
type Outcome struct {
	// Files is the last revision that was proven, as the verifier left it; nil
	// when nothing but the start was.
	Files     compile.Files
	Written   compile.Files // the sources as the model left them, proven or not; nil when it changed none
	Summary   string        // the model's own, of a revision that it handed in
	Unmet     []string      // what it says it could not do
	Plan      string        // what it proposes
	Questions []string      // for the user
	Stop      Stop
	Refusal   error // of a model that could not be asked
	Steps     int
	Usage     model.Usage // of all steps together
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
