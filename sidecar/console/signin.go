package console

import (
	"errors"
	"net/http"
	"strings"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/store"
)

// probeCookie shows, before a one-time link is used up, whether a browser keeps
// our cookies where there is no TLS. It opens nothing.
const probeCookie = "__Host-svc-probe"

// signInPage is what the sign-in page shows.
type signInPage struct {
	Error, Notice string
	Next          string
	OIDC          string // the provider's name; "" without one
	Ask           bool   // before a link signs in: who follows it may not have meant to
}

// signInAs asks whether a link may sign a browser in.
type signInAs struct {
	User       string // whom the link signs in
	Now        string // who is signed in; "" for nobody
	Code, Next string
}

func (c *Console) showSignIn(w http.ResponseWriter, r *http.Request) {
	page := signInPage{Next: r.URL.Query().Get("next"), OIDC: c.oidcName(), Ask: fromElsewhere(r)}
	switch {
	case r.URL.Query().Get("out") != "":
		page.Notice = "You are signed out."
	case !c.overTLS(r) && c.private(r):
		putCookie(w, probeCookie, "1", int(sessions.LinkTTL.Seconds()))
	case !c.private(r):
		page.Error = "This address has no TLS, so a session could be read on its way. Use https, or localhost on the machine itself."
	}
	c.render(w, r, http.StatusOK, "signin", page)
}

// fromElsewhere reports whether another site led to a page, as far as the browser
// says. A link that was typed, or opened from another program, came from nowhere.
func fromElsewhere(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "none" && site != "same-origin"
}

// signIn takes the code of a one-time link. The link has it behind "#", which
// browsers don't send: it is in no log. A link on another site could sign a visitor
// in to the account of an attacker. So signIn asks for confirmation when the request
// comes from another site, or another user is signed in.
func (c *Console) signIn(w http.ResponseWriter, r *http.Request) {
	next := r.PostFormValue("next")
	refuse := func(status int, message string) {
		c.render(w, r, status, "signin", signInPage{Error: message, Next: next, OIDC: c.oidcName()})
	}
	if !c.private(r) {
		refuse(http.StatusForbidden, "Signing in needs https, or localhost on the machine itself.")
		return
	}
	if _, err := r.Cookie(probeCookie); err != nil && !c.overTLS(r) {
		refuse(http.StatusBadRequest, "Your browser keeps no session of this address: Safari does not without https, nor does a browser that blocks cookies. "+
			"Use another browser, or have the service started with an https address. The link is still good.")
		return
	}
	if !c.attempt.allow(r) {
		w.Header().Set("Retry-After", "60")
		refuse(http.StatusTooManyRequests, "Too many attempts from your address. Wait a minute.")
		return
	}
	code := codeOf(r.PostFormValue("code"))
	user, err := c.Sessions.LinkedUser(r.Context(), code)
	if err == nil && r.PostFormValue("as") != user {
		session, errSession := c.session(r)
		switch {
		case errSession != nil && !errors.Is(errSession, sessions.ErrNone):
			c.broken(w, r, errSession)
			return
		case r.PostFormValue("ask") != "", errSession == nil && session.UserID != user:
			c.render(w, r, http.StatusOK, "signinas", signInAs{User: user, Now: session.UserID, Code: code, Next: next})
			return
		}
	}
	if err == nil {
		d, undecided := c.decide(r.Context(), user, "", policy.ActionReadConsole)
		switch {
		case undecided != nil:
			c.broken(w, r, undecided)
			return
		case !d.Allow:
			refuse(d.Status, d.Error)
			return
		}
	}
	var secret string
	if err == nil {
		secret, err = c.Sessions.SignIn(r.Context(), code)
	}
	switch {
	case errors.Is(err, sessions.ErrCode):
		message := "This link is not valid any more: it works once, for 15 minutes. Ask for a new one."
		if session, err := c.session(r); err == nil {
			message += " You are still signed in, as " + session.UserID + "."
		}
		refuse(http.StatusUnauthorized, message)
	case err != nil:
		c.broken(w, r, err)
	default:
		c.enter(w, r, secret, next)
	}
}

// enter gives the browser its session and shows the page it came for.
func (c *Console) enter(w http.ResponseWriter, r *http.Request, secret, next string) {
	setCookie(w, secret)
	http.Redirect(w, r, nextPage(next), http.StatusSeeOther)
}

// named signs in whom Caddy's authentication names.
func (c *Console) named(r *http.Request, userID string) (sessions.Session, error) {
	if !c.private(r) {
		return sessions.Session{}, sessions.ErrNone
	}
	session, err := c.Sessions.Named(r.Context(), userID)
	if errors.Is(err, store.ErrUnknownUser) {
		err = sessions.ErrNone
	}
	return session, err
}

// codeOf accepts the whole link where its code is asked for.
func codeOf(text string) string {
	text = strings.TrimSpace(text)
	if _, code, ok := strings.Cut(text, "#"); ok {
		return code
	}
	return text
}
