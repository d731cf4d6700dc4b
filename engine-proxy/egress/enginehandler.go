package egress

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"
)

// Bounds of what an engine may do to what serves it.
const (
	maxConnections = 32
	maxHeader      = 16 << 10
	headerTimeout  = 10 * time.Second
	idleTimeout    = time.Minute
	// writeSlack is what an answer may take beyond twice the time of a call: the
	// end of a connection whose answer is late is no refusal that could be read.
	writeSlack = 10 * time.Second
)

// entry is where one engine reaches the egress: its socket, or its certificate at the gate.
type entry interface {
	// leave lets calls under way end until ctx does.
	leave(ctx context.Context)
	// close cuts them off.
	close()
}

// server is what serves engines.
func (e *Egress) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		WriteTimeout:      2*e.now().Timeout + writeSlack,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          zap.NewStdLog(zap.NewNop()), // what an engine does wrong is its own affair
	}
}

// engineHandler answers one engine.
type engineHandler struct {
	account *account
	token   [sha256.Size]byte
}

func newEngineHandler(a *account, token string) *engineHandler {
	return &engineHandler{account: a, token: sha256.Sum256([]byte(token))}
}

// ServeHTTP answers an engine: the token first, and nothing but the paths of
// the models.
func (h *engineHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	sum := sha256.Sum256([]byte(token))
	if !bearer || subtle.ConstantTimeCompare(sum[:], h.token[:]) != 1 {
		refuse(http.StatusUnauthorized, "unauthorized", "The engine's token is wrong.").writeTo(w)
		return
	}
	if r.URL.Path == "/v1/models" {
		if h.method(w, r, http.MethodGet) {
			h.account.egress.list(w, r)
		}
		return
	}
	to := routeOf(r.URL.Path)
	if to == nil {
		refuse(http.StatusNotFound, "not_found", "There is nothing at this path.").writeTo(w)
		return
	}
	if h.method(w, r, http.MethodPost) {
		h.account.egress.follow(r.Context())
		h.account.serve(w, r, to)
	}
}

func (h *engineHandler) method(w http.ResponseWriter, r *http.Request, allowed string) bool {
	if r.Method == allowed {
		return true
	}
	w.Header().Set("Allow", allowed)
	refuse(http.StatusMethodNotAllowed, "method_not_allowed", "Only %s works here.", allowed).writeTo(w)
	return false
}
