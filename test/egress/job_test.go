package egress

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/gen/gentest"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/engine/model"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/test/wait"
)

// worker is the project's engine, without its routes: jobs and the generator,
// which ask models through the rig's egress. Its ledger is the rig's.
type worker struct {
	*jobs.Manager
	r     *rig
	dir   string
	after uint64
	lasts time.Duration // that a job may last; 0 is what tests wait for

	mu     sync.Mutex      // guards pauses
	pauses []time.Duration // that the client of the models made, and did not wait for
}

// outcome is what a whole job came to.
type outcome struct {
	t      *testing.T
	record contract.JobRecord
	events []api.Event
	files  map[string]string
}

// engine starts the project's engine, whose client of the models has these
// limits. Its user can pay for calls that break off, and are charged at their limit.
func (r *rig) engine(limits model.Options, more ...func(o *gen.Options)) *worker {
	r.t.Helper()
	if _, err := r.side.Keys().TopUp(r.t.Context(), "test", "alice", keys.Credit{TIK: 1_000_000 * api.MicroPerTIK}); err != nil {
		r.t.Fatal(err)
	}
	w := &worker{r: r, dir: r.t.TempDir()}
	limits.Socket, limits.TokenFile = r.socket, filepath.Join(w.dir, "token")
	limits.Sleep = func(ctx context.Context, pause time.Duration) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.pauses = append(w.pauses, pause)
		return ctx.Err()
	}
	if err := os.WriteFile(limits.TokenFile, []byte(token), 0o600); err != nil {
		r.t.Fatal(err)
	}
	options := gen.Options{Frameworks: gentest.Frameworks(r.t), Models: model.New(limits)}
	for _, change := range more {
		change(&options)
	}
	generator, err := gen.New(options)
	if err != nil {
		r.t.Fatal(err)
	}
	w.Manager, err = jobs.Open(jobs.Config{Dir: filepath.Join(w.dir, "volume"), ProjectID: r.project, Generator: generator, Log: zap.NewNop()})
	if err == nil {
		err = w.Recover()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- w.Run(ctx) }()
	r.t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			r.t.Error(err)
		}
		if err := w.Close(); err != nil {
			r.t.Error(err)
		}
	})
	return w
}

// paused returns the pauses so far.
func (w *worker) paused() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.pauses)
}

// work submits a job and feeds the ledger until it has ended.
func (w *worker) work(prompt string, settings api.Settings) outcome {
	w.r.t.Helper()
	return w.workOn(api.GenerateRequest{Prompt: prompt, Settings: settings})
}

// workOn is work for a request that has more.
func (w *worker) workOn(req api.GenerateRequest) outcome {
	w.r.t.Helper()
	id := w.submit(req)
	return w.outcome(*w.feed(id, nil))
}

// submit submits a job.
func (w *worker) submit(req api.GenerateRequest) (id string) {
	w.r.t.Helper()
	id = w.r.accept()
	req.ProjectID = w.r.project
	if _, err := w.Submit(id, "ses_1", req); err != nil {
		w.r.t.Fatal(err)
	}
	return id
}

// feed feeds the ledger until a job has ended, and returns its record; nil when
// something else has happened before.
func (w *worker) feed(id string, happened <-chan struct{}) *contract.JobRecord {
	w.r.t.Helper()
	ctx, cancel := wait.Context(w.r.t)
	if w.lasts > 0 {
		cancel()
		ctx, cancel = context.WithTimeout(w.r.t.Context(), w.lasts)
	}
	defer cancel()
	for {
		lines, changed, err := w.Feed(w.after)
		if err != nil {
			w.r.t.Fatal(err)
		}
		for _, line := range lines {
			if rec := w.apply(line); rec.Kind == contract.FeedEnded && rec.JobID == id {
				return rec.Record
			}
		}
		select {
		case <-changed:
		case <-happened:
			return nil
		case <-ctx.Done():
			w.r.t.Fatalf("the job does not end: %v", context.Cause(ctx))
		}
	}
}

// apply hands a record of the feed to the ledger and acknowledges it.
func (w *worker) apply(line []byte) (rec contract.FeedRecord) {
	w.r.t.Helper()
	if err := json.Unmarshal(line, &rec); err != nil {
		w.r.t.Fatal(err)
	}
	v, err := w.r.side.ApplyFeed(w.r.t.Context(), contract.FeedBatch{ProjectID: w.r.project, FeedID: rec.FeedID, Records: []contract.FeedRecord{rec}})
	if err == nil {
		err = w.Ack(contract.Ack{FeedID: rec.FeedID, Seq: rec.Seq, Stop: v.Stop})
	}
	if err != nil {
		w.r.t.Fatal(err)
	}
	w.after = rec.Seq
	return rec
}

func (w *worker) outcome(record contract.JobRecord) outcome {
	t := w.r.t
	t.Helper()
	o := outcome{t: t, record: record, files: map[string]string{}}
	log, err := w.Events(record.JobID)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Stored(func(data []byte) error {
		var event api.Event
		err := json.Unmarshal(data, &event)
		o.events = append(o.events, event)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(filepath.Join(w.dir, "volume", "jobs", record.JobID, "files.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, f := range archive.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		o.files[f.Name] = string(data)
	}
	return o
}

// warned are the warnings of the job's record.
func (o outcome) warned() string {
	var all []string
	for _, e := range o.events {
		if e.Type == api.EventWarning && e.Members["code"] != "no_browser" {
			all = append(all, fmt.Sprint(e.Members["message"]))
		}
	}
	return strings.Join(all, "\n")
}

// checkGame proves that the job ended with a game, and that its record says
// what is expected, and nothing where that is "".
func (o outcome) checkGame(says string) {
	o.t.Helper()
	if o.record.Status != api.JobCompleted || o.files["index.html"] == "" || o.files["game.js"] == "" {
		o.t.Fatalf("the job is %+v, with %d files", o.record, len(o.files))
	}
	if warned := o.warned(); says == "" && warned != "" || !strings.Contains(warned, says) {
		o.t.Errorf("the record says %q, want %q", warned, says)
	}
}
