package cluster

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver named "sqlite"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/need"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// status is what GET /svc/status says.
type status struct {
	State    string   `json:"state"`
	Problems []string `json:"problems"`
	Rates    string   `json:"rates"`
	Push     string   `json:"push"`
}

func (b *stand) status() (int, status) {
	b.t.Helper()
	var s status
	code, err := b.Status(&s)
	if err != nil {
		b.t.Fatal(err)
	}
	return code, s
}

// wantRefused wants submissions answered with 503, and the reason in the log.
func (b *stand) wantRefused(reason string) {
	b.t.Helper()
	a, err := b.Submit(b.t.Context(), b.key, b.project)
	if err != nil || a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
		b.t.Errorf("a submission in trouble: %d %s, %v", a.Status, a.Body, err)
	}
	if strings.Contains(string(a.Body), reason) {
		b.t.Errorf("the client is told %s", a.Body)
	}
	wait.Until(b.t, "the log says "+reason, func() bool { return strings.Contains(b.Log(), reason) })
}

// wantRecovered wants submissions accepted again by the process that was in
// trouble, and nothing lost or counted too much.
func (b *stand) wantRecovered(pid int, old api.Submission) {
	b.t.Helper()
	sub := b.Generate(b.key, b.project)
	b.done++
	for _, sub := range []api.Submission{old, sub} {
		if job := b.Finish(b.key, sub); job.Status != api.JobCompleted || job.TIKSpent != api.MicroPerTIK {
			b.t.Errorf("the record is %+v", job)
		}
	}
	b.wantFree()
	if b.PID() != pid {
		b.t.Error("the gateway was started anew")
	}
	if code, s := b.status(); code != http.StatusOK {
		b.t.Errorf("the status is %d %+v", code, s)
	}
}

// anotherJob has one more job complete.
func (b *stand) anotherJob() api.Submission {
	b.t.Helper()
	sub := b.Generate(b.key, b.project)
	b.Finish(b.key, sub)
	b.done++
	return sub
}

func TestLockedDatabaseRefusesSubmissionsAndNothingElse(t *testing.T) {
	t.Parallel()
	b := newStand(t, script.Engine{})
	old, pid, fresh := b.anotherJob(), b.PID(), b.NewKey("alice")

	db, err := sql.Open("sqlite", filepath.Join(b.Dir, "svc.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	lock, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := lock.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	b.wantRefused("another process holds the database's lock: context deadline exceeded") // not the five seconds of SQLite
	failure{"SQLite's lock held by another process", "request failed: another process holds the database's lock", "svc_store_up = 0", "SvcStoreDown"}.wantAsOnThePage(t, b.Gateway, b.key, old)
	wait.Until(t, "a key that nobody has seen yet reads", func() bool {
		return b.Call(fresh, http.MethodGet, "/v1/projects/"+b.project, nil).Status == http.StatusOK
	})
	if job := b.Job(b.key, old); job.Status != api.JobCompleted {
		t.Errorf("the old job is %s", job.Status)
	}
	if code, s := b.status(); code != http.StatusServiceUnavailable || s.State != "degraded" {
		t.Errorf("the status is %d %+v", code, s)
	}
	if _, err := lock.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	b.wantRecovered(pid, old)
}

// smallDisk mounts a file system of a few megabytes. The test is skipped where
// that is not allowed, or fails when CI is true.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := keep.Dir(t)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m,mode=0700"); err != nil {
		need.Missing(t, "mounting a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes what space is left on a disk, to the last page.
func fill(t *testing.T, dir string) (path string) {
	t.Helper()
	path = filepath.Join(dir, "filler")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size >= 512; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestFullDiskRefusesSubmissionsAndOldJobsStayReadable(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t)
	b := newStandIn(t, disk, script.Engine{})
	old, pid := b.anotherJob(), b.PID()

	filler := fill(t, disk)
	b.wantRefused("full")
	if job := b.Job(b.key, old); job.Status != api.JobCompleted {
		t.Errorf("the old job is %s", job.Status)
	}
	files := "/v1/generate/" + old.JobID + "/files?projectId=" + b.project
	if a := b.Call(b.key, http.MethodGet, files, nil); a.Status != http.StatusOK || len(a.Body) == 0 {
		t.Errorf("the old job's files: %d, %d bytes", a.Status, len(a.Body))
	}
	failure{"full disk", "request failed: database or disk is full", "svc_disk_free_bytes < 1048576", "SvcDiskFull"}.wantAsOnThePage(t, b.Gateway, b.key, old)
	code, s := b.status()
	if code != http.StatusServiceUnavailable || s.State != "degraded" || !strings.Contains(fmt.Sprint(s.Problems), "disk is full") {
		t.Errorf("the status is %d %+v", code, s)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	b.wantRecovered(pid, old)
}

// gone is how long PostgreSQL is away at least: in the long run longer than a connection, a
// lease or the deadline of a reservation lasts.
func gone() time.Duration {
	if long.Asked() {
		return time.Minute
	}
	return 0
}

// It runs alone: all tests share the server.
func TestPostgreSQLThatStopsRefusesSubmissionsAndComesBackWithoutARestart(t *testing.T) {
	b := newStand(t, script.Engine{}, "SVC_STORE="+postgrestest.URL(t))
	old, pid := b.anotherJob(), b.PID()
	b.Script(script.Engine{Hold: "stay"})
	started := true
	t.Cleanup(func() {
		if !started {
			postgrestest.Start(t)
		}
	})
	for range 2 {
		letEnd := b.Hold("stay")
		under := b.Generate(b.key, b.project)
		b.done++
		wait.Until(t, "a job runs", func() bool { return b.Job(b.key, under).Status == api.JobRunning })
		postgrestest.Stop(t)
		begun := time.Now()
		started = false
		b.wantRefused("connect")
		letEnd() // the job ends while nobody can write so
		wait.Until(t, "reads are refused once their lease is over", func() bool {
			return b.Call(b.key, http.MethodGet, rig.StatusPath(old), nil).Status == http.StatusServiceUnavailable
		})
		failure{"PostgreSQL gone", "request failed: failed to connect", "svc_store_up = 0", "SvcStoreDown"}.wantAsOnThePage(t, b.Gateway, b.key, old)
		for client := time.Tick(time.Second); time.Since(begun) < gone(); <-client {
			b.wantRefused("connect")
		}
		postgrestest.Start(t)
		started = true
		b.Finish(b.key, under)
		b.wantRecovered(pid, under)
	}
}

func TestRedisThatStopsCostsNothingButExactRates(t *testing.T) {
	t.Parallel()
	server := rig.StartRedis(t)
	b := newStand(t, script.Engine{}, "SVC_STORE="+postgrestest.URL(t), "SVC_REDIS_URL="+server.URL)
	old, pid := b.anotherJob(), b.PID()
	wait.Until(t, "Redis is in use", func() bool {
		_, s := b.status()
		return s.Rates == "shared" && s.Push == "connected"
	})
	server.Stop()
	b.wantRecovered(pid, old) // there is nothing to recover from
	wait.Until(t, "the loss is noticed", func() bool {
		b.anotherJob()
		_, s := b.status()
		return s.Rates == "fallback" && s.Push == "lost"
	})
	b.done++ // the page's submission is accepted
	failure{"Redis gone", "redis does not answer, request rates are limited per node", "svc_rate_fallback = 1", "SvcRatesFallBack"}.wantAsOnThePage(t, b.Gateway, b.key, old)
	server.Start()
	wait.Until(t, "Redis is in use again", func() bool {
		b.anotherJob()
		_, s := b.status()
		return s.Rates == "shared" && s.Push == "connected"
	})
	b.wantRecovered(pid, old)
}
