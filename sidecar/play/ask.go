package play

import (
	"encoding/json"
	"mime"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

// maxAsked is what players may report, or have deleted, in a minute, by address.
const maxAsked = 10

// maxAsk bounds the body of what a player asks for, in bytes.
const maxAsk = 1 << 10

// report notes what a player finds wrong with the game.
func (p *Play) report(w http.ResponseWriter, r *http.Request) {
	made, player, ok := p.seldom(w, r)
	if !ok {
		return
	}
	var body struct {
		Reason string `json:"reason"`
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAsk)).Decode(&body)
	if err != nil {
		err = answers.BadRequest("The body is not a report.")
	} else {
		err = p.Catalog.Report(r.Context(), made.GameID, player, body.Reason)
	}
	p.answerAsked(w, r, err)
}

// forget removes all that is kept of the player who asks, of this game.
func (p *Play) forget(w http.ResponseWriter, r *http.Request) {
	made, player, ok := p.seldom(w, r)
	if !ok {
		return
	}
	p.keepAnswer(w, r, "", -1)
	if player == "" { // nothing is kept by a name
		p.answerAsked(w, r, nil)
		return
	}
	p.gone.put(named{made.GameID, player}, true, p.Now()) // what was sent before, and comes later
	log, err := p.Recorder(r.Context())
	if err == nil {
		err = log.ForgetPlayer(r.Context(), made.GameID, player)
	}
	if err == nil {
		err = p.Catalog.ForgetReports(r.Context(), made.GameID, player)
	}
	p.answerAsked(w, r, err)
}

// seldom is asked for what nobody asks for often.
func (p *Play) seldom(w http.ResponseWriter, r *http.Request) (made api.Publication, player string, ok bool) {
	if made, player, ok = p.asked(w, r); !ok {
		return made, "", false
	}
	if err := tooMany(p.Rates.take(ofAsked, addressOf(r), maxAsked)); err != nil {
		p.answerAsked(w, r, err)
		return made, "", false
	}
	return made, player, true
}

// asked returns the game that a request of its page is about, and the player's name for
// it, "" for one without, or answers the request. JSON keeps pages of others from
// asking: their browser would have to ask us first.
func (p *Play) asked(w http.ResponseWriter, r *http.Request) (made api.Publication, player string, ok bool) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "The body must be JSON.", http.StatusUnsupportedMediaType)
		return made, "", false
	}
	if made, ok = p.publication(w, r); !ok {
		return made, "", false
	}
	secrets, err := p.Secrets()
	if err != nil {
		p.fail(w, r, err)
		return made, "", false
	}
	if cookie := p.givenCookie(r); cookie != "" {
		player = secrets.pseudonym(made.GameID, cookie)
	}
	return made, player, true
}

func (p *Play) answerAsked(w http.ResponseWriter, r *http.Request, err error) {
	if err != nil {
		p.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
