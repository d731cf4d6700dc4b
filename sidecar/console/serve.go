package console

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
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
		served, d, err := c.previewed(r.Context(), r.PathValue("code"))
		switch {
		case errors.Is(err, errPreviewRate):
			w.Header().Set("Retry-After", "1")
			http.Error(w, "Too many people look at this game right now. Try again later.", http.StatusServiceUnavailable)
		case errors.Is(err, sessions.ErrCode):
			http.Error(w, "This preview is over. Load its page in the console again.", http.StatusNotFound)
		case err != nil:
			c.Logger.Error("preview failed", zap.Error(err))
			http.Error(w, "The preview can't be shown right now.", http.StatusServiceUnavailable)
		case !d.Allow:
			http.Error(w, d.Error, d.Status)
		default:
			path := r.PathValue("path")
			if !strings.HasPrefix(path, served.Path) && !(served.Path != "" && path == "bridge.js") {
				http.Error(w, "The game has no such file.", http.StatusNotFound)
				return
			}
			served.Path = path
			served.Ask(w)
		}
	})
	return mux
}

// errPreviewRate: the files of a preview are asked for too fast.
var errPreviewRate = errors.New("over the rate of one preview")

// previewed returns the job or the project whose game a code stands for, with what all
// paths must begin with, or ErrCode or errPreviewRate, and whether the user who made the code may play it.
func (c *Console) previewed(ctx context.Context, code string) (site.Serve, policy.Decision, error) {
	subject, userID, err := c.Sessions.Preview(ctx, code)
	if err == nil && !c.attempt.allowFile(code) {
		err = errPreviewRate
	}
	if err != nil {
		return site.Serve{}, policy.Decision{}, err
	}
	serve := site.Serve{What: site.ServePreview, JobID: subject}
	project, live := strings.CutPrefix(subject, livePrefix)
	action := policy.ActionPreview
	if of, rev, ok := sessions.Shared(subject); ok {
		project, action = of, policy.ActionPublish                                             // as it took to make it
		serve = site.Serve{What: site.ServeLive, ProjectID: of, Path: strconv.Itoa(rev) + "/"} // and no other version
	} else if live {
		serve = site.Serve{What: site.ServeLive, ProjectID: project}
	} else {
		job, err := c.Ledger.Job(ctx, subject)
		if errors.Is(err, sidecar.ErrUnknownJob) {
			err = sessions.ErrCode
		}
		if err != nil {
			return site.Serve{}, policy.Decision{}, err
		}
		project = job.ProjectID
	}
	d, err := c.decide(decisionlog.WithRepeats(ctx), userID, project, action)
	return serve, d, err
}
