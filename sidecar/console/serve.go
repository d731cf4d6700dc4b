package console

import (
	"context"
	"errors"
	"net/http"

	"go.uber.org/zap"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/site"
)

// Preview answers for the preview's own origin. A file's address is
// /CODE/PATH, and the code is all that it takes, as long as the user who made it may
// play the game: no cookie is read or set there, and nothing else of the console is
// there.
func (c *Console) Preview() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{code}/{path...}", func(w http.ResponseWriter, r *http.Request) {
		job, d, err := c.previewed(r.Context(), r.PathValue("code"))
		switch {
		case errors.Is(err, sessions.ErrCode):
			http.Error(w, "This preview is over. Reload the job's page in the console.", http.StatusNotFound)
		case err != nil:
			c.Logger.Error("preview failed", zap.Error(err))
			http.Error(w, "The preview can't be shown right now.", http.StatusServiceUnavailable)
		case !d.Allow:
			http.Error(w, d.Error, d.Status)
		default:
			site.Serve{What: site.ServePreview, JobID: job, Path: r.PathValue("path")}.Ask(w)
		}
	})
	return mux
}

// previewed returns the job that a code stands for, or ErrCode, and whether the user
// who made the code may play its game.
func (c *Console) previewed(ctx context.Context, code string) (jobID string, d policy.Decision, err error) {
	jobID, userID, err := c.Sessions.Preview(ctx, code)
	if err != nil {
		return "", d, err
	}
	job, err := c.Ledger.Job(ctx, jobID)
	switch {
	case errors.Is(err, sidecar.ErrUnknownJob):
		return "", d, sessions.ErrCode
	case err != nil:
		return "", d, err
	}
	d, err = c.decide(ctx, userID, job.ProjectID, policy.ActionPreview)
	return jobID, d, err
}
