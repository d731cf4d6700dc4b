package play

import (
	"encoding/json"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/site"
)

// consentCookie keeps a player's answer, for one game.
const consentCookie = "svc-consent"

// Answers of players.
const (
	answerYes = "yes"
	answerNo  = "no"
)

// consentOf returns whether a player may be named, as play.Identity says it. Who asks not
// to be followed has answered.
func (p *Play) consentOf(r *http.Request, settings api.PlaySettings) string {
	if !settings.AskConsent {
		return ""
	}
	answer := ""
	if c, err := r.Cookie(consentCookie); err == nil {
		answer = c.Value
	}
	switch {
	case unfollowed(r) || answer == answerNo:
		return play.ConsentDenied
	case answer == answerYes:
		return ""
	}
	return play.ConsentPending
}

// consent takes a player's answer, and tells the page who the player is after a yes.
func (p *Play) consent(w http.ResponseWriter, r *http.Request) {
	made, _, ok := p.asked(w, r)
	if !ok {
		return
	}
	var body struct {
		Given bool `json:"given"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAsk)).Decode(&body); err != nil {
		p.answerAsked(w, r, answers.BadRequest("The body is not an answer."))
		return
	}
	of := shown{made: made, origin: p.origin(r), consent: play.ConsentDenied}
	answer := answerNo
	if body.Given && !unfollowed(r) {
		answer, of.consent = answerYes, ""
	}
	project, err := p.Catalog.Project(r.Context(), made.GameID)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	of.owner = project.OwnerID
	identity, err := p.identify(w, r, of)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.keepAnswer(w, r, answer, cookieLife)
	answerPage(w, identity)
}

// renew gives a page that was loaded long ago another token, of the player whom it named.
func (p *Play) renew(w http.ResponseWriter, r *http.Request) {
	made, player, ok := p.asked(w, r)
	if !ok {
		return
	}
	settings, err := p.Catalog.PlaySettings(r.Context(), made.GameID)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	project, err := p.Catalog.Project(r.Context(), made.GameID)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	of := shown{made, project.OwnerID, p.origin(r), p.consentOf(r, settings)}
	if player == "" { // as in a frame of another site
		of.consent = play.ConsentDenied
	}
	identity, err := p.identify(w, r, of)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	answerPage(w, struct {
		Token string `json:"token"`
	}{identity.Token})
}

// answerPage answers the page around a game.
func answerPage(w http.ResponseWriter, v any) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	_ = json.NewEncoder(w).Encode(v) // a browser that went away is no error of ours
}

// keepAnswer has the browser keep a player's answer for so many seconds, or forget it for
// a negative number.
func (p *Play) keepAnswer(w http.ResponseWriter, r *http.Request, answer string, seconds int) {
	_, secure := p.cookieName(r)
	http.SetCookie(w, &http.Cookie{
		Name: consentCookie, Value: answer, Path: site.PlayPath + r.PathValue("game"), MaxAge: seconds, HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode,
	})
}
