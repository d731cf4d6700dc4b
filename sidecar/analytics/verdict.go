package analytics

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// Replayed takes what runs of a game came to that were played again. It is idempotent.
func (l *Log) Replayed(ctx context.Context, game string, endings []contract.ReplayEnding) error {
	now := l.now().UnixMilli()
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		for _, e := range endings {
			found, err := store.All(&tx.Reader, scanWaiting, waitingRows+"WHERE game = ? AND stream = ? AND run = ? AND differs = 0", game, e.Stream, e.Run)
			if err != nil {
				return err
			}
			for _, w := range found { // one, or none
				if err := w.judge(tx, e, now); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("recording which runs of game %s were verified: %w", game, err)
	}
	return nil
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

// judge compares what the run came to with what its page reported.
func (w waiting) judge(tx *store.Tx, came contract.ReplayEnding, now int64) error {
	run, there, err := w.reported(tx)
	if err != nil {
		return err
	}
	if !there || came.Failed != "" || came.Foreign != "" {
		return w.end(tx, resultUnverified, now)
	}
	inTime := came.Steps*1000/stepsSecond <= w.length+replaySlack
	if came.Over && came.Outcome == run.Outcome && came.Score == run.Score.Score && inTime {
		return w.verify(tx, run, now)
	}
	if !came.Sure {
		verified, err := optional(tx.Row("SELECT 1 FROM play_replayed WHERE game = ? AND build = ? AND result = ? LIMIT 1", w.game, w.build, resultVerified))
		if err != nil {
			return err
		}
		if verified == 0 { // nobody knows yet whether the game ever comes to the same end
			_, err := tx.Exec("UPDATE play_replays SET log = '', differs = 1 WHERE game = ? AND stream = ? AND run = ?", w.game, w.stream, w.run)
			return err
		}
	}
	return w.refuse(tx, run, now)
}

// verify marks a run, and puts one that was held back onto the boards. Those of its build
// that differed before are refused: the game does come to the same end.
func (w waiting) verify(tx *store.Tx, run ending, now int64) error {
	if err := w.mark(tx, play.StateVerified); err != nil {
		return err
	}
	if run.state == play.StateHeld { // a reward for so many runs counts this one
		if _, err := run.seat(); err != nil {
			return err
		}
	}
	if _, err := tx.Exec("UPDATE play_boards SET verified_at = at WHERE game = ? AND player = ? AND at = ? AND score = ?",
		w.game, run.Player, run.now, run.Score.Score); err != nil {
		return err
	}
	if err := w.end(tx, resultVerified, now); err != nil {
		return err
	}
	differed, err := store.All(&tx.Reader, scanWaiting, waitingRows+"WHERE game = ? AND build = ? AND differs = 1 ORDER BY stream, run", w.game, w.build)
	if err != nil {
		return err
	}
	for _, other := range differed {
		forged, there, err := other.reported(tx)
		switch {
		case err != nil:
			return err
		case !there:
			err = other.end(tx, resultUnverified, now)
		default:
			err = other.refuse(tx, forged, now)
		}
		if err != nil {
			return err
		}
	}
	return nil
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
	for _, window := range play.Windows() {
		if err := run.unseat(window); err != nil {
			return err
		}
	}
	return w.end(tx, resultRefused, now)
}

// unseat takes the run from the board of a window.
func (e *ending) unseat(window string) error {
	span := spanOf(window, e.now)
	gone, err := e.tx.Exec("DELETE FROM play_boards WHERE game = ? AND span = ? AND player = ? AND at = ? AND score = ?",
		e.Game, span, e.Player, e.now, e.Score.Score)
	if err != nil || gone == 0 {
		return err
	}
	from, to := spanTimes(window, e.now)
	order := "DESC"
	if e.settings.Lower {
		order = "ASC"
	}
	next := ending{tx: e.tx, settings: e.settings}
	next.Game, next.Player = e.Game, e.Player
	var state string
	err = e.tx.Row(`SELECT score, at, state FROM play_runs WHERE game = ? AND player = ? AND at >= ? AND at < ? AND state IN ('accepted', 'verified')
		ORDER BY score `+order+", at LIMIT 1", e.Game, e.Player, from, to).Scan(&next.Score.Score, &next.now, &state)
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
