package studio

import (
	_ "embed"
	"errors"
	"net/http"
	"regexp"
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

// bridgeFile is beside the folders of a live preview: the script that says what goes
// wrong in a game.
const bridgeFile = "bridge.js"

//go:embed preview/bridge.js
var bridge []byte

// loads is the beginning of a tag that loads a script.
var loads = regexp.MustCompile(`(?i)<script( [^>]*)?\ssrc=`)

// watched puts the bridge before the scripts of a page, and has the browser say where
// in them an error is: without crossorigin it hides that from a page without an origin.
// A folder on a disk needs the scripts without, so the game's own page is as it is.
func watched(page []byte) []byte {
	first := true
	return loads.ReplaceAllFunc(page, func(tag []byte) []byte {
		var out []byte
		if first {
			out = append(out, `<script crossorigin src="../`+bridgeFile+`"></script>`+"\n"...)
			first = false
		}
		out = append(out, "<script crossorigin"...)
		return append(out, tag[len("<script"):]...)
	})
}

// Live answers with one file of a project's game as it is, or was at a revision, for a
// browser to run at the previews' origin. The console has made sure that the reader may
// see it.
func (s *Studio) Live(w http.ResponseWriter, r *http.Request, projectID, name string) {
	at, file, _ := strings.Cut(name, "/")
	if name == bridgeFile {
		gateway.GameHeaders(w.Header(), name, "private, no-store")
		_, _ = w.Write(bridge)
		return
	}
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
		share := s.Answers.Share(project.OwnerID)
		defer share.Release()
		owner := engineproxy.Project{ID: projectID, OwnerID: project.OwnerID}
		a, err = s.ask(withShare(r.Context(), share), owner, call{method: http.MethodGet, path: contract.PathFile, query: fileQuery(file, rev)})
	}
	switch {
	case err != nil:
		http.Error(w, "The preview can't be shown right now.", http.StatusServiceUnavailable)
		return
	case a.status != http.StatusOK:
		http.Error(w, "The game has no such file.", http.StatusNotFound)
		return
	}
	if file == "index.html" {
		a.body = watched(a.body)
	}
	gateway.GameHeaders(w.Header(), file, "private, no-store")
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(a.body) // a browser that went away is no error of ours
	}
}
