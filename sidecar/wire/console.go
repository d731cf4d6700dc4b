package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/svc-games/svc/sidecar/site"
)

// Paths at which the sidecar serves the console, its previews, and whether
// sessions have ended.
const (
	ConsolePath  = "/console-of/v1"
	pathPages    = ConsolePath + "/pages"
	pathPreview  = ConsolePath + "/preview"
	pathSessions = ConsolePath + "/sessions"
)

// Answers of pathSessions. Any other one says nothing of the session.
const (
	statusGoesOn = http.StatusNoContent
	statusEnded  = http.StatusGone
)

// requestInfoHeader carries a requestInfo as JSON. It is read on the sidecar's own
// listener, which only peers can reach, and never logged: it may hold the secret of
// an OpenID client.
const requestInfoHeader = "Svc-Console-Facts"

// maxRequestInfo bounds that header, in bytes.
const maxRequestInfo = 16 << 10

// requestInfo is what a gateway knows of a request.
type requestInfo struct {
	// Requests with the same settings share a console.
	settings

	Host    string `json:"host"`
	Remote  string `json:"remote"` // the browser's address
	Preview string `json:"preview,omitempty"`
	Named   string `json:"named,omitempty"` // by Caddy's authentication
}

// settings are the options of a console.
type settings struct {
	Secure     bool          `json:"secure,omitempty"` // browsers speak HTTPS
	Identifies bool          `json:"identifies,omitempty"`
	Idle       time.Duration `json:"idle,omitempty"`     // nanoseconds
	Absolute   time.Duration `json:"absolute,omitempty"` // nanoseconds
	OIDC       *site.OIDC    `json:"oidc,omitempty"`
}

func readRequestInfo(r *http.Request) (requestInfo, error) {
	text := r.Header.Get(requestInfoHeader)
	r.Header.Del(requestInfoHeader)
	var info requestInfo
	if len(text) > maxRequestInfo {
		return info, fmt.Errorf("%s has more than %d bytes", requestInfoHeader, maxRequestInfo)
	}
	if err := json.Unmarshal([]byte(text), &info); err != nil {
		return info, fmt.Errorf("reading %s: %w", requestInfoHeader, err)
	}
	return info, nil
}
