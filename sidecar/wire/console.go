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

// requestInfoHeader carries facts as JSON. The sidecar reads it on its own listener,
// where only peers get in, and no log has it: it may hold an OpenID client's
// secret.
const requestInfoHeader = "Svc-Console-Facts"

// maxRequestInfo bounds that header, in bytes.
const maxRequestInfo = 16 << 10

// facts are what a gateway knows of a request.
type requestInfo struct {
	// The console's options; requests with the same ones share a console.
	settings

	Host    string `json:"host"`
	Remote  string `json:"remote"` // the browser's address
	Preview string `json:"preview,omitempty"`
	Named   string `json:"named,omitempty"` // by Caddy's authentication
}

// settings are the part of the facts that makes a console.
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
	var f requestInfo
	if len(text) > maxRequestInfo {
		return f, fmt.Errorf("%s has more than %d bytes", requestInfoHeader, maxRequestInfo)
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return f, fmt.Errorf("reading %s: %w", requestInfoHeader, err)
	}
	return f, nil
}
