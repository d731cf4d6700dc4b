package jobs_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/test/wait"
)

const (
	project = "0123456789abcdef01234567"
	session = "ses_01"
)

// script is a generator that does what the test says.
type script func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error)

func (s script) Generate(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
	return s(ctx, req, rep)
}

// write makes a one-file game whose content is the prompt.
func write(_ context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
	rep.Progress(api.StageWriting, 40, "Writing.")
	if err := req.Workspace.MkdirAll(gen.Deliverable, 0o700); err != nil {
		return gen.Result{}, err
	}
	if err := req.Workspace.WriteFile(gen.Deliverable+"/index.html", []byte(req.Prompt), 0o600); err != nil {
		return gen.Result{}, err
	}
	rep.Event(api.EventFileChanged, map[string]any{"path": "index.html"})
	return gen.Result{Summary: "A game.", Changed: true}, nil
}

// until makes a generator that reports on entered when it begins and goes on
// like write when release is closed.
func until(entered chan<- string, release <-chan struct{}) script {
	return func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		entered <- req.JobID
		select {
		case <-ctx.Done():
			return gen.Result{}, ctx.Err()
		case <-release:
		}
		return write(ctx, req, rep)
	}
}

// engine is a Manager at work on a volume.
type engine struct {
	*jobs.Manager
	t    *testing.T
	dir  string
	stop func()
	last uint64 // newest feed record that was read
}

// start opens the volume dir and works on it until the test ends.
func start(t *testing.T, dir string, g gen.Generator) *engine {
	t.Helper()
	return startLimited(t, dir, g, jobs.Limits{})
}

func startLimited(t *testing.T, dir string, g gen.Generator, limits jobs.Limits) *engine {
	t.Helper()
	return run(t, openLimited(t, dir, g, limits))
}

// run has an engine that was opened work until the test ends.
func run(t *testing.T, e *engine) *engine {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- e.Run(ctx) }()
	e.stop = func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("Run: %v", err)
		}
		if err := e.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		e.stop = func() {}
	}
	t.Cleanup(func() { e.stop() })
	return e
}

func open(t *testing.T, dir string, g gen.Generator) *engine {
	t.Helper()
	return openLimited(t, dir, g, jobs.Limits{})
}

func openLimited(t *testing.T, dir string, g gen.Generator, limits jobs.Limits) *engine {
	t.Helper()
	return openConfig(t, jobs.Config{Dir: dir, Generator: g, Limits: limits})
}

func openConfig(t *testing.T, cfg jobs.Config) *engine {
	t.Helper()
	cfg.ProjectID, cfg.Log = project, zap.NewNop()
	m, err := jobs.Open(cfg)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	if err := m.Recover(); err != nil {
		t.Fatalf("Recover: %v", err)
	}
	return &engine{Manager: m, t: t, dir: cfg.Dir}
}

// restart stops the engine and starts another on its volume.
func (e *engine) restart(g gen.Generator) *engine {
	e.t.Helper()
	e.stop()
	next := start(e.t, e.dir, g)
	next.last = e.last
	return next
}

// submit accepts a job with this prompt.
func (e *engine) submit(prompt string) string {
	e.t.Helper()
	return e.submitRequest(api.GenerateRequest{ProjectID: project, Prompt: prompt})
}

func (e *engine) submitRequest(req api.GenerateRequest) string {
	e.t.Helper()
	id := mint.NewJobID(time.Now())
	if _, err := e.Submit(id, session, req); err != nil {
		e.t.Fatalf("Submit: %v", err)
	}
	return id
}

// read returns the next feed record, which it waits for.
func (e *engine) read() contract.FeedRecord {
	e.t.Helper()
	for {
		lines, changed, err := e.Feed(e.last)
		if err != nil {
			e.t.Fatalf("Feed: %v", err)
		}
		if len(lines) > 0 {
			var rec contract.FeedRecord
			if err := json.Unmarshal(lines[0], &rec); err != nil {
				e.t.Fatalf("feed record: %v", err)
			}
			if rec.Seq != e.last+1 {
				e.t.Fatalf("feed record %d follows %d", rec.Seq, e.last)
			}
			e.last = rec.Seq
			return rec
		}
		wait.For(e.t, "the next feed record", changed)
	}
}

// until reads the feed up to the next record of this kind, which it leaves
// unacknowledged; those before it are acknowledged.
func (e *engine) until(kind contract.FeedKind) contract.FeedRecord {
	e.t.Helper()
	for {
		rec := e.read()
		if rec.Kind == kind {
			return rec
		}
		e.ack(rec)
	}
}

func (e *engine) ack(rec contract.FeedRecord, stop ...contract.Stop) {
	e.t.Helper()
	if err := e.Ack(contract.Ack{FeedID: rec.FeedID, Seq: rec.Seq, Stop: stop}); err != nil {
		e.t.Fatalf("Ack: %v", err)
	}
}

// finish reads and acknowledges the feed up to the end of the job.
func (e *engine) finish(jobID string) contract.JobRecord {
	e.t.Helper()
	for {
		rec := e.until(contract.FeedEnded)
		e.ack(rec)
		if rec.JobID == jobID {
			return *rec.Record
		}
	}
}

// events returns the job's stored events.
func (e *engine) events(jobID string) []api.Event {
	e.t.Helper()
	log, err := e.Events(jobID)
	if err != nil {
		e.t.Fatalf("Events: %v", err)
	}
	var events []api.Event
	err = log.Stored(func(data []byte) error {
		var ev api.Event
		err := json.Unmarshal(data, &ev)
		events = append(events, ev)
		return err
	})
	if err != nil {
		e.t.Fatalf("stored events: %v", err)
	}
	return events
}

func types(events []api.Event) []string {
	names := make([]string, len(events))
	for i, ev := range events {
		names[i] = ev.Type
	}
	return names
}

// copyVolume returns a copy of the volume as it is at this moment: what a
// killed engine leaves.
func copyVolume(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatalf("copying volume: %v", err)
	}
	return to
}
