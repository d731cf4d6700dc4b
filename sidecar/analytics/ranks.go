package analytics

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/svc-games/svc/sidecar/store"
)

// Parts of boards, by which ranks are counted. Triggers keep how many players each has.
const (
	// rankedFrom is how many players a board has that gets parts.
	rankedFrom = 5000
	// partPlayers is how many a part has, unless more have one score: each that is counted may be
	// a page of the table.
	partPlayers = 300
	// fullPart is how many it has before the board's parts are made anew.
	fullPart = 4 * partPlayers
	// partsAtOnce is how many are counted in a transaction.
	partsAtOnce = 20
	// worstKey begins the part of those who will be worse than all.
	worstKey = -math.MaxFloat64
)

// better counts those whose runs are better than one of a key.
func better(r *store.Reader, game, span string, key float64) (n int64, err error) {
	var next *float64 // where the parts begin of which all are better
	if err := r.Row("SELECT min(from_key) FROM play_ranks WHERE game = ? AND span = ? AND from_key > ?", game, span, key).Scan(&next); err != nil {
		return 0, err
	}
	const above = "SELECT count(*) FROM play_boards WHERE game = ? AND span = ? AND rank_key > ?"
	if next == nil {
		return n, r.Row(above, game, span, key).Scan(&n)
	}
	if err := r.Row(above+" AND rank_key < ?", game, span, key, *next).Scan(&n); err != nil {
		return 0, err
	}
	var parts int64
	err = r.Row("SELECT CAST(sum(players) AS BIGINT) FROM play_ranks WHERE game = ? AND span = ? AND from_key >= ?", game, span, *next).Scan(&parts)
	return n + parts, err
}

// makeRanks makes parts of the boards that became large, and anew of those one of whose parts
// did, and removes those of boards on which nobody stands any more. Batches wait for no look at
// a board.
func (l *Log) makeRanks(ctx context.Context) error {
	type board struct{ game, span string }
	begins := make(map[board][]float64)
	boards := func(query string, args ...any) (found []board, err error) {
		err = l.store.View(store.Unhurried(ctx), func(r *store.Reader) error {
			found, err = store.All(r, func(scan store.Scan) (b board, err error) { return b, scan(&b.game, &b.span) }, query, args...)
			return err
		})
		return found, err
	}
	empty, err := boards("SELECT DISTINCT r.game, r.span FROM play_ranks r WHERE NOT EXISTS (SELECT 1 FROM play_boards b WHERE b.game = r.game AND b.span = r.span)")
	for _, b := range empty {
		begins[b] = nil
	}
	var large []board
	if err == nil {
		large, err = boards("SELECT game, span FROM play_boards GROUP BY game, span HAVING count(*) >= ?", int64(rankedFrom))
	}
	for _, b := range large {
		if err == nil {
			err = l.store.View(store.Unhurried(ctx), func(r *store.Reader) error {
				at, err := newRanks(r, b.game, b.span)
				if len(at) > 0 {
					begins[b] = at
				}
				return err
			})
		}
	}
	for b, at := range begins {
		if err == nil {
			err = l.setRanks(ctx, b.game, b.span, at)
		}
	}
	if err != nil {
		return fmt.Errorf("counting places on boards: %w", err)
	}
	return nil
}

// newRanks returns where the parts of a board are to begin, none where they may stay as they
// are.
func newRanks(r *store.Reader, game, span string) (begins []float64, err error) {
	full, err := hasFullPart(r, game, span)
	if err != nil || !full {
		return nil, err
	}
	begins = []float64{worstKey}
	players := int64(partPlayers) // of the part before, so that the first key begins one
	err = r.Each(func(scan store.Scan) error {
		var key float64
		var n int64
		err := scan(&key, &n)
		if players >= partPlayers || n >= partPlayers {
			begins, players = append(begins, key), 0
		}
		players += n
		return err
	}, "SELECT rank_key, count(*) FROM play_boards WHERE game = ? AND span = ? GROUP BY rank_key ORDER BY rank_key", game, span)
	return begins, err
}

// hasFullPart reports whether a board has no parts, or not all of them, or one of several keys
// that is full.
func hasFullPart(r *store.Reader, game, span string) (bool, error) {
	type part struct {
		from    float64
		players int64
		next    *float64
	}
	parts, err := store.All(r, func(scan store.Scan) (p part, err error) {
		return p, scan(&p.from, &p.players, &p.next)
	}, "SELECT from_key, players, lead(from_key) OVER (ORDER BY from_key) FROM play_ranks WHERE game = ? AND span = ?", game, span)
	whole := slices.ContainsFunc(parts, func(p part) bool { return p.from == worstKey })
	if err != nil || !whole {
		return err == nil, err
	}
	for _, p := range parts {
		if p.players < fullPart {
			continue
		}
		query, args := "SELECT 1 FROM play_boards WHERE game = ? AND span = ? AND rank_key > ?", []any{game, span, p.from}
		if p.next != nil {
			query, args = query+" AND rank_key < ?", append(args, *p.next)
		}
		if several, err := optional(r.Row(query+" LIMIT 1", args...)); err != nil || several == 1 {
			return several == 1, err
		}
	}
	return false, nil
}

// setRanks replaces the parts of a board, and counts their players. It counts from the best
// down, few parts at once: all batches wait for each count, and a rank among parts that are
// still to come is counted, as on a board without any. What is broken off is made anew.
func (l *Log) setRanks(ctx context.Context, game, span string, begins []float64) error {
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		if err := l.lockRanks(tx); err != nil {
			return err
		}
		_, err := tx.Exec("DELETE FROM play_ranks WHERE game = ? AND span = ?", game, span)
		return err
	})
	alone := true
	for end := len(begins); end > 0 && alone && err == nil; end -= partsAtOnce {
		err = l.store.Update(ctx, func(tx *store.Tx) (err error) {
			alone, err = l.addRanks(tx, game, span, begins, max(end-partsAtOnce, 0), end)
			return err
		})
	}
	return err
}

// lockRanks has each who writes a place count it before this, or after it.
func (l *Log) lockRanks(tx *store.Tx) error {
	if !l.parted {
		return nil
	}
	_, err := tx.Exec("LOCK TABLE play_ranks IN EXCLUSIVE MODE")
	return err
}

// addRanks counts the players of some parts, if the one above them is the last that was
// counted. Otherwise another sidecar makes this board's parts.
func (l *Log) addRanks(tx *store.Tx, game, span string, begins []float64, first, end int) (alone bool, err error) {
	if err := l.lockRanks(tx); err != nil {
		return false, err
	}
	var last *float64
	if err := tx.Row("SELECT min(from_key) FROM play_ranks WHERE game = ? AND span = ?", game, span).Scan(&last); err != nil {
		return false, err
	}
	if (last == nil) != (end == len(begins)) || last != nil && *last != begins[end] {
		return false, nil
	}
	for i := first; i < end; i++ {
		count, args := "SELECT count(*) FROM play_boards WHERE game = ? AND span = ? AND rank_key >= ?", []any{game, span, begins[i]}
		if i+1 < len(begins) {
			count, args = count+" AND rank_key < ?", append(args, begins[i+1])
		}
		var players int64
		if err := tx.Row(count, args...).Scan(&players); err != nil {
			return false, err
		}
		if _, err := tx.Exec("INSERT INTO play_ranks (game, span, from_key, players) VALUES (?, ?, ?, ?)", game, span, begins[i], players); err != nil {
			return false, err
		}
	}
	return true, nil
}
