package jobs_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/test/wait"
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

// leave fills the volume of an engine so that so many bytes are left.
func leave(t *testing.T, dir string, left int64) {
	t.Helper()
	filler := filepath.Join(dir, "workspace", "notes")
	if err := os.RemoveAll(filler); err != nil {
		t.Fatal(err)
	}
	var used int64
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			used += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filler, make([]byte, max(0, roomLimit-used-left)), 0o600); err != nil {
		t.Fatal(err)
	}
}

const roomLimit = 200 << 10

func TestASaveThatIsRefusedForRoomChangesNothing(t *testing.T) {
	e := startLimited(t, t.TempDir(), script(write), jobs.Limits{Bytes: roomLimit})
	is, refused, saved := strings.Repeat("first ", 1_000), 0, 0
	if _, err := e.Edit(t.Context(), jobs.Edit{Path: "a.txt", Data: []byte(is)}); err != nil {
		t.Fatal(err)
	}
	for left := int64(20_000); left >= 0; left -= 500 {
		leave(t, e.dir, left)
		next := strings.Repeat(string(rune('a'+left/500)), len(is)+1_000)
		made, err := e.Edit(t.Context(), jobs.Edit{Path: "a.txt", Data: []byte(next), Was: sum(is)})
		switch {
		case err == nil:
			is, saved = next, saved+1
			if data, err := e.File("a.txt", made.Head); err != nil || string(data) != is {
				t.Errorf("with %d bytes left: the revision holds another file, %v", left, err)
			}
		case errors.Is(err, jobs.ErrFull):
			refused++
		default:
			t.Fatal(err)
		}
		if data, err := e.File("a.txt", 0); err != nil || string(data) != is {
			t.Errorf("with %d bytes left: saved is %v, and the file is another one, %v", left, made, err)
		}
	}
	if refused == 0 || saved == 0 {
		t.Errorf("%d were refused and %d saved", refused, saved)
	}
}

// sum is what an editor names the text by that it began with, "" for none.
func sum(text string) string {
	if text == "" {
		return ""
	}
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// TestOnAFullVolumeFilesCanBeDeleted: what could not join the game at a job's end is no
// reason to keep all else as it is.
func TestOnAFullVolumeFilesCanBeDeleted(t *testing.T) {
	entered, release := make(chan string, 1), make(chan struct{})
	e := startLimited(t, t.TempDir(), until(entered, release), jobs.Limits{Bytes: roomLimit})
	save := func(name, text, was string) error {
		t.Helper()
		_, err := e.Edit(t.Context(), jobs.Edit{Path: name, Data: []byte(text), Was: sum(was)})
		return err
	}
	remove := func(name, was string) error {
		t.Helper()
		_, err := e.Edit(t.Context(), jobs.Edit{Path: name, Delete: true, Was: sum(was)})
		return err
	}
	large, mine, other := strings.Repeat("large ", 4_000), strings.Repeat("mine ", 1_600), strings.Repeat("other ", 400)
	if err := save("large.txt", large, ""); err != nil {
		t.Fatal(err)
	}
	id := e.submit("work")
	e.ack(e.until(contract.FeedStarted))
	<-entered
	for name, text := range map[string]string{"mine.txt": mine, "other.txt": other} {
		if err := save(name, text, ""); err != nil {
			t.Fatal(err)
		}
	}
	leave(t, e.dir, 12_000)
	close(release)
	e.finish(id)
	wait.Until(t, "the edits have no room to join", func() bool { return errors.Is(save("large.txt", "x", "wrong"), jobs.ErrFull) })
	for name, was := range map[string]string{"other.txt": other, "large.txt": large} {
		if err := remove(name, was); err != nil {
			t.Errorf("deleting %s: %v", name, err)
		}
	}
	if err := save("next.txt", "next", ""); err != nil {
		t.Errorf("saving afterwards: %v", err)
	}
	for name, want := range map[string]string{"mine.txt": mine, "next.txt": "next", "index.html": "work"} {
		if data, err := e.File(name, 0); err != nil || string(data) != want {
			t.Errorf("%s is another one, %v", name, err)
		}
	}
	for _, name := range []string{"other.txt", "large.txt"} {
		if _, err := e.File(name, 0); !errors.Is(err, jobs.ErrNoFile) {
			t.Errorf("%s is there, %v", name, err)
		}
	}
}
