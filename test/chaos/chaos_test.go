package chaos

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(workerEnv); text != "" {
		fmt.Fprintln(os.Stderr, runWorker(text))
		os.Exit(1)
	}
	code := postgrestest.Main(m)
	if err := writeResults(); err != nil {
		fmt.Fprintln(os.Stderr, "writing the results:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

const (
	price   = api.TIK(2 * api.MicroPerTIK)
	credit  = 1_000_000 * api.TIK(api.MicroPerTIK)
	monthly = 40 // jobs of the first key
	atOnce  = 10 // jobs of the second key
)

// stores are where a run can keep its ledger.
var stores = map[string]func(t *testing.T) string{
	"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "svc.db") },
	"PostgreSQL": func(t *testing.T) string { return postgrestest.URL(t) },
}

func TestLedgerAgreesWithTheEngineWhoeverIsKilled(t *testing.T) {
	together(t)
	for name, address := range stores {
		t.Run(name, func(t *testing.T) {
			together(t)
			for _, wrong := range run(t, "ledger clients on "+name, address(t), roleReaper, killsOr(20), 100*time.Millisecond) {
				t.Error(wrong)
			}
		})
	}
}

func TestReaperThatReleasesByTimeAloneIsFoundOut(t *testing.T) {
	together(t)
	for name, address := range stores {
		t.Run(name, func(t *testing.T) {
			together(t)
			// The feed of a job that takes long comes too late to save the blind.
			// By chance it may do no harm before it is killed, but not every time.
			for range 5 {
				wrong := run(t, "blind reaper, ledger clients on "+name, address(t), roleBlind, 12, 600*time.Millisecond)
				if len(wrong) > 0 {
					t.Logf("found:\n%s", strings.Join(wrong, "\n"))
					return
				}
			}
			t.Error("the books of a blind reaper were found to be right")
		})
	}
}

// killsEnv says how many kills a run takes.
const killsEnv = "SVC_CHAOS_KILLS"

// killsOr returns how many kills the environment asks for, or n.
func killsOr(n int64) int64 {
	if kills, err := strconv.ParseInt(os.Getenv(killsEnv), 10, 64); err == nil {
		return kills
	}
	return n
}

// together runs a test beside the others, unless it is one of a long run, whose
// results tell how long each took.
func together(t *testing.T) {
	t.Helper()
	if os.Getenv(killsEnv) == "" {
		t.Parallel()
	}
}

// harness is one run.
type harness struct {
	t      *testing.T
	engine *engine
	orders orders
	store  *store.Store
}

// run kills workers and returns what is wrong in the books afterwards.
func run(t *testing.T, form, address, reaper string, kills int64, work time.Duration) []string {
	began := time.Now()
	h := &harness{t: t, engine: newEngine(work)}
	h.prepare(address)
	s := &supervisor{t: t, orders: h.orders, stop: make(chan struct{}), reached: make(map[string]int)}
	s.rage(kills, 3*time.Minute+time.Duration(kills)*time.Second, func() bool { return true },
		// They begin at different points.
		member{roleGateway, 0}, member{roleGateway, 5}, member{roleGateway, 8}, member{reaper, 0}, member{reaper, 5})
	if t.Failed() {
		t.FailNow()
	}
	h.finish(reaper)
	t.Logf("%d kills, jobs accepted by key: %v", s.kills.Load(), h.engine.accepted())
	wrong := h.audit()
	o := outcome{
		form: form, kills: s.kills.Load(), points: s.reached, wrong: len(wrong), blind: reaper == roleBlind, took: time.Since(began),
	}
	o.jobs, o.undone = h.counts()
	o.note()
	return wrong
}

// prepare starts the engine and makes a user with two keys and three projects.
func (h *harness) prepare(address string) {
	dir, err := os.MkdirTemp("", "chaos") // short: it holds a socket
	h.must(err)
	socket := filepath.Join(dir, "e.sock")
	l, err := net.Listen("unix", socket)
	h.must(err)
	server := &http.Server{Handler: h.engine, ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	h.t.Cleanup(func() {
		if err := errors.Join(server.Close(), os.RemoveAll(dir)); err != nil {
			h.t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			h.t.Error(err)
		}
	})

	h.store, err = openStore(address)
	h.must(err)
	h.t.Cleanup(func() {
		if err := h.store.Close(); err != nil {
			h.t.Error(err)
		}
	})
	h.orders = orders{Store: address, Engine: socket}
	registry := keys.New(h.store, nil)
	_, err = registry.CreateUser(h.t.Context(), "test", "alice", credit)
	h.must(err)
	month, running := int64(monthly), int64(atOnce)
	for _, limits := range []policy.Limits{{JobsPerMonth: &month}, {MaxConcurrentJobs: &running}} {
		key, err := registry.Create(h.t.Context(), "test", "alice", "key", limits)
		h.must(err)
		h.orders.Keys = append(h.orders.Keys, key.ID)
	}
	catalog := projects.New(projects.Options{Store: h.store, Now: time.Now})
	for range 3 {
		p, err := catalog.CreateProject(h.t.Context(), "alice", api.ProjectRequest{Name: "game"})
		h.must(err)
		h.orders.Projects = append(h.orders.Projects, p.ID)
	}
}

// finish does what a restarted service would, an hour later: nobody is left
// who could still commit, every reservation is overdue, every job has ended.
func (h *harness) finish(reaper string) {
	later := time.Now().Add(time.Hour)
	l, err := newLedger(h.store, func() time.Time { return later })
	h.must(err)
	w := &worker{orders: h.orders, ledger: l, engine: newEngineClient(h.orders.Engine)}
	w.Role = reaper
	// The submission of a gateway that is dead may still be on its way.
	for range 10 {
		for _, project := range h.orders.Projects {
			h.engine.feed(project, 0, later)
		}
		h.must(w.reap(h.t.Context(), h.orders.Projects))
		open, err := l.OpenJobs(h.t.Context(), "")
		h.must(err)
		if len(open) == 0 {
			return
		}
	}
}

// counts returns how many jobs the engine accepted and how many reservations the
// ledger released.
func (h *harness) counts() (accepted, released int64) {
	for _, n := range h.engine.accepted() {
		accepted += n
	}
	h.must(h.store.View(h.t.Context(), func(r *store.Reader) error {
		return r.Row("SELECT count(*) FROM jobs WHERE state = 'released'").Scan(&released)
	}))
	return accepted, released
}

// audit compares the books with the engine and with themselves.
func (h *harness) audit() (wrong []string) {
	want := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	accepted := h.engine.accepted()
	capped, paced := h.orders.Keys[0], h.orders.Keys[1]
	var total int64
	h.must(h.store.View(context.Background(), func(r *store.Reader) error {
		for _, key := range h.orders.Keys {
			var running, committed, today, month, tik int64
			err := errors.Join(
				r.Row("SELECT running FROM keys WHERE id = ?", key).Scan(&running),
				r.Row("SELECT count(*) FROM jobs WHERE key_id = ? AND state = 'settled'", key).Scan(&committed),
				r.Row("SELECT coalesce(sum(jobs), 0) FROM usage WHERE key_id = ? AND bucket LIKE 'd:%'", key).Scan(&today),
				r.Row("SELECT coalesce(sum(jobs), 0), coalesce(sum(tik), 0) FROM usage WHERE key_id = ? AND bucket LIKE 'm:%'", key).
					Scan(&month, &tik))
			if err != nil {
				return err
			}
			n := accepted[key]
			total += n
			want(committed == n, "key %s: %d jobs accepted, %d committed", key, n, committed)
			want(running == 0, "key %s: %d jobs in flight", key, running)
			want(today == n && month == n, "key %s: %d jobs accepted, %d and %d counted", key, n, today, month)
			want(tik == n*int64(price), "key %s: %d micro-TIK counted for %d jobs", key, tik, n)
		}
		var balance, unfinished int64
		err := errors.Join(
			r.Row("SELECT tik FROM balances").Scan(&balance),
			r.Row("SELECT count(*) FROM jobs WHERE state IN ('reserved', 'active')").Scan(&unfinished),
			auditInvariants(r, want))
		want(balance == int64(credit)-total*int64(price), "balance %d after %d jobs", balance, total)
		want(unfinished == 0, "%d jobs are unfinished", unfinished)
		return err
	}))
	want(accepted[capped] <= monthly, "%d jobs accepted on a limit of %d a month", accepted[capped], monthly)
	want(h.engine.most[paced] <= atOnce, "%d jobs at once on a limit of %d", h.engine.most[paced], atOnce)
	want(total > 0, "no job was accepted: nothing was tested")
	return wrong
}

// auditInvariants checks that a ledger agrees with itself, whatever its engines did.
func auditInvariants(r *store.Reader, want func(ok bool, format string, args ...any)) error {
	findings, err := ledger.CheckInvariants(r)
	for _, f := range findings {
		want(f.Holds(), "%s: %s, but not %q", f.Name, f.Rule, f.Violations)
	}
	return err
}

func (h *harness) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}
