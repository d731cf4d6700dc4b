package bench

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

// benchProjects is how many projects the clients share out: nobody ends their
// jobs, so that each project takes no more than may wait in it.
const benchProjects = 4096

// stores are what the ledger is measured on. "one by one" has each operation
// commit alone, as it would be without a writer that groups them.
var stores = []struct {
	name  string
	alone bool
	open  func(t *testing.T) (*store.Store, error)
}{
	{"SQLite, group commit", false, openSQLite},
	{"SQLite, one by one", true, openSQLite},
	{"PostgreSQL", false, func(t *testing.T) (*store.Store, error) {
		return store.OpenPostgres(t.Context(), postgrestest.URL(t))
	}},
}

func openSQLite(t *testing.T) (*store.Store, error) {
	return store.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "svc.db"))
}

// pairs measures durable pairs of reserve and commit.
func (r *report) pairs() {
	s := r.section("Durable reserve and commit", "Each pair is two transactions on disk (SQLite: WAL, synchronous=FULL; PostgreSQL: fsync and "+
		"synchronous_commit on). Each client has a key of its own and several projects, in none of which more jobs wait than the default allows. "+
		"The goal is 12,000 pairs a second with p99 under 20 ms, SQLite with 64 clients.",
		"store", "clients", "pairs a second", "p50", "p99", "")
	for _, clients := range []int{1, 16, 64} {
		for _, kind := range stores {
			rates, p50, p99 := []float64{}, []time.Duration{}, []time.Duration{}
			for range r.n(rounds) {
				times, took := r.load(kind.open, kind.alone, clients)
				rates = append(rates, float64(len(times))/took.Seconds())
				p50, p99 = append(p50, quantile(times, 0.5)), append(p99, quantile(times, 0.99))
			}
			goal := ""
			if clients == 64 && kind.name == stores[0].name {
				kept := s.kept("pairs a second, p99", share(12_000, median(rates)), share(median(p99), 20*time.Millisecond))
				goal = verdict(kept)
				r.missed(s, kept, "64 clients", func() []byte {
					return r.ofProcess(func() { r.load(kind.open, kind.alone, clients) })
				})
			}
			s.row(kind.name, clients, fmt.Sprintf("%.0f", median(rates)), millis(median(p50)), millis(median(p99)), goal)
		}
	}
}

// load has clients reserve and commit for a while, each with a key and projects
// of its own, and returns how long each pair took.
func (r *report) load(open func(*testing.T) (*store.Store, error), alone bool, clients int) ([]time.Duration, time.Duration) {
	t := r.t
	s, err := open(t)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	l, err := ledger.New(ledger.Options{Store: s, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	orders := r.orders(keys.New(s, nil), projects.New(projects.Options{Store: s, Now: time.Now, MaxPerUser: benchProjects}), clients)
	var turn sync.Mutex
	run := func(operation func() error) error {
		if alone {
			turn.Lock()
			defer turn.Unlock()
		}
		return operation()
	}
	times := make([][]time.Duration, clients)
	var wg sync.WaitGroup
	begin := time.Now()
	end := begin.Add(r.last(2 * time.Second))
	for i, mine := range orders {
		wg.Go(func() {
			for begun := time.Now(); begun.Before(end); begun = time.Now() {
				order := mine[len(times[i])/ledger.DefaultMaxQueued]
				order.JobID = mint.NewJobID(begun)
				err := run(func() error { _, err := l.Reserve(t.Context(), order); return err })
				if err == nil {
					err = run(func() error { return l.Commit(t.Context(), order.JobID) })
				}
				if err != nil {
					t.Error(err)
					return
				}
				times[i] = append(times[i], time.Since(begun))
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	var all []time.Duration
	for _, of := range times {
		all = append(all, of...)
	}
	if t.Failed() || len(all) == 0 {
		t.Fatal("no pair was made")
	}
	return all, took
}

// orders returns what each client submits to its projects.
func (r *report) orders(registry *keys.Registry, catalog *projects.Catalog, clients int) [][]sidecar.Reservation {
	t := r.t
	orders := make([][]sidecar.Reservation, clients)
	var wg sync.WaitGroup
	for i := range orders {
		user := fmt.Sprintf("user%d", i)
		if _, err := registry.CreateUser(t.Context(), "bench", user, 0); err != nil {
			t.Fatal(err)
		}
		key, err := registry.Create(t.Context(), "bench", user, "key", policy.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		orders[i] = make([]sidecar.Reservation, benchProjects/clients)
		for n := range orders[i] {
			wg.Go(func() {
				p, err := catalog.CreateProject(t.Context(), user, api.ProjectRequest{Name: "game", Template: api.TemplateBlank})
				if err != nil {
					t.Error(err)
				}
				orders[i][n] = sidecar.Reservation{KeyID: key.ID, ProjectID: p.ID}
			})
		}
	}
	wg.Wait()
	return orders
}
