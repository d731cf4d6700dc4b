package studio

import (
	"context"
	_ "embed"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/sidecar"
)

// What an address of a live preview begins with, in place of a version: where it shows the
// present, and what the running job has built.
const (
	Now   = "now"
	Built = "built"
)

// bridgeFile is beside the folders of a live preview: the script that says what goes
// wrong in a game.
const bridgeFile = "bridge.js"

// The parts of the bridge. They share their names, and none with the game.
var (
	//go:embed preview/clock.js
	clockPart []byte
	//go:embed preview/bridge.js
	bridgePart []byte

	bridge = slices.Concat([]byte("(() => {\n"), clockPart, bridgePart, []byte("})();\n"))
)

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

// liveRate bounds the files of a project's previews, its shares among them, which anybody
// may open who has the link.
var liveRate = rate.PerSecond(100, 1000)

// opening is shown while a game's engine starts: a link that was shared is opened without
// the studio, which would ask again.
const opening = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">` +
	`<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="2"><title>Opening the game</title>` +
	`<p>The game is being opened. This page asks again by itself.</p></html>`

// refuseLive answers that a file can't be shown for now.
func refuseLive(w http.ResponseWriter, wait time.Duration, message string) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds(wait)))
	http.Error(w, message, http.StatusServiceUnavailable)
}

// sendTimeout is how long a browser may take to read a file of a game.
const sendTimeout = 2 * time.Minute

// hurry ends an answer that nobody reads: it would take of its owner's room as long as the
// reader, who may be anybody with a link, keeps the connection. The function returned has the
// connection be as it was.
func hurry(w http.ResponseWriter) (done func()) {
	c := http.NewResponseController(w)
	_ = c.SetWriteDeadline(time.Now().Add(sendTimeout)) // a writer that knows no deadline is one of a test
	return func() {
		_ = c.Flush()
		_ = c.SetWriteDeadline(time.Time{})
	}
}

// queryOfLive is how an engine is asked for a file of the folder that a preview's address
// begins with.
func queryOfLive(at, file string) (url.Values, bool) {
	if !api.CleanPath(file) {
		return nil, false
	}
	if at == Now {
		return fileQuery(file, 0), true
	}
	if at == Built {
		return url.Values{"path": {file}, "rev": {contract.RevBuilt}}, true
	}
	rev, err := strconv.Atoi(at)
	return fileQuery(file, rev), err == nil && rev >= 0
}

// Live answers with one file of a project's game as it is, or was at a revision, for a
// browser to run at the previews' origin. The console has made sure that the reader may
// see it.
func (s *Studio) Live(w http.ResponseWriter, r *http.Request, projectID, name string) {
	at, file, _ := strings.Cut(name, "/")
	if data, ours := own[name]; ours {
		gateway.GameHeaders(w.Header(), name, "private, no-store")
		_, _ = w.Write(data)
		return
	}
	if file == "" || strings.HasSuffix(file, "/") {
		file += "index.html"
	}
	query, ok := queryOfLive(at, file)
	if !ok {
		http.Error(w, "The game has no such file.", http.StatusNotFound)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
	defer cancel()
	project, err := s.Sidecar.Project(ctx, projectID)
	if errors.Is(err, sidecar.ErrUnknownProject) {
		http.Error(w, "This preview is over. Load its page in the console again.", http.StatusNotFound)
		return
	}
	if refused := s.Rates.Spend(ctx, "live:"+projectID, liveRate); refused != nil {
		refuseLive(w, refused.RetryAfter, "Too many people look at this game right now. Try again later.")
		return
	}
	var a answer
	if err == nil {
		share := s.Answers.Share(project.OwnerID)
		defer share.Release()
		defer hurry(w)()
		owner := engineproxy.Project{ID: projectID, OwnerID: project.OwnerID}
		a, err = s.ask(withShare(ctx, share), owner, call{method: http.MethodGet, path: contract.PathFile, query: query})
	}
	var notYet *answers.Error
	switch {
	case errors.As(err, &notYet) && notYet.RetryAfter > 0 && file == "index.html":
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'")
		h.Set("Cache-Control", "no-store")
		h.Set("Retry-After", strconv.Itoa(seconds(notYet.RetryAfter)))
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(opening))
		return
	case err != nil:
		refuseLive(w, time.Second, "The preview can't be shown right now.")
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
