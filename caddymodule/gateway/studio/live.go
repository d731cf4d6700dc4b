package studio

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/caddymodule/gateway"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/sidecar"
)

// Now is what an address of a live preview begins with where it shows the present.
const Now = "now"

// Live answers with one file of a project's game as it is, or was at a revision, for a
// browser to run at the previews' origin. The console has made sure that the reader may
// see it.
func (s *Studio) Live(w http.ResponseWriter, r *http.Request, projectID, name string) {
	at, file, _ := strings.Cut(name, "/")
	rev, err := strconv.Atoi(at)
	if at == Now {
		rev, err = 0, nil
	}
	if file == "" || strings.HasSuffix(file, "/") {
		file += "index.html"
	}
	if err != nil || rev < 0 || !api.CleanPath(file) {
		http.Error(w, "The game has no such file.", http.StatusNotFound)
		return
	}
	project, err := s.Sidecar.Project(r.Context(), projectID)
	if errors.Is(err, sidecar.ErrUnknownProject) {
		http.Error(w, "This preview is over. Reload the studio.", http.StatusNotFound)
		return
	}
	var a answer
	if err == nil {
		owner := engineproxy.Project{ID: projectID, OwnerID: project.OwnerID}
		a, err = s.ask(r.Context(), owner, call{method: http.MethodGet, path: contract.PathFile, query: fileQuery(file, rev)})
	}
	switch {
	case err != nil:
		http.Error(w, "The preview can't be shown right now.", http.StatusServiceUnavailable)
		return
	case a.status != http.StatusOK:
		http.Error(w, "The game has no such file.", http.StatusNotFound)
		return
	}
	gateway.GameHeaders(w.Header(), file, "private, no-store")
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(a.body) // a browser that went away is no error of ours
	}
}
