package analytics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// BoardSettings are what an owner set for a game's board.
type BoardSettings struct {
	Lower     bool     // the lower score is the better one
	Least     *float64 // bounds of a score; nil for none
	Most      *float64
	PerSecond *float64 // more than so much a second of a run is held; nil holds nothing
}

// Bounds of how often a player ends runs.
const (
	runsApart = 3 * time.Second
	runsHour  = 60
)

// runSlack is how much longer a run may be than its session, for the way of its report.
const runSlack = 5000 // ms

// unseen is how much of a run the service may not have seen, as the first events of a
// session come after some seconds, and after more over a bad network.
const unseen = 30_000 // ms

// spanOf names the span of a window that an instant, in ms, is in.
func spanOf(window string, ms int64) string {
	at := time.UnixMilli(ms).UTC()
	switch window {
	case play.WindowDay:
		return at.Format(time.DateOnly)
	case play.WindowWeek:
		year, week := at.ISOWeek()
		return fmt.Sprintf("%d-W%02d", year, week)
	}
	return play.WindowAll
}

// Submission is the end of a run, and what the service itself knows of it.
type Submission struct {
	play.Score
	Class Class
}

// Submit takes the end of a run: onto the boards, and with its rewards, in one
// transaction. The same run again changes nothing and is answered the same. Its error is
// an *api.Error for what can't be, and for who ends runs too often. Only the public's
// runs of players with a name are on boards.
func (l *Log) Submit(ctx context.Context, s Submission) (play.ScoreAnswer, error) {
	now := l.now().UnixMilli()
	var answer play.ScoreAnswer
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		e := ending{Submission: s, tx: tx, now: now}
		var err error
		answer, err = e.take()
		return err
	})
	if err != nil {
		return play.ScoreAnswer{}, fmt.Errorf("recording a run of game %s: %w", s.Game, err)
	}
	return answer, nil
}

// ending is the end of one run on its way into the store.
type ending struct {
	Submission
	tx       *store.Tx
	now      int64
	settings BoardSettings
	state    string
}

func (e *ending) take() (play.ScoreAnswer, error) {
	settings, err := readBoardSettings(&e.tx.Reader, e.Game)
	if err != nil {
		return play.ScoreAnswer{}, err
	}
	e.settings, e.state = settings, play.StateAccepted
	if e.Class == ClassPublic && e.Player != "" {
		if err := e.keep(); err != nil {
			return play.ScoreAnswer{}, err
		}
	}
	return e.answer()
}

// keep records the run, once.
func (e *ending) keep() error {
	if err := e.check(); err != nil {
		return err
	}
	made, err := e.tx.Exec(`INSERT INTO play_runs (game, stream, run, player, day, at, score, outcome, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (game, stream, run) DO NOTHING`,
		e.Game, e.Stream, e.Run, e.Player, e.now/msOfDay, e.now, e.Score.Score, e.Outcome, e.state)
	if err != nil {
		return err
	}
	var player string
	if err := e.tx.Row("SELECT player, at, score, outcome, state FROM play_runs WHERE game = ? AND stream = ? AND run = ?", e.Game, e.Stream, e.Run).
		Scan(&player, &e.now, &e.Score.Score, &e.Outcome, &e.state); err != nil {
		return err
	}
	if player != e.Player {
		return api.BadRequest("The run is another player's.")
	}
	if made == 0 || e.state != play.StateAccepted {
		return nil
	}
	for _, window := range play.Windows() {
		if err := e.place(spanOf(window, e.now)); err != nil {
			return err
		}
	}
	return e.grant()
}

// check returns why a run can't be, and holds one that is too good.
func (e *ending) check() error {
	score := e.Score.Score
	if least, most := e.settings.Least, e.settings.Most; least != nil && score < *least || most != nil && score > *most {
		return api.BadRequest("The score is not one of this game.")
	}
	// What a session's own clock says must agree with itself, and is not believed.
	var anchor, seen, paid int64
	err := e.tx.Row("SELECT anchor, CASE seen WHEN 0 THEN anchor ELSE seen END, custom FROM play_streams WHERE game = ? AND stream = ? AND class = 'public'",
		e.Game, e.Stream).Scan(&anchor, &seen, &paid)
	if errors.Is(err, store.ErrNoRows) {
		anchor, seen, err = e.now-e.Length, e.now, nil
	}
	if err != nil {
		return err
	}
	if e.Length > e.now-anchor+runSlack {
		return api.BadRequest("The run is longer than its session.")
	}
	length := min(e.Length, e.now-seen+unseen)
	if per := e.settings.PerSecond; per != nil && math.Abs(score) > *per*math.Max(1, float64(length)/1000) {
		e.state = play.StateHeld
	}
	var runs, last int64
	if err := e.tx.Row("SELECT count(*), CAST(coalesce(max(at), 0) AS BIGINT) FROM play_runs WHERE game = ? AND player = ? AND at > ? AND NOT (stream = ? AND run = ?)",
		e.Game, e.Player, e.now-msOfHour, e.Stream, e.Run).Scan(&runs, &last); err != nil {
		return err
	}
	there, err := optional(e.tx.Row("SELECT 1 FROM play_runs WHERE game = ? AND stream = ? AND run = ?", e.Game, e.Stream, e.Run))
	if err != nil || there == 1 {
		return err
	}
	wait := time.Duration(0)
	if e.now-last < runsApart.Milliseconds() {
		wait = runsApart
	}
	if runs >= runsHour {
		wait = time.Minute
	}
	if wait > 0 {
		return &api.Error{Status: http.StatusTooManyRequests, Message: "Runs end too often; wait.", RetryAfter: wait}
	}
	return e.afford(paid)
}

// place puts the run onto the board of a span if it is its player's best.
func (e *ending) place(span string) error {
	key := e.Score.Score
	if e.settings.Lower {
		key = -key
	}
	_, err := e.tx.Exec(`INSERT INTO play_boards (game, span, player, rank_key, score, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (game, span, player) DO UPDATE SET rank_key = excluded.rank_key, score = excluded.score, at = excluded.at
			WHERE excluded.rank_key > play_boards.rank_key`, e.Game, span, e.Player, key, e.Score.Score, e.now)
	return err
}

func (e *ending) answer() (play.ScoreAnswer, error) {
	a := play.ScoreAnswer{OK: true, State: e.state, Rewards: []play.Reward{}}
	board, best, err := readBoard(&e.tx.Reader, boardQuery{e.Game, e.Player, play.WindowAll, e.now, 10, 1})
	if err != nil {
		return a, err
	}
	a.Board, a.Best = board, best
	a.Rewards, err = store.All(&e.tx.Reader, func(scan store.Scan) (r play.Reward, err error) {
		return r, scan(&r.ID, &r.Name, &r.Icon)
	}, `SELECT w.id, w.name, w.icon FROM play_grants g JOIN play_rewards w ON w.game = g.game AND w.id = g.reward
		WHERE g.game = ? AND g.stream = ? AND g.run = ? AND g.player = ? ORDER BY w.id`, e.Game, e.Stream, e.Run, e.Player)
	if a.Rewards == nil {
		a.Rewards = []play.Reward{}
	}
	return a, err
}

// boardQuery is what is asked of a board.
type boardQuery struct {
	game, player, window string
	now                  int64
	top, around          int
}

// Board returns a part of a board: the best, and those around the player.
func (l *Log) Board(ctx context.Context, game, player, window string, top, around int) (b play.Board, err error) {
	err = l.store.View(ctx, func(r *store.Reader) error {
		b, _, err = readBoard(r, boardQuery{game, player, window, l.now().UnixMilli(), top, around})
		return err
	})
	if err != nil {
		return play.Board{}, fmt.Errorf("reading the board of game %s: %w", game, err)
	}
	return b, nil
}

func readBoard(r *store.Reader, q boardQuery) (play.Board, *float64, error) {
	b := play.Board{Window: q.window, Top: []play.Row{}, Around: []play.Row{}}
	span := spanOf(q.window, q.now)
	rows := func(query string, args ...any) ([]boardRow, error) {
		return store.All(r, func(scan store.Scan) (row boardRow, err error) {
			return row, scan(&row.player, &row.key, &row.score, &row.at)
		}, "SELECT player, rank_key, score, at FROM play_boards WHERE game = ? AND span = ? "+query, append([]any{q.game, span}, args...)...)
	}
	top, err := rows("ORDER BY rank_key DESC, at, player LIMIT ?", q.top)
	if err != nil {
		return b, nil, err
	}
	if b.Top, err = ranked(r, q, span, top); err != nil || q.player == "" {
		return b, nil, err
	}
	var me boardRow
	err = r.Row("SELECT player, rank_key, score, at FROM play_boards WHERE game = ? AND span = ? AND player = ?", q.game, span, q.player).
		Scan(&me.player, &me.key, &me.score, &me.at)
	if errors.Is(err, store.ErrNoRows) {
		return b, nil, nil
	}
	if err != nil {
		return b, nil, err
	}
	above, err := rows("AND (rank_key > ? OR rank_key = ? AND (at < ? OR at = ? AND player < ?)) ORDER BY rank_key, at DESC, player DESC LIMIT ?",
		me.key, me.key, me.at, me.at, me.player, q.around)
	if err != nil {
		return b, nil, err
	}
	below, err := rows("AND (rank_key < ? OR rank_key = ? AND (at > ? OR at = ? AND player > ?)) ORDER BY rank_key DESC, at, player LIMIT ?",
		me.key, me.key, me.at, me.at, me.player, q.around)
	if err != nil {
		return b, nil, err
	}
	var near []boardRow
	for i := range above {
		near = append(near, above[len(above)-1-i])
	}
	if b.Around, err = ranked(r, q, span, append(append(near, me), below...)); err != nil {
		return b, nil, err
	}
	b.Rank = &b.Around[len(near)].Rank
	return b, &me.score, nil
}

type boardRow struct {
	player     string
	key, score float64
	at         int64
}

// ranked gives rows that follow each other their ranks: one more than there are better
// ones.
func ranked(r *store.Reader, q boardQuery, span string, rows []boardRow) ([]play.Row, error) {
	out := make([]play.Row, len(rows))
	for i, row := range rows {
		out[i] = play.Row{Name: playerName(q.game, row.player), Score: row.score, You: row.player == q.player && q.player != ""}
		if i > 0 && rows[i-1].key == row.key {
			out[i].Rank = out[i-1].Rank
			continue
		}
		if err := r.Row("SELECT count(*) + 1 FROM play_boards WHERE game = ? AND span = ? AND rank_key > ?", q.game, span, row.key).Scan(&out[i].Rank); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readBoardSettings(r *store.Reader, game string) (s BoardSettings, err error) {
	var lower int64
	err = r.Row("SELECT lower, least, most, per_second FROM play_board_settings WHERE game = ?", game).Scan(&lower, &s.Least, &s.Most, &s.PerSecond)
	if errors.Is(err, store.ErrNoRows) {
		return BoardSettings{}, nil
	}
	s.Lower = lower == 1
	return s, err
}
