package wire_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/sidecar/store/storetest"
	"github.com/svc-games/svc/sidecar/wire"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/wait"
)

// held is a sidecar whose calls a test holds up on their way, and whose store it
// can lock.
type held struct {
	t      *testing.T
	client *wire.Client
	svc    *service.Service
	beside *store.Store // the same store, as another process has it

	mu    sync.Mutex        // guards plan, and that calls grows before it is waited for
	plan  map[string][]fate // what becomes of a call's next attempts
	calls sync.WaitGroup    // that go on though nobody waits for their answer
	done  atomic.Int32      // withdrawals
}

// fate is what becomes of an attempt whose answer is lost.
type fate struct {
	after chan struct{} // it is begun once this is closed; nil: at once
	gone  bool          // the caller is told before it ended
}

func (h *held) next(call string) (fate, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.plan[call]) == 0 {
		return fate{}, false
	}
	first := h.plan[call][0]
	h.plan[call] = h.plan[call][1:]
	if first.gone {
		h.calls.Add(1)
	}
	return first, true
}

// ended waits for the calls whose answer nobody waits for.
func (h *held) ended() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls.Wait()
}

// cloned is a request whose body is read and whose caller may leave.
func cloned(r *http.Request) (*http.Request, error) {
	body, err := io.ReadAll(r.Body)
	read := r.Clone(context.WithoutCancel(r.Context()))
	read.Body = io.NopCloser(bytes.NewReader(body))
	return read, err
}

func (h *held) serve(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		what, lost := h.next(call)
		if !lost {
			next.ServeHTTP(w, r)
			if call == "withdraw" {
				h.done.Add(1)
			}
			return
		}
		// What the server does with a request it has read, it does to its end.
		read, err := cloned(r)
		handle := func() {
			if what.gone {
				defer h.calls.Done()
			}
			if err != nil {
				h.t.Error(err)
				return
			}
			if what.after != nil {
				<-what.after
			}
			next.ServeHTTP(swallow{header: http.Header{}}, read)
		}
		if what.gone {
			go handle()
		} else {
			handle()
		}
		panic(http.ErrAbortHandler) // cuts the connection
	})
}

// onEachStore runs a test with a sidecar on every kind of store, and a key with
// limits of one.
func onEachStore(t *testing.T, test func(t *testing.T, h *held, r sidecar.Reservation)) {
	for name, open := range map[string]func(t *testing.T) (service.Options, func() (*store.Store, error)){
		"SQLite": func(t *testing.T) (service.Options, func() (*store.Store, error)) {
			dir := t.TempDir()
			path := filepath.Join(dir, "svc.db")
			storetest.SQLite(t, path)
			return service.Options{DataDir: dir}, func() (*store.Store, error) { return store.OpenSQLite(context.Background(), path) }
		},
		"PostgreSQL": func(t *testing.T) (service.Options, func() (*store.Store, error)) {
			url := postgrestest.URL(t)
			return service.Options{Store: url}, func() (*store.Store, error) { return store.OpenPostgres(context.Background(), url) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, beside := open(t)
			o.Policy = policytest.Embedded(t)
			svc, err := service.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := svc.Close(); err != nil {
					t.Error(err)
				}
			})
			h := &held{t: t, svc: svc, beside: storetest.Open(t, beside), plan: make(map[string][]fate)}
			s, err := peer.Start(peer.ServerOptions{
				Address: peer.Address{Network: "unix", Name: filepath.Join(keep.Dir(t), "s.sock")}, Handler: h.serve(handler(svc)),
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			conn, err := peer.NewClient(peer.ClientOptions{Address: s.Addr()})
			if err != nil {
				t.Fatal(err)
			}
			h.client = wire.New(conn, wire.Options{DecisionTimeout: time.Minute})
			t.Cleanup(func() { h.client.Close() })
			r := submission(t, svc)
			r.IdempotencyKey, r.Fingerprint = "once", "body"
			test(t, h, r)
		})
	}
}

func (h *held) wantCounted(r sidecar.Reservation, want int64) {
	h.t.Helper()
	used, err := h.svc.Keys().Usage(h.t.Context(), r.KeyID)
	if err != nil || used.JobsToday != want || used.RunningJobs != want {
		h.t.Errorf("used %+v, %v; want %d counted", used.Usage, err, want)
	}
}

// lockKey locks a key as another process may, until the test calls unlock.
func (h *held) lockKey(keyID string) (unlock func()) {
	h.t.Helper()
	locked, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var once sync.Once
	go func() {
		ended <- h.beside.Update(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Exec("UPDATE keys SET name = name WHERE id = ?", keyID)
			once.Do(func() { close(locked) })
			<-release
			return err
		})
	}()
	<-locked
	return func() {
		h.t.Helper()
		close(release)
		if err := <-ended; err != nil {
			h.t.Error(err)
		}
	}
}

// TestFirstReservationThatCommitsLateIsNoGhost loses the first answer while its
// transaction waits, so that nothing of it can be seen when the second attempt
// comes.
func TestFirstReservationThatCommitsLateIsNoGhost(t *testing.T) {
	onEachStore(t, func(t *testing.T, h *held, r sidecar.Reservation) {
		h.plan["reserve"] = []fate{{gone: true}}
		unlock := h.lockKey(r.KeyID)
		answered := make(chan error, 1)
		go func() {
			a, err := h.client.Reserve(t.Context(), r)
			if err == nil && (a.SessionID == "" || a.Usage.JobsToday != 1 || a.Replayed != nil) {
				err = errors.New("the admission is not that of one submission")
			}
			answered <- err
		}()
		wait.Until(t, "the first answer is lost", func() bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			return len(h.plan["reserve"]) == 0
		})
		unlock()
		if err := <-answered; err != nil {
			t.Error(err)
		}
		h.ended()
		h.wantCounted(r, 1)
		if err := h.client.Commit(t.Context(), r.JobID); err != nil {
			t.Error(err)
		}
	})
}

func TestFirstReservationThatArrivesAfterTheSecondCountsOnce(t *testing.T) {
	onEachStore(t, func(t *testing.T, h *held, r sidecar.Reservation) {
		after := make(chan struct{})
		h.plan["reserve"] = []fate{{after: after, gone: true}}
		if a, err := h.client.Reserve(t.Context(), r); err != nil || a.Usage.JobsToday != 1 {
			t.Errorf("admission %+v, %v", a, err)
		}
		close(after)
		h.ended()
		h.wantCounted(r, 1)
		if err := h.client.Release(t.Context(), r.JobID); err != nil {
			t.Error(err)
		}
		h.wantCounted(r, 0)
	})
}

// TestReservationThatWasGivenUpNeverCounts has the attempts arrive, or commit,
// before and after the withdrawal.
func TestReservationThatWasGivenUpNeverCounts(t *testing.T) {
	for name, plan := range map[string]func(after chan struct{}) []fate{
		"both before":          func(chan struct{}) []fate { return []fate{{}, {}} },
		"the first one after":  func(after chan struct{}) []fate { return []fate{{after: after, gone: true}, {}} },
		"the second one after": func(after chan struct{}) []fate { return []fate{{}, {after: after, gone: true}} },
		"both after": func(after chan struct{}) []fate {
			return []fate{{after: after, gone: true}, {after: after, gone: true}}
		},
		"and a withdrawal lost": func(after chan struct{}) []fate { return []fate{{after: after, gone: true}, {}} },
	} {
		t.Run(name, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, h *held, r sidecar.Reservation) {
				after := make(chan struct{})
				h.plan["reserve"] = plan(after)
				if strings.Contains(name, "withdrawal") {
					h.plan["withdraw"] = []fate{{}}
				}
				if _, err := h.client.Reserve(t.Context(), r); !errors.Is(err, sidecar.ErrUnreachable) {
					t.Errorf("got %v, want ErrUnreachable", err)
				}
				wait.Until(t, "the reservation is withdrawn", func() bool { return h.done.Load() == 1 })
				close(after)
				h.ended()
				h.wantCounted(r, 0)
				r.JobID += "A" // the next submission with the same idempotency key
				if a, err := h.client.Reserve(t.Context(), r); err != nil || a.Usage.JobsToday != 1 {
					t.Errorf("the next submission: %+v, %v", a, err)
				}
			})
		})
	}
}

// TestSecondReservationThatIsRefusedLeavesNoFirst has another submission take the
// key's place between the two attempts, and go again before the first arrives.
func TestSecondReservationThatIsRefusedLeavesNoFirst(t *testing.T) {
	onEachStore(t, func(t *testing.T, h *held, r sidecar.Reservation) {
		other := r
		other.JobID += "A"
		other.IdempotencyKey = "another"
		if _, err := h.svc.Reserve(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		after := make(chan struct{})
		h.plan["reserve"] = []fate{{after: after, gone: true}}
		if _, err := h.client.Reserve(t.Context(), r); err == nil || errors.Is(err, sidecar.ErrUnreachable) {
			t.Errorf("got %v, want the limit's refusal", err)
		}
		wait.Until(t, "the reservation is withdrawn", func() bool { return h.done.Load() == 1 })
		if err := h.svc.Release(t.Context(), other.JobID); err != nil {
			t.Fatal(err)
		}
		close(after)
		h.ended()
		h.wantCounted(r, 0)
	})
}
