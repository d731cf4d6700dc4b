package gen

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/model"
)

// ErrExhausted is returned, wrapped, when a model can't be asked because the
// user's balance is used up.
var ErrExhausted = model.ErrExhausted

// authorFor returns who reads a request: nil for the generator itself, with
// the reason when the settings wanted a model.
func (g *embedded) authorFor(req Request) (model *author.Author, warning string) {
	switch {
	case req.Settings.Model == "" || req.Settings.Model == api.ModelEmbedded:
		return nil, ""
	case g.author == nil:
		return nil, "No model is configured: the generator read the request by itself."
	}
	return g.author, ""
}

// ask is what a model is asked of a request, verbatim but for secrets.
func ask(req Request) author.Ask {
	out := author.Ask{Prompt: masked(req.Prompt), Instructions: masked(req.Instructions), Settings: req.Settings}
	for _, c := range req.Context {
		out.Context = append(out.Context, api.ContextBlock{Name: c.Name, Content: masked(c.Content)})
	}
	for _, s := range req.Skills {
		s.Files = slices.Clone(s.Files)
		for i, f := range s.Files {
			s.Files[i].Content = masked(f.Content)
		}
		s.Prompt = masked(s.Prompt)
		out.Skills = append(out.Skills, s)
	}
	return out
}

// degraded says, for the job's record, why a model's answer is not used and
// the generator goes on without it. A job that was interrupted, or whose
// balance is used up, fails instead.
func degraded(ctx context.Context, err error) (reason string, failed bool) {
	switch {
	case err == nil:
		return "", false
	case ctx.Err() != nil, errors.Is(err, ErrExhausted):
		return "", true
	case errors.Is(err, author.ErrNoModel):
		return "The model of settings.model is not available here: the generator read the request by itself.", false
	}
	return helped("The model could not be used: the generator read the request by itself.", model.Hint(err)), false
}

// helped adds to a warning what would help, where something is known.
func helped(warning, hint string) string { return strings.TrimSuffix(warning+" "+hint, " ") }

var _ Models = (*model.Client)(nil)
