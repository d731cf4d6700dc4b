package analytics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// Replayed takes what runs of a game came to that were played again. It is idempotent.
func (l *Log) Replayed(ctx context.Context, r contract.Replayed) error {
	now := l.now().UnixMilli()
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		for _, e := range r.Endings {
			found, err := store.All(&tx.Reader, scanWaiting, waitingRows+"WHERE game = ? AND stream = ? AND run = ?", r.ProjectID, e.Stream, e.Run)
			if err != nil {
				return err
			}
			for _, w := range found { // one, or none
				if err := w.judge(tx, e, now); err != nil {
					return err
				}
			}
		}
		return turn(tx, r.ProjectID, now+rest(r).Milliseconds())
	})
	if err != nil {
		return fmt.Errorf("recording which runs of game %s were verified: %w", r.ProjectID, err)
	}
	return nil
}

// rest is how long a game has no turn after the one that it had.
func rest(r contract.Replayed) time.Duration {
	times := time.Duration(replayRest)
	if slices.ContainsFunc(r.Endings, func(e contract.ReplayEnding) bool { return e.Failed == contract.ReplayTooLong }) {
		times = replayLongRest
	}
	took := time.Duration(min(max(0, r.Took), replayMostRest.Milliseconds())) * time.Millisecond
	return min(times*took, replayMostRest)
}

// reported reads the run as its page reported it, or returns false where it is no more: its
// player was forgotten.
func (w waiting) reported(tx *store.Tx) (e ending, there bool, err error) {
	e = ending{tx: tx}
	e.Game, e.Stream, e.Run = w.game, w.stream, w.run
	err = tx.Row("SELECT player, at, score, outcome, state FROM play_runs WHERE game = ? AND stream = ? AND run = ?", w.game, w.stream, w.run).
		Scan(&e.Player, &e.now, &e.Score.Score, &e.Outcome, &e.state)
	if errors.Is(err, store.ErrNoRows) {
		return e, false, nil
	}
	if err == nil {
		e.settings, err = readBoardSettings(&tx.Reader, w.game)
	}
	return e, true, err
}

// judge compares what the run came to with what its page reported. Only what is certain
// costs a run its place: that a game whose sources the engine knows came to another end.
func (w waiting) judge(tx *store.Tx, came contract.ReplayEnding, now int64) error {
	if came.Unplayed {
		_, err := tx.Exec("UPDATE play_replays SET until = 0, tries = tries - 1 WHERE game = ? AND stream = ? AND run = ? AND until > 0", w.game, w.stream, w.run)
		return err
	}
	run, there, err := w.reported(tx)
	if err != nil {
		return err
	}
	same := came.Over && came.Outcome == run.Outcome && came.Score == run.Score.Score
	switch {
	case !there || came.Failed != "" || came.Foreign != "":
		return w.end(tx, resultUnverified, now)
	case same && came.Steps >= 0 && came.Steps <= w.steps():
		return w.verify(tx, run, now)
	case same || !came.Sure: // one over two sessions has more steps than the last has time
		return w.end(tx, resultUnverified, now)
	}
	return w.refuse(tx, run, now)
}

// verify marks a run, and puts one that was held back onto the boards.
func (w waiting) verify(tx *store.Tx, run ending, now int64) error {
	if err := w.mark(tx, play.StateVerified); err != nil {
		return err
	}
	if run.state == play.StateHeld && run.now >= run.settings.since { // a reward for so many runs counts this one
		if _, err := run.seat(); err != nil {
			return err
		}
	}
	if _, err := tx.Exec("UPDATE play_boards SET verified_at = at WHERE game = ? AND player = ? AND at = ? AND score = ?",
		w.game, run.Player, run.now, run.Score.Score); err != nil {
		return err
	}
	return w.end(tx, resultVerified, now)
}

func (w waiting) mark(tx *store.Tx, state string) error {
	_, err := tx.Exec("UPDATE play_runs SET state = ? WHERE game = ? AND stream = ? AND run = ?", state, w.game, w.stream, w.run)
	return err
}

// refuse takes a run from the boards, and what it brought from its player. The best of the
// player's others stands there then.
func (w waiting) refuse(tx *store.Tx, run ending, now int64) error {
	if err := w.mark(tx, play.StateRefused); err != nil {
		return err
	}
	if _, err := tx.Exec("DELETE FROM play_grants WHERE game = ? AND stream = ? AND run = ?", w.game, w.stream, w.run); err != nil {
		return err
	}
	for _, window := range inOrder() {
		if err := run.unseat(window); err != nil {
			return err
		}
	}
	return w.end(tx, resultRefused, now)
}

// unseat takes the run from the board of a window.
func (e *ending) unseat(window string) error {
	span := spanOf(window, e.now)
	// The place that is taken, and then a worse one: the other way round than all others.
	if err := e.tx.Lock("SELECT 1 FROM play_ranks WHERE game = ? AND span = ? ORDER BY from_key", e.Game, span); err != nil {
		return err
	}
	gone, err := e.tx.Exec("DELETE FROM play_boards WHERE game = ? AND span = ? AND player = ? AND at = ? AND score = ?",
		e.Game, span, e.Player, e.now, e.Score.Score)
	if err != nil || gone == 0 {
		return err
	}
	from, to := spanTimes(window, e.now)
	stands, args := "", []any{e.Game, e.Player, max(from, e.settings.since), to}
	if least := e.settings.Least; least != nil {
		stands, args = stands+" AND score >= ?", append(args, *least)
	}
	if most := e.settings.Most; most != nil {
		stands, args = stands+" AND score <= ?", append(args, *most)
	}
	order := "DESC"
	if e.settings.Lower {
		order = "ASC"
	}
	next := ending{tx: e.tx, settings: e.settings}
	next.Game, next.Player = e.Game, e.Player
	var state string
	err = e.tx.Row(`SELECT score, at, state FROM play_runs WHERE game = ? AND player = ? AND at >= ? AND at < ? AND state IN ('accepted', 'verified')`+stands+
		" ORDER BY score "+order+", at LIMIT 1", args...).Scan(&next.Score.Score, &next.now, &state)
	if errors.Is(err, store.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := next.place(span); err != nil || state != play.StateVerified {
		return err
	}
	_, err = e.tx.Exec("UPDATE play_boards SET verified_at = at WHERE game = ? AND span = ? AND player = ?", e.Game, span, e.Player)
	return err
}

// spanTimes are the instants, in ms, from which and before which a window goes that an
// instant is in.
func spanTimes(window string, ms int64) (from, to int64) {
	day := ms / msOfDay
	switch window {
	case play.WindowDay:
		return day * msOfDay, (day + 1) * msOfDay
	case play.WindowWeek: // the first day of 1970 was a Thursday
		monday := day - (day+3)%7
		return monday * msOfDay, (monday + 7) * msOfDay
	}
	return 0, 1 << 60
}
