// Package site is what a gateway has of the console: how it is configured and asked,
// and how it asks back. It is the same for one in this process and another.
package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Path is where the console stands.
const Path = "/console/"

// StudioPath is where the studio stands, in the console.
const StudioPath = Path + "studio"

// Site is a console, in this process or another.
type Site interface {
	// ServeHTTP answers the requests for everything under Path.
	http.Handler
	// Preview answers those at the previews' origin.
	Preview() http.Handler
	// Ended reports whether a session has ended that a Serve names. To ask does
	// not count as a use of it.
	Ended(ctx context.Context, session string) (bool, error)
}

// Options are what an operator may set.
type Options struct {
	// Preview returns the origin of the games' preview for a request, like
	// "http://localhost:8081", or "" for none. It must not be the console's
	// own: a game is hostile input. nil means no preview.
	Preview func(*http.Request) string
	// Idle and Absolute end sessions; 0 means the defaults of package sessions.
	Idle, Absolute time.Duration
	// Secure says that browsers reach the console by HTTPS though the request
	// comes without, because a proxy in front of it ends TLS.
	Secure bool
	// OIDC is nil when there is no OpenID provider.
	OIDC *OIDC
	// Identity returns who Caddy's own authentication says that a request is
	// from, "" for nobody; nil when there is none. Who is named is signed in.
	Identity func(*http.Request) string
}

// OIDC is an OpenID provider that users sign in with.
type OIDC struct {
	Issuer       string // its address, where its metadata are found
	ClientID     string
	ClientSecret string // "" for a public client
	Name         string // on the button; "" means the issuer
	// Claim names the user's id in the service: "email", which the provider
	// must have verified, or "sub". Default: email.
	Claim string
}

// Validate says what is wrong with options.
func (o Options) Validate() error {
	if o.OIDC == nil {
		return nil
	}
	return o.OIDC.Validate()
}

// Validate says what is wrong with a provider, without asking it.
func (o OIDC) Validate() error {
	switch {
	case o.Issuer == "" || o.ClientID == "":
		return errors.New("oidc: issuer and client_id are required")
	case !isIssuer(o.Issuer):
		return fmt.Errorf("oidc: issuer must be the provider's address, like https://id.example.com, is %q", o.Issuer)
	case o.Claim != "" && o.Claim != "email" && o.Claim != "sub":
		return fmt.Errorf("oidc: claim must be email or sub, is %q", o.Claim)
	}
	return nil
}

// isIssuer reports whether an address can be a provider's.
func isIssuer(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}
