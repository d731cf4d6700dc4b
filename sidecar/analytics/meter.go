package analytics

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// BlockEvents is how many events one block pays for.
const BlockEvents = 1000

// Seller sells blocks of events to the owners of games. It is safe for concurrent use.
type Seller interface {
	// BuyBlock charges the owner of a game for its nth block, n from 1, and reports
	// whether it is paid. One that was paid is not charged again: whoever got no answer
	// asks for the same one.
	BuyBlock(ctx context.Context, game string, n int64) (paid bool, err error)
}

const (
	// refusalTime is how long a refusal holds before the seller is asked again. The
	// library asks once a minute.
	refusalTime = 2 * time.Second
	// retryAfter is what a page is told to wait, in seconds, before it asks again.
	retryAfter = 60
	// maxPurchases bounds how often a batch is tried: each time a block was bought, and
	// used by others.
	maxPurchases = 20
)

// errNoRoom ends an attempt that needs a block which is not bought yet.
type errNoRoom struct{ next int64 }

func (e errNoRoom) Error() string { return fmt.Sprintf("block %d is not bought yet", e.next) }

// meters remember what the seller said last of each game.
type meters struct {
	buying [16]sync.Mutex // of games by their id: one purchase of a game at a time

	mu    sync.Mutex // guards games
	games map[string]sale
}

// sale is what the seller said last of a game.
type sale struct {
	granted int64     // blocks that are paid
	refused int64     // the block that was not paid, 0 for none
	at      time.Time // of the refusal
}

func (m *meters) of(game string) sale {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.games[game]
}

func (m *meters) note(game string, s sale) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.games == nil || len(m.games) >= maxKnown {
		m.games = make(map[string]sale)
	}
	m.games[game] = s
}

func (m *meters) forget(game string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.games, game)
}

// lock returns the one that purchases of a game wait for.
func (m *meters) lock(game string) *sync.Mutex {
	var sum byte
	for i := range len(game) {
		sum += game[i]
	}
	return &m.buying[int(sum)%len(m.buying)]
}

// unpaid reports whether a game has to do with what is free. When that was found out
// a while ago the seller is asked again, so that a top-up is noticed though only free
// events come.
func (l *Log) unpaid(ctx context.Context, game string) (bool, error) {
	s := l.meters.of(game)
	if s.refused == 0 {
		return false, nil
	}
	paid, err := l.buy(ctx, game, s.refused)
	return !paid, err
}

// buy has the owner of a game pay for its nth block, and reports whether it is paid. The
// block is granted after it was paid for: who is killed in between buys it once more, and
// pays once.
func (l *Log) buy(ctx context.Context, game string, n int64) (bool, error) {
	lock := l.meters.lock(game)
	lock.Lock()
	defer lock.Unlock()
	s := l.meters.of(game)
	switch {
	case s.granted >= n:
		return true, nil // another batch bought it meanwhile
	case s.refused >= n && l.now().Sub(s.at).Abs() < refusalTime:
		return false, nil
	}
	paid, err := l.seller.BuyBlock(ctx, game, n)
	if err != nil {
		return false, err
	}
	if !paid {
		l.meters.note(game, sale{granted: s.granted, refused: n, at: l.now()})
		return false, nil
	}
	if err := l.store.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO play_meters (game, granted, used) VALUES (?, ?, 0)
			ON CONFLICT (game) DO UPDATE SET granted = excluded.granted WHERE play_meters.granted < excluded.granted`, game, n)
		return err
	}); err != nil {
		return false, fmt.Errorf("granting block %d of game %s: %w", n, game, err)
	}
	l.meters.note(game, sale{granted: n})
	return true, nil
}

// loadMeter reads how many events the game may have before the next block, and keeps
// others from its meter until the end of the transaction.
func (r *recording) loadMeter() error {
	if !r.metered() {
		return nil
	}
	err := r.tx.LockRow("SELECT granted FROM play_meters WHERE game = ?", r.Game)
	var used int64
	if err == nil {
		err = r.tx.Row("SELECT granted, used FROM play_meters WHERE game = ?", r.Game).Scan(&r.granted, &used)
	}
	if errors.Is(err, store.ErrNoRows) {
		return nil
	}
	r.left = r.granted*BlockEvents - used
	return err
}

// metered reports whether the batch may have an event that is to be paid.
func (r *recording) metered() bool {
	if r.stream.class != string(ClassPublic) || r.Machine {
		return false
	}
	for _, e := range r.Events {
		if !play.Essential(e.Name) && (r.Former || e.Seq > r.stream.cursor) {
			return true
		}
	}
	return false
}

// pay takes an event off the game's block, or returns why it is not kept.
func (r *recording) pay() (play.Cause, error) {
	switch {
	case r.stream.class != string(ClassPublic):
		return r.gameFull()
	case r.left > 0:
		r.left--
		r.paid++
		return "", nil
	case r.unpaid:
		return play.CauseUnpaid, nil
	}
	return "", errNoRoom{r.granted + 1}
}

// countMeter moves the game's meter.
func (r *recording) countMeter() error {
	if r.paid == 0 {
		return nil
	}
	_, err := r.tx.Exec("UPDATE play_meters SET used = used + ? WHERE game = ?", r.paid, r.Game)
	return err
}

// answer is that to the batch once it is recorded.
func (r *recording) answer() play.Answer {
	if r.unpaid && r.left == 0 && r.stream.class == string(ClassPublic) {
		return play.Answer{Ack: r.stream.cursor, Mode: play.ModeEssential, Retry: retryAfter}
	}
	return play.Answer{Ack: r.stream.cursor, Mode: play.ModeFull}
}
