package fleet

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/gamezip"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/wait"
)

// zipped returns a ZIP and its description.
func zipped(t *testing.T) ([]byte, api.Files) {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	f, err := w.Create("index.html")
	if err == nil {
		_, err = io.WriteString(f, "<canvas>")
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(buf.Bytes())
	return buf.Bytes(), api.Files{Count: 1, Bytes: int64(buf.Len()), SHA256: hex.EncodeToString(sum[:])}
}

func TestEndedJobIsArchivedThenAppliedThenAcknowledged(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	ackedBefore := make(chan uint64, 1)
	r.ledger.with(func() {
		r.ledger.onApply = func(rec contract.FeedRecord) {
			if rec.Kind != contract.FeedEnded {
				return
			}
			if _, err := os.Stat(filepath.Join(r.dir, "archive", job, "record.json")); err != nil {
				t.Errorf("applied before it was archived: %v", err)
			}
			var rep fakeengine.Report
			if err := send(at, http.MethodGet, "/test/state", nil, &rep); err != nil {
				t.Error(err)
			}
			ackedBefore <- rep.Acked
		}
	})
	data, files := zipped(t)
	r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted, Files: &files, ZIP: data}, nil)
	if acked := <-ackedBefore; acked >= 3 {
		t.Errorf("record 3 was acknowledged before it was applied")
	}
	wait.Until(t, "everything is acknowledged", func() bool { return r.report(at).Acked == 3 })

	// And the archive serves it without an engine.
	r.crash(at)
	log, err := r.Events(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	records, state, err := log.Read(0)
	if err != nil || len(records) != 2 || !state.Ended || records[1].Type != api.EventCompleted {
		t.Fatalf("archived events: %v %+v %v", records, state, err)
	}
	f, err := r.Files(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := io.ReadAll(f)
	if err != nil || !bytes.Equal(got, data) || f.SHA256 != files.SHA256 || f.Size != files.Bytes {
		t.Fatalf("archived files differ: %d bytes, %v", len(got), err)
	}
}

func TestFeedIsAppliedOnceAcrossARestartOfTheProxy(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	first, second, third := r.accept(project, at), r.accept(project, at), r.accept(project, at)
	end := func(job string) {
		r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted}, nil)
	}
	end(first)
	wait.Until(t, "the first job is applied", func() bool { return r.ledger.count() == 3 })
	r.close(KeepEngines)
	end(second)
	r.open()
	wait.Until(t, "the second job is applied", func() bool { return r.ledger.count() == 6 })
	end(third)
	wait.Until(t, "everything is acknowledged", func() bool { return r.report(at).Acked == 9 })
	r.ledger.with(func() {
		for i, rec := range r.ledger.applied {
			if rec.Seq != uint64(i)+1 {
				t.Errorf("record %d was applied at place %d", rec.Seq, i+1)
			}
		}
	})
}

// A record that the ledger does not believe costs its job, and nothing else: the
// feed goes on.
func TestJobWhoseEngineBreaksTheContractEndsAndTheFeedGoesOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	broken, good := r.accept(project, at), r.accept(project, at)
	r.ledger.with(func() {
		r.ledger.breach = func(rec contract.FeedRecord) string {
			if rec.JobID == broken && rec.Kind == contract.FeedUsage {
				return "two of a kind"
			}
			return ""
		}
	})
	for _, job := range []string{broken, good} {
		r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted}, nil)
	}
	wait.Until(t, "everything is acknowledged", func() bool { return r.report(at).Acked == 6 })
	r.ledger.with(func() {
		end, ended := r.ledger.ended[broken]
		if !ended || end.Status != api.JobFailed || end.Failure.Code != api.FailureInternal {
			t.Errorf("the broken job ended %t as %+v", ended, end)
		}
		if end, ended := r.ledger.ended[good]; ended {
			t.Errorf("the good job was ended without its engine: %+v", end)
		}
	})
	if want := (contract.Stop{JobID: broken, Code: api.FailureInternal}); !slices.Contains(r.report(at).Stopped, want) {
		t.Errorf("the engine was told to stop %v, want %v", r.report(at).Stopped, want)
	}
	if got := gathered(t, r.Proxy.metrics)["engine_breaches_total"].value; got != 1 {
		t.Errorf("%v breaches were counted", got)
	}
	if log, err := r.Events(t.Context(), broken); err != nil {
		t.Error(err)
	} else if _, state, err := log.Read(0); err != nil || !state.Ended {
		t.Errorf("archived events end %t, %v", state.Ended, err)
	}
}

func TestLostAcknowledgementIsSentAgainWithItsVerdict(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted}, nil)
	wait.Until(t, "it is acknowledged", func() bool { return r.report(at).Acked == 3 })
	stop := contract.Stop{JobID: mint.NewJobID(time.Now()), Code: api.FailureTIKExhausted}
	r.close(KeepEngines)
	r.ledger.with(func() { r.ledger.stop = []contract.Stop{stop} })
	r.open()
	wait.Until(t, "the verdict arrives without a further record", func() bool {
		return slices.Contains(r.report(at).Stopped, stop)
	})
	if got := r.ledger.count(); got != 3 {
		t.Fatalf("%d records were applied, want 3", got)
	}
}

func TestNothingIsAcknowledgedWhileTheLedgerIsDown(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	r.ledger.with(func() { r.ledger.down = true })
	r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobFailed}, nil)
	wait.Until(t, "the proxy knows of the records", func() bool { return r.info(project).Activity.UnackedFeed == 3 })
	if got := r.report(at).Acked; got != 0 {
		t.Fatalf("record %d was acknowledged without a ledger", got)
	}
	r.ledger.with(func() { r.ledger.down = false })
	wait.Until(t, "everything is delivered afterwards", func() bool { return r.report(at).Acked == 3 && r.ledger.count() == 3 })
}

func TestResultThatBreaksTheContractEndsTheJobAsFailed(t *testing.T) {
	t.Parallel()
	_, good := zipped(t)
	for _, c := range []struct {
		name  string
		zip   []byte
		files api.Files
	}{
		{"other bytes", make([]byte, good.Bytes), good},
		{"too few bytes", []byte("PK"), good},
		{"too large", nil, api.Files{Count: 1, Bytes: 65 << 20, SHA256: good.SHA256}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			project := mint.NewProjectID()
			at := r.submit(project)
			job := r.accept(project, at)
			r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted, Files: &c.files, ZIP: c.zip}, nil)
			wait.Until(t, "the feed goes on", func() bool { return r.report(at).Acked == 3 })
			r.ledger.with(func() {
				end := r.ledger.applied[2].Record
				_, why := gamezip.Failed(job, end.Failure)
				if end.Status != api.JobFailed || end.Failure.Code != api.FailureInternal || end.Files == nil || *end.Files != why {
					t.Errorf("applied %+v, want a failed job whose files say why", end)
				}
			})
			if f, err := r.Files(t.Context(), job); err != nil {
				t.Errorf("files: %v", err)
			} else {
				f.Close()
			}
			if _, err := r.Events(t.Context(), job); err != nil {
				t.Errorf("events: %v", err)
			}
		})
	}
}

func TestNothingIsArchivedUnderAJobOfAnotherProject(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	victim, thief := mint.NewProjectID(), mint.NewProjectID()
	job := r.accept(victim, r.submit(victim))
	at := r.submit(thief)
	r.send(at, http.MethodPost, "/test/accept", contract.JobRecord{JobID: job, Status: api.JobRunning}, nil)
	r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted}, nil)
	wait.Until(t, "the thief's feed is through", func() bool { return r.report(at).Acked == 3 })
	if _, err := r.Events(t.Context(), job); !errors.Is(err, engineproxy.ErrNotArchived) {
		t.Fatalf("got %v, want ErrNotArchived", err)
	}
}
