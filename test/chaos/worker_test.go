package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

// workerEnv holds, in the environment of a worker process, its orders as JSON.
const workerEnv = "SVC_CHAOS_WORKER"

// Roles of workers.
const (
	roleGateway = "gateway"
	roleReaper  = "reaper"
	// roleBlind is a reaper that asks nobody: what it is the test that the tests
	// find.
	roleBlind = "blind"
	// roleRecorder is a sidecar that keeps what is played.
	roleRecorder = "recorder"
)

// points are where a worker can be told to die, by role.
var points = map[string][]string{
	roleGateway:  {"before reserve", "reserved", "accepted", "refused", "committed", "released"},
	roleReaper:   {"listed", "fenced", "resolved", "feed read", "feed applied"},
	roleBlind:    {"listed", "resolved", "feed read", "feed applied"},
	roleRecorder: {"before record", "recorded", "before block", "block paid"},
}

const (
	feedID = "feed"
	// clients of one gateway, and how often each begins a submission.
	clients = 3
	pace    = 5 * time.Millisecond
	// deadline of reservations: short, so that the reaper often meets a gateway
	// that is alive and only slow.
	deadline = 30 * time.Millisecond
)

// orders of a worker.
type orders struct {
	Role     string   `json:"role"`
	Store    string   `json:"store"`
	Engine   string   `json:"engine"`
	Keys     []string `json:"keys"`
	Projects []string `json:"projects"`
	// Point is where the worker dies, at its Passage-th time there; "" for one
	// that lives until it is killed.
	Point   string `json:"point"`
	Passage int64  `json:"passage"`
}

// worker is a process that uses the ledger.
type worker struct {
	orders
	ledger   *ledger.Ledger
	engine   engineClient
	passages atomic.Int64
}

// runWorker works until it dies, or its standard input ends because the test
// did.
func runWorker(text string) error {
	var w worker
	if err := json.Unmarshal([]byte(text), &w.orders); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	s, err := openStore(w.Store)
	for busy(err) {
		s, err = openStore(w.Store)
	}
	if err != nil {
		return err
	}
	if w.ledger, err = newLedger(s, nil); err != nil {
		return err
	}
	ctx := context.Background()
	if w.Role == roleRecorder {
		return w.record(ctx)
	}
	w.engine = newEngineClient(w.Engine)
	if w.Role != roleGateway {
		for range time.Tick(pace) {
			if err := w.reap(ctx, w.Projects); err != nil && !busy(err) {
				return err
			}
		}
	}
	var wg sync.WaitGroup
	errs := make(chan error, clients)
	for range clients {
		wg.Go(func() {
			for range time.Tick(pace) {
				if err := w.submit(ctx); err != nil && !busy(err) {
					errs <- err
					return
				}
			}
		})
	}
	return <-errs
}

// busy reports whether SQLite gave up waiting for another process's lock: five
// processes on one file, which no service has, can starve one of them. A gateway
// answers 503 then, and what it leaves behind is the reaper's.
func busy(err error) bool {
	var refused *sqlite.Error
	return errors.As(err, &refused) && refused.Code()&0xff == sqlite3.SQLITE_BUSY
}

func openStore(address string) (*store.Store, error) {
	if store.IsPostgresURL(address) {
		return store.OpenPostgres(context.Background(), address)
	}
	return store.OpenSQLite(context.Background(), address)
}

func newLedger(s *store.Store, now func() time.Time) (*ledger.Ledger, error) {
	return ledger.New(ledger.Options{
		Store: s, Now: now, Logger: zap.NewNop(), MaxQueued: 1 << 30,
		Prices: map[string]api.TIK{"step": price},
	})
}

// pass dies when this is the point to die at. The name on the standard output
// tells the test which it was.
func (w *worker) pass(point string) {
	if point == w.Point && w.passages.Add(1) == w.Passage {
		fmt.Println(point)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until the signal is there
	}
}

// submit does what a gateway does with a submission.
func (w *worker) submit(ctx context.Context) error {
	s := submission{
		JobID:     mint.NewJobID(time.Now()),
		ProjectID: w.Projects[rand.IntN(len(w.Projects))],
		KeyID:     w.Keys[rand.IntN(len(w.Keys))],
	}
	w.pass("before reserve")
	_, err := w.ledger.Reserve(ctx, sidecar.Reservation{
		JobID: s.JobID, KeyID: s.KeyID, ProjectID: s.ProjectID, Deadline: deadline,
	})
	var refusal *answers.Error
	if errors.As(err, &refusal) && refusal.Reason == api.ReasonLimitExceeded {
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil // another process was at the store for too long: a 503, and nothing is reserved
	}
	if err != nil {
		return err
	}
	w.pass("reserved")
	var verdict contract.FenceVerdict
	if err := w.engine.ask(ctx, "/submit", s, &verdict); err != nil {
		return err
	}
	if verdict != contract.Accepted {
		w.pass("refused")
		err := w.ledger.Release(ctx, s.JobID)
		w.pass("released")
		return err
	}
	w.pass("accepted")
	err = w.ledger.Commit(ctx, s.JobID)
	w.pass("committed")
	if w.Role == roleGateway && errors.Is(err, sidecar.ErrReleased) {
		return nil // only behind a blind reaper; the books show it
	}
	return err
}

// reap resolves the reservations that are overdue and applies the feeds, as the
// engine proxy does.
func (w *worker) reap(ctx context.Context, projects []string) error {
	open, err := w.ledger.OpenJobs(ctx, "")
	if err != nil {
		return err
	}
	w.pass("listed")
	for _, job := range open {
		if !job.Overdue {
			continue
		}
		verdict := contract.Fenced
		if w.Role != roleBlind {
			s := submission{JobID: job.JobID, ProjectID: job.ProjectID}
			if err := w.engine.ask(ctx, "/fence", s, &verdict); err != nil {
				return err
			}
			w.pass("fenced")
		}
		if err := w.ledger.Resolve(ctx, job.JobID, verdict); err != nil && !errors.Is(err, sidecar.ErrReleased) {
			return err
		}
		w.pass("resolved")
	}
	for _, project := range projects {
		if err := w.follow(ctx, project); err != nil {
			return err
		}
	}
	return nil
}

// follow applies what a project's feed has that the ledger has not.
func (w *worker) follow(ctx context.Context, project string) error {
	cursor, err := w.ledger.FeedCursor(ctx, project, feedID)
	if err != nil {
		return err
	}
	var records []contract.FeedRecord
	if err := w.engine.ask(ctx, "/feed", submission{ProjectID: project, After: cursor}, &records); err != nil {
		return err
	}
	if len(records) == 0 {
		return nil
	}
	w.pass("feed read")
	_, err = w.ledger.ApplyFeed(ctx, contract.FeedBatch{ProjectID: project, FeedID: feedID, Records: records})
	w.pass("feed applied")
	return err
}
