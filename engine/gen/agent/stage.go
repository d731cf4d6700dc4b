package agent

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/studio"
)

// Theatre plays an author's game, and makes its pictures and sounds. An error is ctx's,
// the balance's, its own, or a Refusal.
type Theatre interface {
	// Try plays a revision.
	Try(ctx context.Context, files compile.Files, t playtest.Trial) (playtest.Showing, error)
	// TryCheck says what speaks against a check of a revision; "" when nothing does.
	TryCheck(ctx context.Context, files compile.Files, check []byte) (why string, err error)
	// Look says what is wrong with what is to be seen of a revision (G14).
	Look(ctx context.Context, files compile.Files, sees bool) (findings []string, err error)
	// Picture makes a picture.
	Picture(ctx context.Context, w studio.Wish) (Asset, error)
	// Sound makes a sound.
	Sound(ctx context.Context, w studio.Wish) (Asset, error)
}

// Asset is a picture or a sound that was made.
type Asset struct {
	Ext    string // of its file
	Data   []byte
	Note   string // how it was made
	Source string // model or procedural
}

// Refusal says to a model why something was not done.
type Refusal struct{ Why string }

func (r Refusal) Error() string { return r.Why }

// Stage is where one author's game is seen and played; what it shows to another is not
// on it.
type Stage struct {
	Theatre Theatre
	Sees    bool // the model can look at pictures
	Eyes    bool // a game that passed is looked at

	album   playtest.Album
	answers map[question]result
	assets  map[studio.Wish]Asset
	bytes   int // of them
	orders  int // of assets, also of those that came to nothing: each may be paid for
}

// question is what was asked of a revision.
type question struct {
	revision int
	asked    uint64 // fingerprint of the tool and its arguments
}

// staged offers a tool where there is a stage.
func staged(t Task) bool { return t.Stage != nil && !t.Plan }

// onStage makes a tool's work of a function that asks the stage. What was asked of it
// before of the same files is answered as before; a refusal may be another by then.
func onStage[A any](name string, do func(ctx context.Context, s *session, a A) (result, error)) func(context.Context, *session, json.RawMessage) (result, error) {
	run := with(do)
	return func(ctx context.Context, s *session, raw json.RawMessage) (result, error) {
		stage := s.task.Stage
		asked := fingerprint(name, string(raw))
		if r, ok := stage.answers[question{s.game.revision, asked}]; ok {
			r.text = "Nothing was changed since you asked the same. " + r.text
			return r, nil
		}
		r, err := run(ctx, s, raw)
		if refused := (Refusal{}); errors.As(err, &refused) {
			return bad(refused), nil
		}
		if err != nil {
			return r, err
		}
		if stage.answers == nil {
			stage.answers = map[question]result{}
		}
		stage.answers[question{s.game.revision, asked}] = r
		return r, nil
	}
}
