package analytics

import (
	"context"
	"encoding/json"
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
	if e.Log == "" || e.Build == "" || !e.given() {
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
	var game, all int64
	if err := e.tx.Row("SELECT count(*) FROM play_replays WHERE game = ?", e.Game).Scan(&game); err != nil {
		return err
	}
	if err := e.tx.Row("SELECT count(*) FROM (SELECT 1 FROM play_replays LIMIT " + strconv.Itoa(waitingAll) + ") r").Scan(&all); err != nil {
		return err
	}
	if game >= waitingGame || all >= waitingAll {
		return countReplayed(e.tx, e.Game, e.Build, resultUnverified, e.now)
	}
	_, err := e.tx.Exec(`INSERT INTO play_replays (game, stream, run, player, build, log, length, at, until, tries, differs) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0)
		ON CONFLICT (game, stream, run) DO NOTHING`, e.Game, e.Stream, e.Run, e.Player, e.Build, e.Log, e.Length, e.now)
	return err
}

// given reports whether the run was played with what the service gave its player.
func (e *ending) given() bool {
	var said struct {
		Given map[string]any `json:"given"`
	}
	if json.Unmarshal([]byte(e.Log), &said) != nil {
		return false
	}
	for name, value := range said.Given {
		switch value := value.(type) {
		case string:
			if e.variants[name] != value {
				return false
			}
		case float64:
			if want, err := strconv.ParseFloat(e.variants[name], 64); err != nil || want != value {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// Replays returns runs of one build that are to be played again, and gives them to nobody
// else for a while. Those that nobody could play again are given up.
func (l *Log) Replays(ctx context.Context) (out contract.Replays, err error) {
	now := l.now().UnixMilli()
	err = l.store.Update(ctx, func(tx *store.Tx) error {
		out = contract.Replays{}
		if err := giveUp(tx, now); err != nil {
			return err
		}
		// Of many games each has its turn, however many runs another has.
		games, err := store.All(&tx.Reader, store.Column[string], "SELECT DISTINCT game FROM play_replays WHERE differs = 0 AND until < ? ORDER BY game", now)
		if err != nil || len(games) == 0 {
			return err
		}
		return take(tx, &out, games[rand.IntN(len(games))], now)
	})
	if err != nil {
		return contract.Replays{}, fmt.Errorf("looking for runs to play again: %w", err)
	}
	return out, nil
}

// take gives away the oldest runs of a game's build.
func take(tx *store.Tx, out *contract.Replays, game string, now int64) error {
	out.ProjectID = game
	if err := tx.Row("SELECT build FROM play_replays WHERE game = ? AND differs = 0 AND until < ? ORDER BY at, stream, run LIMIT 1", game, now).Scan(&out.JobID); err != nil {
		return err
	}
	runs, err := store.All(&tx.Reader, func(scan store.Scan) (r contract.Replay, err error) { return r, scan(&r.Stream, &r.Run, &r.Log) },
		"SELECT stream, run, log FROM play_replays WHERE game = ? AND build = ? AND differs = 0 AND until < ? ORDER BY at, stream, run LIMIT "+strconv.Itoa(contract.MaxReplays),
		game, out.JobID, now)
	if err != nil {
		return err
	}
	size := 0
	for _, run := range runs {
		if size += len(run.Log); size > replayBytes {
			break
		}
		out.Runs = append(out.Runs, run)
		if _, err := tx.Exec("UPDATE play_replays SET until = ?, tries = tries + 1 WHERE game = ? AND stream = ? AND run = ?",
			now+replayLease.Milliseconds(), game, run.Stream, run.Run); err != nil {
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

const waitingRows = "SELECT game, stream, run, build, length FROM play_replays "

// giveUp ends the waiting of runs that nobody could play again.
func giveUp(tx *store.Tx, now int64) error {
	old, err := store.All(&tx.Reader, scanWaiting, waitingRows+"WHERE at < ? OR differs = 0 AND tries >= ? AND until < ? ORDER BY game, stream, run",
		now-replayKeep.Milliseconds(), int64(replayTries), now)
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
