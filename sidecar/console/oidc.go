package console

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"go.uber.org/zap"
	"golang.org/x/oauth2"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/site"
	"github.com/svc-games/svc/sidecar/store"
)

// oidcTimeout bounds what we ask of a provider, and oidcTTL how long signing
// in there may take.
const (
	oidcTimeout = 10 * time.Second
	oidcTTL     = 10 * time.Minute
)

// provider is an OIDC that is asked for its metadata when it is first used: it
// may be away when the service starts.
type provider struct {
	options site.OIDC
	now     func() time.Time

	mu    sync.Mutex
	found *oidc.Provider
}

func newProvider(o site.OIDC, now func() time.Time) (*provider, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.Claim, o.Name = cmp.Or(o.Claim, "email"), cmp.Or(o.Name, o.Issuer)
	return &provider{options: o, now: now}, nil
}

func (c *Console) oidcName() string {
	if c.oidc == nil {
		return ""
	}
	return c.oidc.options.Name
}

// discover returns the provider with its metadata.
func (p *provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	// The provider keeps the context's client for its keys, so the context must
	// not end with the request.
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), &http.Client{Timeout: oidcTimeout}), p.options.Issuer)
	if err != nil {
		return nil, fmt.Errorf("asking the OpenID provider for its metadata: %w", err)
	}
	p.found = found
	return found, nil
}

func (p *provider) config(found *oidc.Provider, redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.options.ClientID, ClientSecret: p.options.ClientSecret, Endpoint: found.Endpoint(),
		RedirectURL: redirect, Scopes: []string{oidc.ScopeOpenID, "email"},
	}
}

// authRequestCookie holds an authRequest.
const authRequestCookie = "__Host-svc-oidc"

// authRequest is a request to the provider that is not answered yet. It is kept in a
// cookie: only the browser that made the request may bring the answer.
type authRequest struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	Next     string `json:"next"`
}

func (c *Console) startOIDC(w http.ResponseWriter, r *http.Request) {
	if c.oidc == nil {
		c.fail(w, r, http.StatusNotFound, "There is no such page.")
		return
	}
	if !c.private(r) {
		c.fail(w, r, http.StatusForbidden, "Signing in needs https, or localhost on the machine itself.")
		return
	}
	found, err := c.oidc.discover(r.Context())
	if err != nil {
		c.broken(w, r, err)
		return
	}
	asked := authRequest{
		State: sessions.NewForm(), Nonce: sessions.NewForm(), Verifier: oauth2.GenerateVerifier(),
		Next: nextPage(r.URL.Query().Get("next")),
	}
	text, err := json.Marshal(asked)
	if err != nil {
		c.broken(w, r, err)
		return
	}
	putCookie(w, authRequestCookie, base64.RawURLEncoding.EncodeToString(text), int(oidcTTL/time.Second))
	http.Redirect(w, r, c.oidc.config(found, c.callback(r)).AuthCodeURL(asked.State,
		oidc.Nonce(asked.Nonce), oauth2.S256ChallengeOption(asked.Verifier)), http.StatusSeeOther)
}

func (c *Console) finishOIDC(w http.ResponseWriter, r *http.Request) {
	if c.oidc == nil {
		c.fail(w, r, http.StatusNotFound, "There is no such page.")
		return
	}
	var asked authRequest
	if cookie, err := r.Cookie(authRequestCookie); err == nil {
		text, err := base64.RawURLEncoding.DecodeString(cookie.Value)
		if err != nil || json.Unmarshal(text, &asked) != nil {
			asked = authRequest{}
		}
	}
	putCookie(w, authRequestCookie, "", -1)
	query := r.URL.Query()
	if asked.State == "" || query.Get("state") != asked.State || query.Get("code") == "" {
		c.refuseOIDC(w, r, "Signing in was not finished. Try again.")
		return
	}
	if !c.attempt.allowAsking(r) {
		w.Header().Set("Retry-After", "60")
		c.fail(w, r, http.StatusTooManyRequests, "Too many attempts. Wait a minute.")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), oidcTimeout)
	defer cancel()
	userID, err := c.oidc.user(ctx, query.Get("code"), c.callback(r), asked)
	if err != nil {
		c.Logger.Warn("sign-in with the OpenID provider failed", zap.Error(err))
		c.refuseOIDC(w, r, "The provider's answer could not be used. Try again.")
		return
	}
	d, err := c.decide(r.Context(), userID, "", policy.ActionReadConsole)
	switch {
	case err != nil:
		c.broken(w, r, err)
		return
	case !d.Allow:
		c.render(w, r, d.Status, "signin", signInPage{Error: d.Error, OIDC: c.oidcName()})
		return
	}
	secret, err := c.Sessions.Begin(r.Context(), userID, sessions.ViaOIDC)
	switch {
	case errors.Is(err, store.ErrUnknownUser):
		c.refuseOIDC(w, r, "You have no account here. Ask the operator to make one for "+userID+".")
	case err != nil:
		c.broken(w, r, err)
	default:
		c.enter(w, r, secret, asked.Next)
	}
}

func (c *Console) refuseOIDC(w http.ResponseWriter, r *http.Request, message string) {
	c.render(w, r, http.StatusUnauthorized, "signin", signInPage{Error: message, OIDC: c.oidcName()})
}

// user exchanges the code and returns whom the verified token names.
func (p *provider) user(ctx context.Context, code, redirect string, asked authRequest) (string, error) {
	found, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	ctx = oidc.ClientContext(ctx, &http.Client{Timeout: oidcTimeout})
	answer, err := p.config(found, redirect).Exchange(ctx, code, oauth2.VerifierOption(asked.Verifier))
	if err != nil {
		return "", fmt.Errorf("exchanging the code: %w", err)
	}
	raw, ok := answer.Extra("id_token").(string)
	if !ok {
		return "", errors.New("the answer has no id_token")
	}
	token, err := found.Verifier(&oidc.Config{ClientID: p.options.ClientID, Now: p.now}).Verify(ctx, raw)
	if err != nil {
		return "", fmt.Errorf("verifying the id_token: %w", err)
	}
	if token.Nonce != asked.Nonce {
		return "", errors.New("the id_token has another nonce")
	}
	if p.options.Claim == "sub" {
		return token.Subject, nil
	}
	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
	}
	if err := token.Claims(&claims); err != nil {
		return "", fmt.Errorf("reading the claims: %w", err)
	}
	if claims.Email == "" || !claims.Verified {
		return "", errors.New("the id_token has no verified email")
	}
	return claims.Email, nil
}

func (c *Console) callback(r *http.Request) string { return c.origin(r) + "/console/oidc/callback" }

// origin is the console's own, as the browser sees it.
func (c *Console) origin(r *http.Request) string {
	if c.overTLS(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
