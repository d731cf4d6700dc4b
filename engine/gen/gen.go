// Package gen turns a brief into the files of a browser game.
package gen

import (
	"context"
	"os"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/swap"
)

// Deliverable is the folder of the workspace whose content is the game: what
// the ZIP of a job holds.
const Deliverable = "game"

// Request is a job's brief together with what its project inherits.
type Request struct {
	JobID        string
	ProjectID    string
	Prompt       string
	Instructions string // the project's AGENTS.md, "" when there is none
	Context      []api.ContextBlock
	Skills       []api.Skill  // sent with the brief, then stored ones that are like it
	Settings     api.Settings // every field set: sticky values and defaults
	Workspace    *os.Root     // the project's files; nothing is written elsewhere
	Locked       []string     // paths of the game's files that must stay as they are
	// Change makes changes of the project's files, all or none. more is what else
	// will be stored of them, in bytes: their ZIP. An error for want of room has a
	// text that is for the user. Default: without limits.
	Change func(changes []swap.Change, more int64) error

	// writes: what the words of a change don't do, a model does in the sources.
	writes bool
}

// Reporter receives what a generator does while it does it.
type Reporter interface {
	// Progress sets the job's stage, percent (0 to 100) and message.
	Progress(stage api.Stage, percent int, message string)
	// Event appends an event to the job's log, one of the api.Event… types
	// between job.started and the terminal one.
	Event(eventType string, members map[string]any)
	// Built shows the files of a game that builds, perhaps with pictures of it. Nobody may
	// have played it.
	Built(files map[string][]byte)
}

// Result is what a generator made.
type Result struct {
	Summary string   // one or two sentences for the user
	Changed bool     // the deliverable differs from before
	Unmet   []string // phrases of the brief that were not understood
	// Free: no game was made. What models were asked is charged where they are called.
	Free bool
	// Learned is what later jobs of the project may take from this one; nil for
	// nothing new.
	Learned *api.Skill
	// Written are, beside an error, the files of the game as they were written by then and
	// not proven; nil for none.
	Written map[string][]byte
}

// Generator makes or changes a game. Generate returns ctx's error soon after
// ctx ends, and otherwise an error whose text is fit for the user's eyes. Beside an
// error of the result only Written counts.
type Generator interface {
	Generate(ctx context.Context, req Request, rep Reporter) (Result, error)
}
