package analytics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// Runs that are played again: those that may be seen on a board, and a sample of others.
const (
	seenPlaces  = 100 // of each window
	sampleOf    = 100 // one of so many others
	waitingGame = 100 // runs of a game that wait
	waitingAll  = 5000
	replayKeep  = 24 * time.Hour  // how long a run waits at most
	replayLease = 5 * time.Minute // how long an engine proxy has one
	replayTries = 3
	replayBytes = 256 << 10 // of runs that are given at once
	stepsSecond = 60
	replaySlack = 5000 // ms that a run may have more steps for than it took

	// A game whose runs took an engine so long has its next turn so many times later, and
	// much later where one did not end.
	replayRest, replayLongRest = 9, 60
	replayMostRest             = 6 * time.Hour
)

// Results of runs that were to be played again.
const (
	resultVerified   = "verified"
	resultRefused    = "refused"
	resultUnverified = "unverified"
)

// offer puts the run among those that are to be played again, if it is to be: placed says
// that it is its player's best.
func (e *ending) offer(placed bool) error {
	if e.Build == "" || !json.Valid([]byte(e.Log)) { // "" is none
		return nil
	}
	wanted := e.state == play.StateHeld || rand.IntN(sampleOf) == 0
	for _, window := range play.Windows() {
		if wanted || !placed {
			break
		}
		var better int64
		err := e.tx.Row("SELECT count(*) FROM (SELECT 1 FROM play_boards WHERE game = ? AND span = ? AND rank_key > ? LIMIT "+strconv.Itoa(seenPlaces)+") b",
			e.Game, spanOf(window, e.now), e.key()).Scan(&better)
		if err != nil {
			return err
		}
		wanted = better < seenPlaces
	}
	if !wanted {
		return nil
	}
	if room, err := e.room(); err != nil || !room {
		return err
	}
	given, err := json.Marshal(e.variants)
	if err != nil {
		return fmt.Errorf("encoding a player's parameters: %w", err)
	}
	_, err = e.tx.Exec(`INSERT INTO play_replays (game, stream, run, player, build, length, at, until, tries, given, log) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)
		ON CONFLICT (game, stream, run) DO NOTHING`, e.Game, e.Stream, e.Run, e.Player, e.Build, e.length, e.now, string(given), e.Log)
	return err
}

// room reports whether one more run may wait. Where as many of a game do as may, the one
// that has waited for longest is given up for it: who floods a game with runs keeps none
// of those that come later from their turn.
func (e *ending) room() (bool, error) {
	var game, all int64
	if err := e.tx.Row("SELECT count(*) FROM play_replays WHERE game = ?", e.Game).Scan(&game); err != nil {
		return false, err
	}
	if err := e.tx.Row("SELECT count(*) FROM (SELECT 1 FROM play_replays LIMIT " + strconv.Itoa(waitingAll) + ") r").Scan(&all); err != nil {
		return false, err
	}
	if game < waitingGame && all < waitingAll {
		return true, nil
	}
	oldest, err := store.All(&e.tx.Reader, scanWaiting, waitingRows+"WHERE game = ? AND until < ? ORDER BY at, stream, run LIMIT 1", e.Game, e.now)
	if err != nil {
		return false, err
	}
	if len(oldest) == 0 {
		return false, countReplayed(e.tx, e.Game, e.Build, resultUnverified, e.now)
	}
	return true, oldest[0].end(e.tx, resultUnverified, e.now)
}

// Replays returns runs of one build that are to be played again, and gives them to nobody
// else for a while. Those that nobody could play again are given up. While there is
// nothing to do it writes nothing.
func (l *Log) Replays(ctx context.Context) (out contract.Replays, err error) {
	now := l.now().UnixMilli()
	var old int64
	var game string
	err = l.store.View(ctx, func(r *store.Reader) (err error) {
		if old, err = optional(r.Row(oldReplay, now-replayKeep.Milliseconds())); err == nil {
			game, err = nextReplayed(r, now)
		}
		return err
	})
	if err == nil && (old == 1 || game != "") {
		err = l.store.Update(ctx, func(tx *store.Tx) error {
			out = contract.Replays{}
			if err := giveUp(tx, now); err != nil {
				return err
			}
			game, err := nextReplayed(&tx.Reader, now)
			if err != nil || game == "" {
				return err
			}
			return take(tx, &out, game, now)
		})
	}
	if err != nil {
		return contract.Replays{}, fmt.Errorf("looking for runs to play again: %w", err)
	}
	return out, nil
}

const (
	oldReplay = "SELECT 1 FROM play_replays WHERE at < ? LIMIT 1"
	nextTurn  = `SELECT r.game FROM (SELECT DISTINCT game FROM play_replays WHERE until < ?) r LEFT JOIN play_replay_turns t ON t.game = r.game
		WHERE t.at IS NULL OR t.at <= ? ORDER BY coalesce(t.at, 0), r.game LIMIT 1`
)

// nextReplayed returns the game whose turn it is, "" for none: however many runs one has,
// or however long they take, each other has its turn.
func nextReplayed(r *store.Reader, now int64) (game string, err error) {
	err = r.Row(nextTurn, now, now).Scan(&game)
	if errors.Is(err, store.ErrNoRows) {
		return "", nil
	}
	return game, err
}

// turn says when a game has its next one, in ms.
func turn(tx *store.Tx, game string, at int64) error {
	_, err := tx.Exec("INSERT INTO play_replay_turns (game, at) VALUES (?, ?) ON CONFLICT (game) DO UPDATE SET at = excluded.at", game, at)
	return err
}

// take gives away the newest runs of a game's build.
func take(tx *store.Tx, out *contract.Replays, game string, now int64) error {
	if err := turn(tx, game, now); err != nil {
		return err
	}
	out.ProjectID = game
	if err := tx.Row("SELECT build FROM play_replays WHERE game = ? AND until < ? ORDER BY at DESC, stream, run LIMIT 1", game, now).Scan(&out.JobID); err != nil {
		return err
	}
	runs, err := store.All(&tx.Reader, scanTaken, "SELECT "+waitingColumns+", tries, given, log FROM play_replays "+
		"WHERE game = ? AND build = ? AND until < ? ORDER BY at DESC, stream, run LIMIT "+strconv.Itoa(contract.MaxReplays), game, out.JobID, now)
	if err != nil {
		return err
	}
	size := 0
	for _, run := range runs {
		if run.tries >= replayTries {
			if err := run.end(tx, resultUnverified, now); err != nil {
				return err
			}
			continue
		}
		if size += len(run.log); size > replayBytes {
			break
		}
		replay := contract.Replay{Stream: run.stream, Run: run.run, Log: run.log, Steps: run.steps()}
		if err := json.Unmarshal([]byte(run.given), &replay.Given); err != nil {
			return fmt.Errorf("reading the parameters of a run of game %s: %w", game, err)
		}
		out.Runs = append(out.Runs, replay)
		if _, err := tx.Exec("UPDATE play_replays SET until = ?, tries = tries + 1 WHERE game = ? AND stream = ? AND run = ?",
			now+replayLease.Milliseconds(), game, run.stream, run.run); err != nil {
			return err
		}
	}
	return nil
}

// waiting is a row of play_replays.
type waiting struct {
	game, stream string
	run          int64
	build        string
	length       int64
}

func scanWaiting(scan store.Scan) (w waiting, err error) {
	return w, scan(&w.game, &w.stream, &w.run, &w.build, &w.length)
}

const (
	waitingColumns = "game, stream, run, build, length"
	waitingRows    = "SELECT " + waitingColumns + " FROM play_replays "
)

// taken is a waiting run with what it is played again by.
type taken struct {
	waiting
	tries      int64
	given, log string
}

func scanTaken(scan store.Scan) (t taken, err error) {
	return t, scan(&t.game, &t.stream, &t.run, &t.build, &t.length, &t.tries, &t.given, &t.log)
}

// steps are how many the run had time for.
func (w waiting) steps() int64 { return (w.length + replaySlack) * stepsSecond / 1000 }

// giveUp ends the waiting of runs that nobody played again in time.
func giveUp(tx *store.Tx, now int64) error {
	old, err := store.All(&tx.Reader, scanWaiting, waitingRows+"WHERE at < ? ORDER BY at", now-replayKeep.Milliseconds())
	if err != nil {
		return err
	}
	for _, w := range old {
		if err := w.end(tx, resultUnverified, now); err != nil {
			return err
		}
	}
	return nil
}

// end counts a run and forgets how it was played.
func (w waiting) end(tx *store.Tx, result string, now int64) error {
	if err := countReplayed(tx, w.game, w.build, result, now); err != nil {
		return err
	}
	_, err := tx.Exec("DELETE FROM play_replays WHERE game = ? AND stream = ? AND run = ?", w.game, w.stream, w.run)
	return err
}

func countReplayed(tx *store.Tx, game, build, result string, now int64) error {
	_, err := tx.Exec(`INSERT INTO play_replayed (game, day, build, result, runs) VALUES (?, ?, ?, ?, 1)
		ON CONFLICT (game, day, build, result) DO UPDATE SET runs = play_replayed.runs + 1`, game, now/msOfDay, build, result)
	return err
}
