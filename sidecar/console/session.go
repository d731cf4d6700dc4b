package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"go.uber.org/zap"

	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/site"
	"github.com/svc-games/svc/sidecar/store"
)

// SessionCookie holds a session's secret. Its prefix makes browsers refuse one
// that another host, or a page without TLS, tries to set; they take this
// machine's own addresses for safe.
const SessionCookie = "__Host-svc-session"

// exchange is a request of a user who is signed in, and its answer.
type exchange struct {
	http.ResponseWriter
	r       *http.Request
	session sessions.Session
	user    string
}

// actor names the visitor in the audit log.
func (x *exchange) actor() string { return sessions.Actor(x.user) }

// signedIn lets those who are signed in pass, and sends the others to the
// sign-in page.
//
// A *failure that next returns is the answer; any other error is a failure of the
// service.
func (c *Console) signedIn(next func(*exchange) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		session, err := c.session(r)
		switch {
		case errors.Is(err, sessions.ErrNone):
			c.askToSignIn(w, r)
		case err != nil:
			c.broken(w, r, err)
		default:
			x := &exchange{ResponseWriter: w, r: r, session: session, user: session.UserID}
			if err := next(x); err != nil {
				var f *failure
				if !errors.As(err, &f) {
					f = c.unavailable(w, r, err)
				}
				c.renderFrame(x, r, f.Status, frame{Page: "failure", User: x.user, Data: f})
			}
		}
	})
}

// session returns the session of a request. A user whom Caddy's authentication names
// has one without signing in; a cookie of another user's session is ignored then.
func (c *Console) session(r *http.Request) (sessions.Session, error) {
	named := ""
	if c.options.Identity != nil {
		named = c.options.Identity(r)
	}
	found, err := sessions.Session{}, sessions.ErrNone
	if cookie, missing := r.Cookie(SessionCookie); missing == nil {
		found, err = c.Sessions.Find(r.Context(), cookie.Value)
	}
	switch {
	case err != nil && !errors.Is(err, sessions.ErrNone):
		return sessions.Session{}, err
	case named == "" && err == nil && found.Via == sessions.ViaCaddy:
		return sessions.Session{}, sessions.ErrNone // the identity has ended
	case named == "", err == nil && found.UserID == named:
		return found, err
	}
	return c.named(r, named)
}

// setCookie gives the browser a session's secret. It has no lifetime of its
// own: the session ends in the store.
func setCookie(w http.ResponseWriter, secret string) { putCookie(w, SessionCookie, secret, 0) }

func dropCookie(w http.ResponseWriter) { putCookie(w, SessionCookie, "", -1) }

// putCookie sets a cookie for maxAge seconds, until the browser ends with 0,
// and removes it with -1.
func putCookie(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode,
	})
}

// askToSignIn sends a reader to the sign-in page and from there back. A form
// that comes after its session has ended is refused with a message.
func (c *Console) askToSignIn(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		http.Redirect(w, r, "/console/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		return
	}
	c.render(w, r, http.StatusUnauthorized, "signin", signInPage{
		Error: "Your session has ended. Nothing was changed: sign in and do it again.", Next: pageOf(r), OIDC: c.oidcName(),
	})
}

// pageOf returns the page that a form was sent from, "" without a Referer of this
// host.
func pageOf(r *http.Request) string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host {
		return ""
	}
	return u.RequestURI()
}

// nextPage returns the page of ours that a visitor came for.
func nextPage(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, site.Path) || strings.ContainsAny(next, "\\\r\n") {
		return site.StudioPath
	}
	return u.RequestURI()
}

func (c *Console) signOut(x *exchange) error {
	return c.leave(x, c.Sessions.End(x.r.Context(), x.session))
}

func (c *Console) signOutEverywhere(x *exchange) error {
	return c.leave(x, c.Sessions.EndAll(x.r.Context(), x.session))
}

func (c *Console) leave(x *exchange, err error) error {
	if err != nil {
		return err
	}
	dropCookie(x)
	return x.redirect("/console/login?out=1")
}

// redirect answers with the address of the page to load instead.
func (x *exchange) redirect(to string) error {
	http.Redirect(x, x.r, to, http.StatusSeeOther)
	return nil
}

// broken answers a failure of the service; the log has the reason.
func (c *Console) broken(w http.ResponseWriter, r *http.Request, err error) {
	f := c.unavailable(w, r, err)
	c.fail(w, r, f.Status, f.Message)
}

// unavailable logs a failure of the service and returns its page.
func (c *Console) unavailable(w http.ResponseWriter, r *http.Request, err error) *failure {
	c.Logger.Error("console page failed", zap.String("path", r.URL.Path), zap.Error(err))
	w.Header().Set("Retry-After", "5")
	message := "The service can't answer right now. Nothing was changed; try again in a moment."
	if errors.Is(err, store.ErrInDoubt) {
		message = "The service can't say right now whether it was done: look before you do it again."
	}
	return &failure{http.StatusServiceUnavailable, message}
}
