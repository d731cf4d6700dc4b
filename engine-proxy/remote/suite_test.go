package remote_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/remote"
	fakedriver "github.com/svc-games/svc/test/fake/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/wait"
)

// zipOf makes an archive of so many bytes that don't compress.
func zipOf(t *testing.T, size int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f, err := w.CreateHeader(&zip.FileHeader{Name: "index.html", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // never fails
	if _, err := f.Write(noise); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// onEach runs a test on each form of engineproxy.Engines, with engines here and
// elsewhere: all behave alike.
func onEach(t *testing.T, test func(t *testing.T, w *world)) {
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, form))
		})
		t.Run(name+", engines elsewhere", func(t *testing.T) {
			t.Parallel()
			test(t, newWorldOn(t, fakedriver.NewCluster(t.TempDir()), form))
		})
	}
}

func TestSubmitStartsOneEngineAndLeadsToIt(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.project()
		_, err := w.engines.Attach(t.Context(), p.ID)
		is(t, "attaching to no engine", err, engineproxy.ErrAbsent)
		var starting *engineproxy.StartingError
		if _, err := w.engines.Submit(t.Context(), p, 0); !errors.As(err, &starting) || starting.Phase == "" || starting.State != engineproxy.StateStarting {
			t.Fatalf("without patience: %v", err)
		}
		lease := w.start(p)
		defer lease.Release()
		again, err := w.engines.Attach(t.Context(), p.ID)
		if err != nil || again.InstanceID != lease.InstanceID {
			t.Fatalf("attached to %v, %v", again, err)
		}
		again.Release()
		again.Release() // twice is once
		job := w.accept(p)
		res, err := ask(t.Context(), lease, http.MethodDelete, "/v1/generate/"+job+"?projectId="+p.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 200 || res.Header.Get(contract.HeaderInstance) != lease.InstanceID {
			t.Errorf("the engine answered %s as %q", res.Status, res.Header.Get(contract.HeaderInstance))
		}
		list, err := w.engines.List(t.Context())
		if err != nil || len(list) != 1 || list[0].ProjectID != p.ID || list[0].Generation != 1 {
			t.Errorf("listed %+v, %v", list, err)
		}
	})
}

func TestLeaseKeepsAnEngineUntilItIsReleased(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.project()
		lease := w.start(p)
		busy, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if err := w.engines.Stop(busy, p.ID, false); err == nil {
			t.Fatal("an engine in use was stopped")
		}
		lease.Release()
		if err := w.engines.Stop(t.Context(), p.ID, false); err != nil {
			t.Fatal(err)
		}
		_, err := w.engines.Attach(t.Context(), p.ID)
		is(t, "after the stop", err, engineproxy.ErrAbsent)
	})
}

func TestAwaitReadyReturnsWhenAnotherStartedTheEngine(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.project()
		short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		is(t, "nobody starts it", w.engines.AwaitReady(short, p.ID), context.DeadlineExceeded)
		done := make(chan error, 1)
		go func() { done <- w.engines.AwaitReady(t.Context(), p.ID) }()
		w.start(p).Release()
		if err := wait.For(t, "it learns that the engine is ready", done); err != nil {
			t.Error(err)
		}
	})
}

func TestFenceAndCancelReachTheEngine(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.project()
		_, err := w.engines.Fence(t.Context(), p, mint.NewJobID(time.Now()))
		is(t, "fencing at no engine", err, engineproxy.ErrUnreachable)
		is(t, "cancelling at no engine", w.engines.Cancel(t.Context(), p, mint.NewJobID(time.Now())), engineproxy.ErrAbsent)
		w.start(p).Release()
		job := w.accept(p)
		for id, want := range map[string]contract.FenceVerdict{job: contract.Accepted, mint.NewJobID(time.Now()): contract.Fenced} {
			if v, err := w.engines.Fence(t.Context(), p, id); err != nil || v != want {
				t.Errorf("verdict %q, %v; want %q", v, err, want)
			}
		}
		if err := w.engines.Cancel(t.Context(), p, job); err != nil {
			t.Fatal(err)
		}
		end, err := w.side.AwaitEnd(t.Context(), job)
		if err != nil || end.Status != api.JobCancelled {
			t.Errorf("the job ended as %+v, %v", end.Status, err)
		}
	})
}

func TestArchiveIsServedWithoutAnEngine(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.project()
		w.start(p).Release()
		job, bare := w.accept(p), w.accept(p)
		files := zipOf(t, 200_000)
		w.end(p, job, files)
		w.end(p, bare, nil)
		if err := w.engines.Stop(t.Context(), p.ID, true); err != nil {
			t.Fatal(err)
		}

		log, err := w.engines.Events(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		for after, want := range map[uint64]int{0: 2, 1: 1, 2: 0} {
			records, state, err := log.Read(after)
			if err != nil || len(records) != want || state.Last != 2 || !state.Ended || state.Changed != nil {
				t.Errorf("after %d: %d records, %+v, %v", after, len(records), state, err)
			}
			if want == 1 && (records[0].ID != 2 || records[0].Type != api.EventCompleted || !bytes.Contains(records[0].Data, []byte(job))) {
				t.Errorf("record %+v", records[0])
			}
		}
		f, err := w.engines.Files(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.Size != int64(len(files)) || f.SHA256 != sum(files) || f.ModTime.IsZero() {
			t.Errorf("file %+v", f)
		}
		checkReads(t, f, files)

		other := mint.NewJobID(time.Now())
		_, err = w.engines.Events(t.Context(), other)
		is(t, "events of no job", err, engineproxy.ErrNotArchived)
		_, err = w.engines.Files(t.Context(), other)
		is(t, "files of no job", err, engineproxy.ErrNotArchived)
		_, err = w.engines.Files(t.Context(), bare)
		is(t, "files of a job without", err, engineproxy.ErrNotArchived)
	})
}

// checkReads reads a file from several places, as ranges do.
func checkReads(t *testing.T, f io.ReadSeeker, want []byte) {
	t.Helper()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil || end != int64(len(want)) {
		t.Errorf("the end is at %d, %v", end, err)
	}
	for _, from := range []int64{0, 5, int64(len(want)) - 3, 100_001, 5} {
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		part := make([]byte, 3)
		if _, err := io.ReadFull(f, part); err != nil || !bytes.Equal(part, want[from:from+3]) {
			t.Errorf("at %d: %q, %v", from, part, err)
		}
	}
	if _, err := f.Seek(-8, io.SeekCurrent); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(f)
	if err != nil || !bytes.Equal(rest, want) {
		t.Errorf("the whole has %d bytes, %v", len(rest), err)
	}
	if _, err := f.Seek(-1, io.SeekStart); err == nil {
		t.Error("a place before the beginning was found")
	}
}

func TestFailureComesWithItsReasonAndTime(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.project()
		volume := w.volume(p)
		if err := fakeengine.WriteSwitches(volume, fakeengine.Switches{ExitAtStart: 3}); err != nil {
			t.Fatal(err)
		}
		var failed *engineproxy.FailedError
		_, err := w.engines.Submit(t.Context(), p, ample)
		if !errors.As(err, &failed) || failed.Reason == "" || failed.Next.IsZero() {
			t.Fatalf("got %v", err)
		}
		var details engineproxy.Details
		wait.Until(w.t, "the failure is shown", func() bool {
			if details, err = w.engines.Show(t.Context(), p.ID); err != nil {
				t.Fatal(err)
			}
			return details.State == engineproxy.StateFailed
		})
		if text, err := w.engines.Logs(t.Context(), p.ID, 100); err != nil || len(text) > 100 {
			t.Errorf("log %q, %v", text, err)
		}
		if details.Failure != failed.Reason || len(details.Transitions) < 2 {
			t.Errorf("shown %+v", details)
		}
		if err := fakeengine.WriteSwitches(volume, fakeengine.Switches{}); err != nil {
			t.Fatal(err)
		}
		if err := w.engines.Reset(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
		w.start(p).Release()
	})
}

func TestForgetLeavesNothingOfAProject(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.project()
		w.start(p).Release()
		job := w.accept(p)
		w.end(p, job, zipOf(t, 100))
		if err := w.engines.Forget(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
		_, err := w.engines.Files(t.Context(), job)
		is(t, "files", err, engineproxy.ErrNotArchived)
		list, err := w.engines.List(t.Context())
		if err != nil || len(list) != 0 {
			t.Errorf("listed %+v, %v", list, err)
		}
	})
}

func TestMalformedProjectIsAnError(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		for _, id := range []string{"", "../x", "0123"} {
			if _, err := w.engines.Submit(t.Context(), engineproxy.Project{ID: id}, 0); err == nil || errors.Is(err, engineproxy.ErrUnreachable) {
				t.Errorf("submitting to %q: %v", id, err)
			}
			if err := w.engines.Forget(t.Context(), id); err == nil {
				t.Errorf("%q was forgotten", id)
			}
		}
	})
}

func TestContextThatEndsIsTheError(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.project()
		if err := fakeengine.WriteSwitches(w.volume(p), fakeengine.Switches{NeverReady: true}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := w.engines.Submit(ctx, p, ample)
		is(t, "submitting", err, context.DeadlineExceeded)
	})
}

func TestProblemsOfTheEngineProxyAreSaid(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		if problems, err := w.engines.Problems(t.Context()); err != nil || len(problems) != 0 {
			t.Errorf("nothing is wrong: %q, %v", problems, err)
		}
		for _, want := range []int{http.StatusOK, http.StatusServiceUnavailable} {
			rec := httptest.NewRecorder()
			remote.NewHealthHandler(w.engines).ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/healthz", nil))
			if rec.Code != want {
				t.Errorf("a probe is answered with %d %s, want %d", rec.Code, rec.Body, want)
			}
			if err := w.side.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
