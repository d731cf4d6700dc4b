package analytics_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

const (
	game    = "0123456789abcdef01234567"
	another = "89abcdef0123456701234567"
	build   = "job_01J0000000000000000000000A"
)

// noon is when tests begin.
var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// bench is a log under test.
type bench struct {
	*analytics.Log
	t       testing.TB
	now     time.Time
	address string
	seller  *seller
}

// seller sells blocks to an owner who can pay for some.
type seller struct {
	mu    sync.Mutex // guards the following fields
	can   int        // pay for so many more
	paid  map[int64]bool
	asked int
	lost  int // answers that do not come, though the block is paid
}

func (s *seller) BuyBlock(_ context.Context, _ string, n int64) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if !s.paid[n] && s.can == 0 {
		return false, nil
	}
	if !s.paid[n] {
		s.can--
		s.paid[n] = true
	}
	if s.lost > 0 {
		s.lost--
		return false, errors.New("the answer is lost")
	}
	return true, nil
}

// topUp lets the owner pay for so many more.
func (s *seller) topUp(blocks int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.can += blocks
}

func (s *seller) blocks() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]int64{game: int64(len(s.paid))}
}

// onEach runs a test on a log of each kind of store.
func onEach(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	onEachBefore(t, func(*testing.T, *bench) {}, test)
}

// onEachBefore is onEach with what happens to a store before the log is opened.
func onEachBefore(t *testing.T, before, test func(t *testing.T, b *bench)) {
	t.Helper()
	for name, address := range map[string]func() string{
		"SQLite":     func() string { return filepath.Join(t.TempDir(), analytics.File) },
		"PostgreSQL": func() string { return postgrestest.URL(t) + "&synchronous_commit=off" },
	} {
		t.Run(name, func(t *testing.T) {
			b := &bench{t: t, now: noon, address: address(), seller: &seller{can: 1000, paid: make(map[int64]bool)}}
			before(t, b)
			b.open()
			t.Cleanup(b.close)
			test(t, b)
		})
	}
}

func (b *bench) open() {
	b.t.Helper()
	var err error
	b.Log, err = analytics.Open(context.Background(), b.address, b.seller, func() time.Time { return b.now })
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) close() {
	if err := b.Close(); err != nil {
		b.t.Error(err)
	}
}

// record records a batch of the public.
func (b *bench) record(batch play.Batch) play.Answer {
	b.t.Helper()
	return b.recordAs(analytics.ClassPublic, batch)
}

func (b *bench) recordAs(class analytics.Class, batch play.Batch) play.Answer {
	b.t.Helper()
	answer, err := b.Record(b.t.Context(), analytics.Arrival{Batch: batch, Class: class, Proven: true})
	if err != nil {
		b.t.Fatal(err)
	}
	return answer
}

func (b *bench) overview(days int) api.Overview {
	b.t.Helper()
	o, err := b.Overview(b.t.Context(), game, days)
	if err != nil {
		b.t.Fatal(err)
	}
	return o
}

// kept returns the events of all streams that are kept of today and the days before.
func (b *bench) kept() map[string][]analytics.Event {
	b.t.Helper()
	streams := make(map[string][]analytics.Event)
	today := b.now.Unix() / (24 * 3600)
	for day := today - 4; day <= today; day++ {
		if err := b.Events(b.t.Context(), game, day, func(e analytics.Event) error {
			streams[e.Stream] = append(streams[e.Stream], e)
			return nil
		}); err != nil {
			b.t.Fatal(err)
		}
	}
	return streams
}

// id returns the nth id of a stream or player.
func id(n int) string { return fmt.Sprintf("%032x", n) }

// batchOf returns a batch of a stream's events, a second after each other.
func batchOf(stream int, first int64, names ...string) play.Batch {
	b := play.Batch{Game: game, Build: build, Stream: id(stream), Player: id(1000 + stream)}
	for i, name := range names {
		seq := first + int64(i)
		b.Events = append(b.Events, play.Event{Seq: seq, At: seq * 1000, Name: name, Props: json.RawMessage(`{}`)})
		b.Sent = seq * 1000
	}
	return b
}
