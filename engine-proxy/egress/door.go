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

// entrance is by what one engine comes in.
type entrance interface {
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

// door answers one engine.
type door struct {
	account *account
	token   [sha256.Size]byte
}

func newDoor(a *account, token string) *door {
	return &door{account: a, token: sha256.Sum256([]byte(token))}
}

// ServeHTTP answers an engine: the token first, and nothing but the paths of
// the models.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	sum := sha256.Sum256([]byte(token))
	if !bearer || subtle.ConstantTimeCompare(sum[:], d.token[:]) != 1 {
		refuse(http.StatusUnauthorized, "unauthorized", "The engine's token is wrong.").writeTo(w)
		return
	}
	if r.URL.Path == "/v1/models" {
		if d.method(w, r, http.MethodGet) {
			d.account.egress.list(w, r)
		}
		return
	}
	to := routeOf(r.URL.Path)
	if to == nil {
		refuse(http.StatusNotFound, "not_found", "There is nothing at this path.").writeTo(w)
		return
	}
	if d.method(w, r, http.MethodPost) {
		d.account.egress.follow(r.Context())
		d.account.serve(w, r, to)
	}
}

func (d *door) method(w http.ResponseWriter, r *http.Request, allowed string) bool {
	if r.Method == allowed {
		return true
	}
	w.Header().Set("Allow", allowed)
	refuse(http.StatusMethodNotAllowed, "method_not_allowed", "Only %s works here.", allowed).writeTo(w)
	return false
}
