package play

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/analytics"
)

//go:embed static/*
var files embed.FS

var pageTemplate = template.Must(template.ParseFS(files, "static/page.html"))

// page shows a published game in a frame, which learns by its name who it is and who
// plays.
func (p *Play) page(w http.ResponseWriter, r *http.Request) {
	made, ok := p.publication(w, r)
	if !ok {
		return
	}
	origin := p.origin(r)
	if origin == "" {
		http.Error(w, "Games can't be shown here: the service has no origin for them.", http.StatusNotFound)
		return
	}
	project, err := p.Catalog.Project(r.Context(), made.GameID)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	settings, err := p.Catalog.PlaySettings(r.Context(), made.GameID)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	identity, err := p.identify(w, r, shown{made, project.OwnerID, origin, p.consentOf(r, settings)})
	if err != nil {
		p.fail(w, r, err)
		return
	}
	text, err := json.Marshal(identity)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self' " + origin,
		"frame-src " + origin, "frame-ancestors " + cmp.Or(strings.Join(settings.Origins, " "), "'none'"), "form-action 'none'", "base-uri 'none'", "require-trusted-types-for 'script'",
	}, "; "))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Type", "text/html; charset=utf-8")
	site := p.site(r)
	if err := pageTemplate.Execute(w, map[string]string{
		"Title": project.Name, "Description": project.Description, "Base": answers.PlayPath(made.GameID),
		"Frame": play.FramePrefix + string(text), "Game": fmt.Sprintf("%s/f/%s/%s/", origin, made.GameID, made.JobID),
		"Endpoint": identity.Endpoint, "ID": made.GameID, "Consent": identity.Consent, "Player": identity.Player,
		"Address": site + answers.PlayPath(made.GameID), "Picture": fmt.Sprintf("%s%s/%s/%s", site, answers.PlayPath(made.GameID), made.JobID, pictureName),
	}); err != nil {
		p.Logger.Debug("game's page not written", zap.Error(err)) // the browser went away
	}
}

// origin returns the games' origin for a request, "" for none. It must be another host:
// cookies don't know ports.
func (p *Play) origin(r *http.Request) string {
	origin := p.options.Origin(r)
	u, err := url.Parse(origin)
	if err != nil || u.Hostname() == "" || strings.EqualFold(u.Hostname(), hostname(r.Host)) {
		return ""
	}
	return origin
}

// hostname is a host without its port.
func hostname(host string) string {
	u := url.URL{Host: host}
	return u.Hostname()
}

// site returns the site's own origin, as the browser has it.
func (p *Play) site(r *http.Request) string {
	if r.TLS != nil || p.options.Secure {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// shown is a game that is shown to somebody.
type shown struct {
	made          api.Publication
	owner, origin string
	consent       string // to be named, one of play's; "" for one that is not asked for
}

// identify returns what the game is told. The player has a cookie at the site, unless
// the browser asks not to be followed, or the player did not consent. What its owner plays
// is free, and not counted.
func (p *Play) identify(w http.ResponseWriter, r *http.Request, of shown) (play.Identity, error) {
	secrets, err := p.Secrets()
	if err != nil {
		return play.Identity{}, err
	}
	user, err := p.SignedIn(r)
	if err != nil {
		return play.Identity{}, err
	}
	class := analytics.ClassPublic
	if user != "" && user == of.owner {
		class = analytics.ClassOwner
	}
	player := ""
	if of.consent == "" && !unfollowed(r) {
		player = secrets.pseudonym(of.made.GameID, p.cookie(w, r))
	}
	variants, err := p.variants(r, of.made.GameID, player)
	if err != nil {
		return play.Identity{}, err
	}
	signed, err := secrets.sign(token{Game: of.made.GameID, Class: class, Player: player, Build: of.made.JobID}, p.Now())
	return play.Identity{
		GameID: of.made.GameID, Key: of.made.Key, Endpoint: of.origin + "/g/v1", Build: of.made.JobID, Player: player, Token: signed, Variants: variants,
		Consent: of.consent,
	}, err
}

// unfollowed reports whether a browser asks that its player be not followed, or keeps no
// cookie, in a frame of another site.
func unfollowed(r *http.Request) bool {
	framed := r.Header.Get("Sec-Fetch-Dest") == "iframe" && r.Header.Get("Sec-Fetch-Site") == "cross-site"
	return r.Header.Get("Sec-GPC") == "1" || r.Header.Get("DNT") == "1" || framed
}

// variants are the parameters that a player gets.
func (p *Play) variants(r *http.Request, game, player string) (map[string]string, error) {
	log, err := p.Recorder(r.Context())
	if err != nil {
		return nil, err
	}
	return log.Variants(r.Context(), game, player)
}

// cookieLife is 13 months, in seconds.
const cookieLife = 13 * 30 * 24 * 3600

// cookie returns the player's cookie, and sets it where there is none.
func (p *Play) cookie(w http.ResponseWriter, r *http.Request) string {
	if value := p.givenCookie(r); value != "" {
		return value
	}
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	value := hex.EncodeToString(random[:])
	name, secure := p.cookieName(r)
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: cookieLife, HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode,
	})
	return value
}

// givenCookie returns the player's cookie, "" where there is none.
func (p *Play) givenCookie(r *http.Request) string {
	name, _ := p.cookieName(r)
	if c, err := r.Cookie(name); err == nil && len(c.Value) == 32 {
		return c.Value
	}
	return ""
}

func (p *Play) cookieName(r *http.Request) (name string, secure bool) {
	if r.TLS != nil || p.options.Secure {
		return "__Host-svc-player", true
	}
	return "svc-player", false
}

// hostTemplate is the script for pages of others: it has the same identity for all,
// and no player.
const hostTemplate = `(function () {
  var id = %s;
  var self = document.currentScript;
  var frame = self && self.dataset.frame && document.querySelector(self.dataset.frame);
  if (!frame) { window.__SVC__ = Object.assign({}, id, window.__SVC__); return; }
  var src = frame.getAttribute('src');
  frame.name = 'svc:' + JSON.stringify(id);
  if (src) frame.src = src;
})();
`

// hostScript is the one line of a page of others that shows the game.
func (p *Play) hostScript(w http.ResponseWriter, r *http.Request) {
	made, ok := p.publication(w, r)
	if !ok {
		return
	}
	origin := p.origin(r)
	if origin == "" {
		http.Error(w, "The service has no origin for games.", http.StatusNotFound)
		return
	}
	variants, err := p.variants(r, made.GameID, "")
	if err != nil {
		p.fail(w, r, err)
		return
	}
	text, err := json.Marshal(play.Identity{GameID: made.GameID, Key: made.Key, Endpoint: origin + "/g/v1", Build: made.JobID, Variants: variants})
	if err != nil {
		p.fail(w, r, err)
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	writeFile(w, r, "host.js", fmt.Appendf(nil, hostTemplate, text))
}

func (p *Play) static(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		content, err := files.ReadFile("static/" + name)
		if err != nil {
			p.fail(w, r, err)
			return
		}
		writeFile(w, r, name, content)
	}
}

// writeFile answers with a file that browsers keep for five minutes.
func writeFile(w http.ResponseWriter, r *http.Request, name string, content []byte) {
	sum := sha256.Sum256(content)
	etag := `"` + hex.EncodeToString(sum[:8]) + `"`
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("ETag", etag)
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	_, _ = w.Write(content) // a browser that went away is no error of ours
}

// fail answers a request that can't be served. Of one whose client went away that is no
// error.
func (p *Play) fail(w http.ResponseWriter, r *http.Request, err error) {
	var refused *answers.Error
	switch {
	case left(r):
		return
	case errors.As(err, &refused):
		retryLater(w, refused)
		http.Error(w, refused.Message, refused.Status)
		return
	case errors.Is(err, sidecar.ErrNotPublished) || errors.Is(err, sidecar.ErrUnknownProject):
		http.Error(w, "There is no such game.", http.StatusNotFound)
		return
	}
	p.Logger.Error("game can't be shown", zap.Error(err))
	w.Header().Set("Retry-After", "1")
	http.Error(w, "The game can't be shown right now.", http.StatusServiceUnavailable)
}
