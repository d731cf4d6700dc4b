package analytics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// BoardSettings are what an owner set for a game's board.
type BoardSettings struct {
	Lower     bool     // the lower score is the better one
	Least     *float64 // bounds of a score; nil for none
	Most      *float64
	PerSecond *float64 // more than so much a second of a run is held; nil holds nothing

	since int64 // ms: scores of before are on no board, as they were compared otherwise
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
// an *answers.Error for what can't be, and for who ends runs too often. Only the public's
// runs of players with a name are on boards.
func (l *Log) Submit(ctx context.Context, s Submission) (answer play.ScoreAnswer, err error) {
	now := l.now().UnixMilli()
	e := ending{Submission: s, now: now, state: play.StateAccepted}
	var variants map[string]string
	if s.Log != "" {
		if variants, err = l.Variants(ctx, s.Game, s.Player); err != nil {
			return play.ScoreAnswer{}, err
		}
	}
	if s.Class == ClassPublic && s.Player != "" {
		err = l.store.Update(ctx, func(tx *store.Tx) (err error) {
			e = ending{Submission: s, tx: tx, now: now, state: play.StateAccepted, variants: variants}
			if e.settings, err = readBoardSettings(&tx.Reader, s.Game); err != nil {
				return err
			}
			return e.keep()
		})
	}
	if err == nil { // a place takes counting, which no writer waits for
		err = l.store.View(store.Unhurried(ctx), func(r *store.Reader) (err error) {
			answer, err = e.answer(r)
			return err
		})
	}
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
	variants map[string]string // what the service gives the player
	length   int64             // ms that the run took at most, as the service saw
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
		return answers.BadRequest("The run is another player's.")
	}
	if made == 0 {
		return nil
	}
	placed := false
	if e.state == play.StateAccepted {
		if placed, err = e.seat(); err != nil {
			return err
		}
	}
	return e.offer(placed)
}

// inOrder are the windows in the order of their spans' names, in which all lock the parts of
// boards.
func inOrder() []string { return []string{play.WindowDay, play.WindowWeek, play.WindowAll} }

// seat puts the run onto the boards, with its rewards, and reports whether it is its
// player's best on one of them.
func (e *ending) seat() (placed bool, err error) {
	for _, window := range inOrder() {
		there, err := e.place(spanOf(window, e.now))
		if err != nil {
			return false, err
		}
		placed = placed || there
	}
	return placed, e.grant()
}

// check returns why a run can't be, and holds one that is too good.
func (e *ending) check() error {
	score := e.Score.Score
	if least, most := e.settings.Least, e.settings.Most; least != nil && score < *least || most != nil && score > *most {
		return answers.BadRequest("The score is not one of this game.")
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
		return answers.BadRequest("The run is longer than its session.")
	}
	e.length = min(e.Length, e.now-seen+unseen)
	if per := e.settings.PerSecond; per != nil && math.Abs(score) > *per*math.Max(1, float64(e.length)/1000) {
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
		return &answers.Error{Status: http.StatusTooManyRequests, Message: "Runs end too often; wait.", RetryAfter: wait}
	}
	return e.afford(paid)
}

// key grows with how good the run is.
func (e *ending) key() float64 {
	if e.settings.Lower {
		return -e.Score.Score
	}
	return e.Score.Score
}

// place puts the run onto the board of a span if it is its player's best, and reports
// whether it is.
func (e *ending) place(span string) (bool, error) {
	changed, err := e.tx.Exec(`INSERT INTO play_boards (game, span, player, rank_key, score, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (game, span, player) DO UPDATE SET rank_key = excluded.rank_key, score = excluded.score, at = excluded.at
			WHERE excluded.rank_key > play_boards.rank_key`, e.Game, span, e.Player, e.key(), e.Score.Score, e.now)
	return changed > 0, err
}

func (e *ending) answer(r *store.Reader) (play.ScoreAnswer, error) {
	a := play.ScoreAnswer{OK: true, State: e.state, Verified: e.state == play.StateVerified, Rewards: []play.Reward{}}
	waits, err := optional(r.Row("SELECT 1 FROM play_replays WHERE game = ? AND stream = ? AND run = ?", e.Game, e.Stream, e.Run))
	if err != nil {
		return a, err
	}
	a.Note = noteOf(e.state, waits == 1)
	board, best, err := readBoard(r, boardQuery{e.Game, e.Player, play.WindowAll, e.now, 10, 1})
	if err != nil {
		return a, err
	}
	a.Board, a.Best = board, best
	a.Rewards, err = store.All(r, func(scan store.Scan) (r play.Reward, err error) {
		return r, scan(&r.ID, &r.Name, &r.Icon)
	}, `SELECT w.id, w.name, w.icon FROM play_grants g JOIN play_rewards w ON w.game = g.game AND w.id = g.reward
		WHERE g.game = ? AND g.stream = ? AND g.run = ? AND g.player = ? ORDER BY w.id`, e.Game, e.Stream, e.Run, e.Player)
	if a.Rewards == nil {
		a.Rewards = []play.Reward{}
	}
	return a, err
}

// noteOf says to a player what is known of a run.
func noteOf(state string, waits bool) string {
	switch {
	case state == play.StateVerified:
		return play.NoteVerified
	case state == play.StateRefused:
		return play.NoteRefused
	case waits:
		return play.NoteWaits
	case state == play.StateHeld:
		return play.NoteHeld
	}
	return play.NoteNone
}

// boardQuery is what is asked of a board.
type boardQuery struct {
	game, player, window string
	now                  int64
	top, around          int
}

// Board returns a part of a board: the best, and those around the player.
func (l *Log) Board(ctx context.Context, game, player, window string, top, around int) (b play.Board, err error) {
	err = l.store.View(store.Unhurried(ctx), func(r *store.Reader) error {
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
			return row, scan(&row.player, &row.key, &row.score, &row.at, &row.verified)
		}, "SELECT player, rank_key, score, at, verified_at FROM play_boards WHERE game = ? AND span = ? "+query, append([]any{q.game, span}, args...)...)
	}
	top, err := rows("ORDER BY rank_key DESC, at, player LIMIT ?", q.top)
	if err != nil {
		return b, nil, err
	}
	if b.Top = ranked(q, top); q.player == "" {
		return b, nil, nil
	}
	var me boardRow
	err = r.Row("SELECT player, rank_key, score, at, verified_at FROM play_boards WHERE game = ? AND span = ? AND player = ?", q.game, span, q.player).
		Scan(&me.player, &me.key, &me.score, &me.at, &me.verified)
	if errors.Is(err, store.ErrNoRows) {
		return b, nil, nil
	}
	if err != nil {
		return b, nil, err
	}
	// Of one score there may be very many: who is next to me among them, and then who is of
	// another one, are found apart.
	next := func(same, other string) ([]boardRow, error) {
		found, err := rows("AND rank_key = ? AND "+same+" LIMIT ?", me.key, me.at, me.player, q.around)
		if err != nil || len(found) == q.around {
			return found, err
		}
		more, err := rows("AND "+other+" LIMIT ?", me.key, q.around-len(found))
		return append(found, more...), err
	}
	above, err := next("(at, player) < (?, ?) ORDER BY at DESC, player DESC", "rank_key > ? ORDER BY rank_key, at DESC, player DESC")
	if err != nil {
		return b, nil, err
	}
	below, err := next("(at, player) > (?, ?) ORDER BY at, player", "rank_key < ? ORDER BY rank_key DESC, at, player")
	if err != nil {
		return b, nil, err
	}
	slices.Reverse(above)
	near := append(append(above, me), below...)
	if b.Around, err = rankedAround(r, q, span, near); err != nil {
		return b, nil, err
	}
	b.Rank = &b.Around[len(above)].Rank
	return b, &me.score, nil
}

type boardRow struct {
	player     string
	key, score float64
	at         int64
	verified   int64 // the time of the run that was
}

// shown is a row without its rank.
func (row boardRow) shown(q boardQuery) play.Row {
	return play.Row{
		Name: playerName(q.game, row.player), Score: row.score, You: row.player == q.player && q.player != "", Verified: row.verified == row.at,
	}
}

// ranked gives the best rows their ranks: one more than there are better ones.
func ranked(q boardQuery, rows []boardRow) []play.Row {
	out := make([]play.Row, len(rows))
	for i, row := range rows {
		out[i] = row.shown(q)
		if out[i].Rank = int64(i + 1); i > 0 && rows[i-1].key == row.key {
			out[i].Rank = out[i-1].Rank
		}
	}
	return out
}

// rankedAround gives ranks to rows that follow each other anywhere. The first of them are
// counted; who comes after one whose place is known has a place that follows from it.
func rankedAround(r *store.Reader, q boardQuery, span string, rows []boardRow) ([]play.Row, error) {
	out := make([]play.Row, len(rows))
	first := 0 // row of its score, 0 until one is known
	for i, row := range rows {
		out[i] = row.shown(q)
		switch {
		case i > 0 && rows[i-1].key == row.key:
			out[i].Rank = out[i-1].Rank
		case first > 0:
			out[i].Rank = out[first].Rank + int64(i-first)
		default:
			n, err := better(r, q.game, span, row.key)
			if err != nil {
				return nil, err
			}
			out[i].Rank, first = n+1, i
		}
	}
	return out, nil
}

func readBoardSettings(r *store.Reader, game string) (s BoardSettings, err error) {
	var lower int64
	err = r.Row("SELECT lower, least, most, per_second, since FROM play_board_settings WHERE game = ?", game).
		Scan(&lower, &s.Least, &s.Most, &s.PerSecond, &s.since)
	if errors.Is(err, store.ErrNoRows) {
		return BoardSettings{}, nil
	}
	s.Lower = lower == 1
	return s, err
}
