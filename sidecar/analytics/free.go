package analytics

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// Bounds of what is kept of a game though nobody pays for it, sessions and the library's
// own events, in bytes, about. Whoever copies a key may invent as many as they like.
const (
	// maxFree is for a game and day: some 40,000 sessions of four events.
	maxFree = 64 << 20
	// freeStream is what a stream's row takes, and freeEvent an event's, or that of a
	// step of a funnel.
	freeStream = 768
	freeEvent  = 256
	// freeRun is what a run takes with its places on boards.
	freeRun = 1024
	// paysFor is how much an event covers that is paid.
	paysFor = 8 << 10
	// maxDeclared is for what a stream declares, and for its variants.
	maxDeclared = 4 << 10
)

// free returns how much is kept of a stream that its events don't pay for.
func (s stream) free() int64 {
	n := freeStream + int64(s.declared.size) + freeEvent*s.essential
	for _, at := range s.progress {
		n += freeEvent * at.Step
	}
	if s.class == string(ClassPublic) {
		return max(0, n-paysFor*s.custom)
	}
	return n + play.MaxEventSize*s.custom
}

// takes reports whether there is room for one more that is declared.
func (d *declared) takes(one any) bool {
	text, err := json.Marshal(one)
	if err != nil || d.size+len(text) > maxDeclared {
		return false
	}
	d.size += len(text)
	return true
}

// gameFull returns why one more event that nobody pays for may not be kept, "" if it may.
func (r *recording) gameFull() (play.Cause, error) {
	if r.free < 0 {
		have, err := optional(r.tx.Row("SELECT bytes FROM play_free WHERE game = ? AND day = ?", r.Game, r.stream.day))
		if err != nil {
			return "", err
		}
		r.free = max(0, have)
	}
	s := r.stream
	s.essential++
	if more := s.free() - r.given; more > 0 && r.free+more > maxFree {
		return play.CauseGameFull, nil
	}
	return "", nil
}

// countFree adds what the batch changed.
func (r *recording) countFree() error {
	more := r.stream.free() - r.given
	if more == 0 {
		return nil
	}
	return addFree(r.tx, r.Game, r.stream.day, more)
}

func addFree(tx *store.Tx, game string, day, bytes int64) error {
	_, err := tx.Exec(`INSERT INTO play_free (game, day, bytes) VALUES (?, ?, ?)
		ON CONFLICT (game, day) DO UPDATE SET bytes = play_free.bytes + excluded.bytes`, game, day, bytes)
	return err
}

// afford counts a run that the events of its stream, so many that are paid, don't cover,
// or returns an *answers.Error where a game may have no more of these.
func (e *ending) afford(paid int64) error {
	var runs int64
	if err := e.tx.Row("SELECT count(*) FROM play_runs WHERE game = ? AND stream = ?", e.Game, e.Stream).Scan(&runs); err != nil {
		return err
	}
	if runs < paid*paysFor/freeRun {
		return nil
	}
	have, err := optional(e.tx.Row("SELECT bytes FROM play_free WHERE game = ? AND day = ?", e.Game, e.now/msOfDay))
	if err != nil {
		return err
	}
	if have+freeRun > maxFree {
		return &answers.Error{Status: http.StatusTooManyRequests, Message: "The game has more runs today than it pays for.", RetryAfter: time.Hour}
	}
	return addFree(e.tx, e.Game, e.now/msOfDay, freeRun)
}
