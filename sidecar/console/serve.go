package console

import (
	"errors"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/site"
)

// Preview answers for the preview's own origin. A file's address is
// /CODE/PATH, and the code is all that it takes: no cookie is read or set
// there, and nothing else of the console is there.
func (c *Console) Preview() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{code}/{path...}", func(w http.ResponseWriter, r *http.Request) {
		subject, err := c.Sessions.Preview(r.Context(), r.PathValue("code"))
		project, live := strings.CutPrefix(subject, livePrefix)
		switch {
		case errors.Is(err, sessions.ErrCode):
			http.Error(w, "This preview is over. Reload the job's page in the console.", http.StatusNotFound)
		case err != nil:
			c.Logger.Error("preview failed", zap.Error(err))
			http.Error(w, "The preview can't be shown right now.", http.StatusServiceUnavailable)
		case live:
			site.Serve{What: site.ServeLive, ProjectID: project, Path: r.PathValue("path")}.Ask(w)
		default:
			site.Serve{What: site.ServePreview, JobID: subject, Path: r.PathValue("path")}.Ask(w)
		}
	})
	return mux
}
