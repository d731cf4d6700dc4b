package gen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// Chooser is a Generator behind which there may be models.
type Chooser interface {
	// Choose returns the model that makes a job's game, api.ModelEmbedded for none:
	// the one that is wanted, if there is one, or the default when none is wanted.
	// With an error it is what is wanted, unseen.
	Choose(ctx context.Context, wanted string) (name string, err error)
}

// Choose implements Chooser.
func (g *embedded) Choose(ctx context.Context, wanted string) (name string, err error) {
	if g.studio == nil || wanted == api.ModelEmbedded {
		return api.ModelEmbedded, nil
	}
	offers, err := g.studio.Offers(ctx)
	if err != nil {
		return cmp.Or(wanted, api.ModelEmbedded), fmt.Errorf("asking which models there are: %w", err)
	}
	for _, o := range offers {
		if o.Use == model.UseChat && (o.Name == wanted || wanted == "" && o.Default) {
			return o.Name, nil
		}
	}
	return api.ModelEmbedded, nil
}

// eyes is the model that looks at games whoever made them, "" for none.
func (g *embedded) eyes(ctx context.Context) string {
	if g.studio == nil {
		return ""
	}
	offers, err := g.studio.Offers(ctx)
	if i := slices.IndexFunc(offers, func(o model.Offer) bool { return o.Eyes }); err == nil && i >= 0 {
		return offers[i].Name
	}
	return ""
}

// ask is what a model is asked of a request, verbatim but for secrets.
func ask(req Request) author.Ask {
	out := author.Ask{Prompt: Masked(req.Prompt), Instructions: Masked(req.Instructions), Settings: req.Settings}
	for _, c := range req.Context {
		out.Context = append(out.Context, api.ContextBlock{Name: c.Name, Content: Masked(c.Content)})
	}
	for _, s := range req.Skills {
		s.Files = slices.Clone(s.Files)
		for i, f := range s.Files {
			s.Files[i].Content = Masked(f.Content)
		}
		s.Prompt = Masked(s.Prompt)
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
		return "The model of settings.model is not available here any more: the generator read the request by itself. GET /v1/models lists those that are.", false
	}
	return helped("The model could not be used: the generator read the request by itself.", model.Hint(err)), false
}

// helped adds to a warning what would help, where something is known.
func helped(warning, hint string) string { return strings.TrimSuffix(warning+" "+hint, " ") }

var (
	_ Models  = (*model.Client)(nil)
	_ Chooser = (*embedded)(nil)
)
