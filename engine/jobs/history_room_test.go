package jobs_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
)

func TestHistoryIsAtMostAQuarterOfTheVolumeAndGivesWayToJobs(t *testing.T) {
	const limit = 200 << 10
	size := 8_000
	e := startLimited(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		return noise(size)(ctx, req, rep)
	}), jobs.Limits{Bytes: limit})
	for range 12 {
		if record := e.finish(e.submit("one more")); record.Status != api.JobCompleted {
			t.Fatalf("%+v", record.Failure)
		}
	}
	past := bytesOf(t, e.dir, "revs/objects/*")
	if past > limit/4 || past < limit/8 {
		t.Errorf("the history has %d bytes", past)
	}
	free := limit - bytesOf(t, e.dir, "*/*", "*/*/*", "*/*/*/*") + bytesOf(t, e.dir, "jobs/*/files.zip")
	size = int(free+past/2) / 2 // for the game and for its ZIP
	if record := e.finish(e.submit("large")); record.Status != api.JobCompleted {
		t.Errorf("%+v", record.Failure)
	}
	if now := bytesOf(t, e.dir, "revs/objects/*"); now >= past {
		t.Errorf("the history had %d bytes, and has %d", past, now)
	}
	e.stop()
	if head, there := history(t, e.dir).Head(); !there || head.ID != 12 { // the large one is more than a quarter
		t.Errorf("the head is %+v", head)
	}
}

// bytesOf returns the size of the files that patterns match.
func bytesOf(t *testing.T, dir string, patterns ...string) (n int64) {
	t.Helper()
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				n += info.Size()
			}
		}
	}
	return n
}

func TestJobThatFailsForRoomCostsNoRevision(t *testing.T) {
	const limit = 200 << 10
	size := 8_000
	e := startLimited(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		return noise(size)(ctx, req, rep)
	}), jobs.Limits{Bytes: limit})
	for range 5 {
		e.finish(e.submit("one more"))
	}
	past, zips := bytesOf(t, e.dir, "revs/objects/*"), bytesOf(t, e.dir, "jobs/*/files.zip")
	size = limit
	if record := e.finish(e.submit("too large")); record.Status != api.JobFailed {
		t.Fatalf("%+v", record)
	}
	if now := bytesOf(t, e.dir, "revs/objects/*"); now != past {
		t.Errorf("the history had %d bytes, and has %d", past, now)
	}
	if now := bytesOf(t, e.dir, "jobs/*/files.zip"); now < zips {
		t.Errorf("the ZIPs had %d bytes, and have %d", zips, now)
	}
}

func TestOnAFullVolumeTheOldestRevisionGoesAndNotTheNewest(t *testing.T) {
	const limit = 200 << 10
	dir := t.TempDir()
	e := startLimited(t, dir, noise(8_000), jobs.Limits{Bytes: limit})
	for range 4 {
		e.finish(e.submit("one more"))
	}
	taken := bytesOf(t, dir, "*/*", "*/*/*", "*/*/*/*") - bytesOf(t, dir, "jobs/*/files.zip")
	if err := os.WriteFile(filepath.Join(dir, "workspace", "notes"), make([]byte, limit-taken-30_000), 0o600); err != nil {
		t.Fatal(err)
	}
	for n := 5; n < 8; n++ {
		if record := e.finish(e.submit("one more")); record.Status != api.JobCompleted {
			t.Fatalf("%+v", record.Failure)
		}
	}
	e.stop()
	if head, _ := history(t, dir).Head(); head.ID != 7 {
		t.Errorf("the head is %+v", head)
	}
}
