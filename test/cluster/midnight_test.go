package cluster

import (
	"errors"
	"maps"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/rig/point"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// calendar is a machine whose clock is set, on a store of its own: the address
// of a PostgreSQL database, or "" for SQLite.
type calendar struct {
	*stand
	store string
}

// buckets returns how many jobs each day and month of the key holds, but for those
// without any.
func (b calendar) buckets() map[string]int64 {
	b.t.Helper()
	s, err := store.OpenSQLite(b.t.Context(), filepath.Join(b.Dir, "svc.db"))
	if b.store != "" {
		s, err = store.OpenPostgres(b.t.Context(), b.store)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	counts := make(map[string]int64)
	err = s.View(b.t.Context(), func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var bucket string
			var jobs int64
			err := scan(&bucket, &jobs)
			counts[bucket] = jobs
			return err
		}, "SELECT bucket, jobs FROM usage WHERE key_id = ? AND jobs <> 0", b.key.ID)
	})
	if err := errors.Join(err, s.Close()); err != nil {
		b.t.Fatal(err)
	}
	return counts
}

func (b calendar) wantBuckets(want map[string]int64) {
	b.t.Helper()
	if got := b.buckets(); !maps.Equal(got, want) {
		b.t.Errorf("the buckets hold %v, want %v", got, want)
	}
}

func TestReleaseAfterMidnightGivesBackTheDayAndMonthThatTheReservationTook(t *testing.T) {
	t.Parallel()
	// The last minutes of a month, and the first of the next.
	before := time.Date(time.Now().Year()+1, time.January, 31, 23, 50, 0, 0, time.UTC)
	after := before.Add(20 * time.Minute)
	old := map[string]int64{"d:" + before.Format("2006-01-02"): 1, "m:" + before.Format("2006-01"): 1}
	for name, release := range map[string]func(b calendar, midnight func()){
		"by the gateway whose submission is refused": func(b calendar, midnight func()) {
			held, letGo := b.hold("before release")
			b.Script(script.Engine{Refuse: 1, Deaf: true}) // the reaper can't be faster
			s := b.submit()
			held()
			midnight()
			letGo()
			if got := <-s; got.err != nil || got.answer.Status != http.StatusServiceUnavailable {
				b.t.Errorf("the refused submission: %d %s, %v", got.answer.Status, got.answer.Body, got.err)
			}
		},
		"by the reaper for a gateway that was killed": func(b calendar, midnight func()) {
			b.Env = append(b.Env, point.DieEnv+"=reserved=1")
			b.restart(func() {})
			if got := <-b.submit(); got.err == nil {
				b.t.Fatalf("the gateway was to die, and answered %d", got.answer.Status)
			}
			<-b.Exited()
			b.Env = b.Env[:len(b.Env)-1]
			b.restart(midnight)
		},
	} {
		for kind, address := range map[string]func(t *testing.T) string{
			"SQLite":     func(*testing.T) string { return "" },
			"PostgreSQL": func(t *testing.T) string { return postgrestest.URL(t) },
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				clock := newClock(t)
				clock.Set(before)
				b := calendar{store: address(t)}
				b.stand = newStand(t, script.Engine{}, clock.Env(), "SVC_STORE="+b.store)
				b.wantBuckets(old)
				release(b, func() {
					both := maps.Clone(old) // the reservation counts, too
					for bucket := range both {
						both[bucket]++
					}
					b.wantBuckets(both)
					clock.Set(after)
				})
				wait.Until(t, "the slot is free", func() bool { return b.Usage(b.key).RunningJobs == 0 })
				b.wantBuckets(old)
				b.Script(script.Engine{})
				b.Finish(b.key, b.Generate(b.key, b.project))
				b.done = 1 // of the new day
				b.wantFree()
			})
		}
	}
}
