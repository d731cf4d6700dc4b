package jobs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
)

// choosing is a generator that knows the models a test says. It has no default
// where that is "down", for then no one can be asked.
type choosing struct {
	script
	standard string
}

func (c choosing) Choose(_ context.Context, wanted string) (string, error) {
	switch {
	case c.standard == "down" && wanted == "":
		return api.ModelEmbedded, errors.New("no one answers")
	case wanted == "":
		return c.standard, nil
	case wanted == "gone":
		return api.ModelEmbedded, nil
	}
	return wanted, nil
}

func TestJobWithoutAModelIsTheDefaultsAndSaysSo(t *testing.T) {
	for name, tc := range map[string]struct{ standard, wanted, asks, record string }{
		"the default":         {"writer", "", "writer", "writer"},
		"another":             {"writer", "thinker", "thinker", "thinker"},
		"none on purpose":     {"writer", "embedded", "embedded", "embedded"},
		"one that is gone":    {"writer", "gone", "gone", "embedded"},
		"no one can be asked": {"down", "", "embedded", "embedded"},
		"there is none":       {"embedded", "", "embedded", "embedded"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan string, 1)
			g := choosing{func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
				asked <- req.Settings.Model
				return write(ctx, req, rep)
			}, tc.standard}
			e := start(t, t.TempDir(), g)
			id := e.submitRequest(api.GenerateRequest{ProjectID: project, Prompt: "a fox", Settings: api.Settings{Model: tc.wanted}})
			record := e.finish(id)
			if got := <-asked; got != tc.asks || record.Model != tc.record {
				t.Errorf("%q was asked, the record says %q", got, record.Model)
			}
			warned := false
			for _, event := range e.events(id) {
				warned = warned || event.Type == api.EventWarning
			}
			if warned != (tc.standard == "down") {
				t.Errorf("warned %t", warned)
			}
		})
	}
}

// TestDefaultDoesNotStickToTheProject: what the operator prefers, no one chose.
func TestDefaultDoesNotStickToTheProject(t *testing.T) {
	dir := t.TempDir()
	e := start(t, dir, choosing{write, "writer"})
	first := e.finish(e.submit("a fox"))
	e = e.restart(choosing{write, "thinker"})
	if second := e.finish(e.submit("faster")); first.Model != "writer" || second.Model != "thinker" {
		t.Errorf("made by %q, then by %q", first.Model, second.Model)
	}
}
