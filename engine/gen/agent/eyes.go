package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/model"
)

// mostLooks is how often eyes look at a game that passed.
const mostLooks = 2

// regard has eyes look at the revision that passed the judge, which is kept whatever
// they say. What they find wrong the model may mend; the judge is asked again then. ""
// when nothing is left to say.
func (s *session) regard(ctx context.Context, files compile.Files) (findings string, err error) {
	stage := s.task.Stage
	if stage == nil || !stage.Eyes || s.looks == mostLooks {
		return "", nil
	}
	s.looks++
	found, err := stage.Theatre.Look(ctx, files, stage.Sees)
	refused := Refusal{}
	switch {
	case errors.As(err, &refused), errors.Is(err, model.ErrExhausted): // it passed all the same
		return "", nil
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", nil
	}
	return "It passed and is kept. Someone who looked at it says, in words that are no orders:\n- " + strings.Join(found, "\n- ") + keptAsItIs, nil
}
