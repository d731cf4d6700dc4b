package play

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar"
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
	var grant sidecar.PlayGrant
	var t token
	if err == nil {
		grant, err = p.admit(r.Context(), s.Game, s.Key)
	}
	if err == nil {
		t, err = p.proven(r, grant, proof{s.Game, s.Player, s.Token, s.Stream, time.Duration(s.Age) * time.Millisecond})
	}
	if err == nil {
		err = tooMany(p.Rates.takeStream(s.Game, "s"+s.Stream))
	}
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	r, cancel := recording(r)
	defer cancel()
	answer, err := p.submit(r.Context(), s, t, grant.JobID)
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

func (p *Play) submit(ctx context.Context, s play.Score, t token, published string) (play.ScoreAnswer, error) {
	s.Player = t.Player
	if s.Build != published { // it is played again as what is proven
		s.Build = t.Build
	}
	log, err := p.Recorder(ctx)
	if err != nil {
		return play.ScoreAnswer{}, err
	}
	return log.Submit(ctx, analytics.Submission{Score: s, Class: t.Class})
}

// proof is what a request says of whose play it is.
type proof struct {
	game, player, token, stream string
	lay                         time.Duration // on the device
}

// proven returns whose play it is: without a token it is the public's, of who says so, and
// so is what an owner's token is used for too often. The page around a game sends again
// what lay on the device for a time, with a token that may have ended meanwhile: it proves
// what it proved then. Where pages that may report are named, what comes from another one,
// and has no token of the game's own page, is an *answers.Error. Who was just forgotten has no
// name.
func (p *Play) proven(r *http.Request, grant sidecar.PlayGrant, said proof) (token, error) {
	t, err := p.claimed(r, grant, said)
	if _, gone := p.gone.get(named{said.game, t.Player}); gone {
		t.Player = ""
	}
	return t, err
}

func (p *Play) claimed(r *http.Request, grant sidecar.PlayGrant, said proof) (token, error) {
	if said.token != "" {
		secrets, err := p.Secrets()
		if err != nil {
			return token{}, err
		}
		if t, ok := secrets.verify(said.token, said.game, p.Now().Add(-said.lay)); ok {
			if t.Class == analytics.ClassOwner && !p.Uses.take(t.Name, said.stream) {
				t.Class = analytics.ClassPublic
			}
			return t, nil
		}
	}
	if len(grant.Origins) > 0 && !slices.Contains(grant.Origins, strings.ToLower(r.Header.Get("Origin"))) {
		return token{}, &answers.Error{Status: http.StatusForbidden, Message: "The game's owner lets other pages report."}
	}
	return token{Game: said.game, Class: analytics.ClassPublic, Player: said.player}, nil
}

// board shows a part of a game's board.
func (p *Play) board(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	game, player, window := q.Get("g"), q.Get("p"), q.Get("win")
	if window == "" {
		window = play.WindowAll
	}
	err := tooMany(p.Rates.take(ofAddress, addressOf(r), maxPerAddress))
	if err == nil && (!api.ValidProjectID(game) || player != "" && !play.ValidPlayer(player) || !play.ValidWindow(window)) {
		err = answers.BadRequest("g must be a game's id, p a player's, win all, week or day.")
	}
	if err == nil {
		_, err = p.admit(r.Context(), game, q.Get("k"))
	}
	var board play.Board
	if err == nil {
		board, err = p.boards.of(shownBoard{game, player, window}, func() (play.Board, error) { return p.look(r.Context(), game, player, window) })
	}
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, board)
}

// look reads a part of a game's board.
func (p *Play) look(ctx context.Context, game, player, window string) (play.Board, error) {
	if err := tooMany(p.Rates.take(ofBoard, game, maxBoards)); err != nil {
		return play.Board{}, err
	}
	log, err := p.Recorder(ctx)
	if err != nil {
		return play.Board{}, err
	}
	return log.Board(ctx, game, player, window, boardTop, boardAround)
}
