package play

import (
	"context"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
)

// Rows of a board that a request may ask for.
const (
	boardTop    = 10
	boardAround = 1
)

// score takes the end of a run: onto the board, with its rewards.
func (p *Play) score(w http.ResponseWriter, r *http.Request) {
	body, ok := p.readBody(w, r)
	if !ok {
		return
	}
	s, err := play.ParseScore(body)
	if err == nil {
		_, err = p.admit(r.Context(), s.Game, s.Key)
	}
	if err == nil {
		err = tooMany(p.Rates.take("s"+s.Game+s.Stream, maxPerStream))
	}
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	r, cancel := recording(r)
	defer cancel()
	answer, err := p.submit(r.Context(), s)
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

func (p *Play) submit(ctx context.Context, s play.Score) (play.ScoreAnswer, error) {
	t, err := p.proven(s.Game, s.Player, s.Token, 0)
	if err != nil {
		return play.ScoreAnswer{}, err
	}
	s.Player = t.Player
	log, err := p.Recorder(ctx)
	if err != nil {
		return play.ScoreAnswer{}, err
	}
	return log.Submit(ctx, analytics.Submission{Score: s, Class: t.Class})
}

// proven returns whose play it is: without a token it is the public's, of who says so.
// The page around a game sends again what lay on the device for a time, with a token that
// may have ended meanwhile: it proves what it proved then.
func (p *Play) proven(game, player, text string, lay time.Duration) (token, error) {
	public := token{Game: game, Class: analytics.ClassPublic, Player: player}
	if text == "" {
		return public, nil
	}
	secrets, err := p.Secrets()
	if err != nil {
		return token{}, err
	}
	if t, ok := secrets.verify(text, game, p.Now().Add(-lay)); ok {
		return t, nil
	}
	return public, nil
}

// board shows a part of a game's board.
func (p *Play) board(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	game, player, window := q.Get("g"), q.Get("p"), q.Get("win")
	if window == "" {
		window = play.WindowAll
	}
	err := tooMany(p.Rates.take(addressOf(r), maxPerAddress))
	if err == nil && (!api.ValidProjectID(game) || player != "" && !play.ValidPlayer(player) || !play.ValidWindow(window)) {
		err = api.BadRequest("g must be a game's id, p a player's, win all, week or day.")
	}
	if err == nil {
		_, err = p.admit(r.Context(), game, q.Get("k"))
	}
	var log analytics.Recorder
	if err == nil {
		log, err = p.Recorder(r.Context())
	}
	var board play.Board
	if err == nil {
		board, err = log.Board(r.Context(), game, player, window, boardTop, boardAround)
	}
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, board)
}
