package feed

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
)

func openIn(t *testing.T, dir string) *Feed {
	t.Helper()
	f, _, err := Open(dir)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func add(t *testing.T, f *Feed, kind contract.FeedKind, jobID string) uint64 {
	t.Helper()
	seq, err := f.Append(contract.FeedRecord{Kind: kind, JobID: jobID})
	if err != nil {
		t.Fatalf("Append: %v", err)
	}
	return seq
}

func nothing(string) error { return nil }

func read(t *testing.T, f *Feed, after uint64) (seqs []uint64) {
	t.Helper()
	lines, _, err := f.Read(after)
	if err != nil {
		t.Fatalf("Read(%d): %v", after, err)
	}
	for _, line := range lines {
		var rec contract.FeedRecord
		if err := json.Unmarshal(line, &rec); err != nil || rec.FeedID != f.ID() {
			t.Fatalf("record %s: %v", line, err)
		}
		seqs = append(seqs, rec.Seq)
	}
	return seqs
}

func TestNumbersAreDenseAcrossRestarts(t *testing.T) {
	dir := t.TempDir()
	f := openIn(t, dir)
	add(t, f, contract.FeedStarted, "a")
	add(t, f, contract.FeedUsage, "a")
	if err := f.Ack(1, nothing); err != nil {
		t.Fatal(err)
	}
	again := openIn(t, dir)
	if again.ID() != f.ID() || again.Unacked() != 1 {
		t.Errorf("id %s became %s, %d unacknowledged", f.ID(), again.ID(), again.Unacked())
	}
	if seq := add(t, again, contract.FeedEnded, "a"); seq != 3 {
		t.Errorf("the next number is %d", seq)
	}
	if got := read(t, again, 1); !slices.Equal(got, []uint64{2, 3}) {
		t.Errorf("after 1: %v", got)
	}
	if _, _, err := again.Read(4); !errors.Is(err, ErrAhead) {
		t.Errorf("Read(4): %v", err)
	}
}

func TestATornRecordIsNumberedAgain(t *testing.T) {
	dir := t.TempDir()
	f := openIn(t, dir)
	add(t, f, contract.FeedStarted, "a")
	path := filepath.Join(dir, "feed.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, whole[:20]...), 0o600); err != nil {
		t.Fatal(err)
	}
	again, cut, err := Open(dir)
	if err != nil || cut != 20 {
		t.Fatalf("Open: cut %d, %v", cut, err)
	}
	defer again.Close()
	if seq := add(t, again, contract.FeedUsage, "a"); seq != 2 {
		t.Errorf("the next number is %d", seq)
	}
}

func TestAFeedThatLostAcknowledgedRecordsIsRefused(t *testing.T) {
	dir := t.TempDir()
	f := openIn(t, dir)
	add(t, f, contract.FeedStarted, "a")
	add(t, f, contract.FeedEnded, "a")
	if err := f.Ack(2, nothing); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "feed.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(whole), "\n")
	if err := os.WriteFile(path, []byte(first+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(dir); err == nil {
		t.Error("Open took a feed whose acknowledged end is gone")
	}
}

func TestAnAcknowledgementNamesEachEndOnceAndWakesWhoWaits(t *testing.T) {
	f := openIn(t, t.TempDir())
	for _, id := range []string{"a", "b", "c"} {
		add(t, f, contract.FeedStarted, id)
		add(t, f, contract.FeedEnded, id)
	}
	waited := make(chan error, 1)
	go func() { waited <- f.Wait(t.Context(), 4) }()
	var ended []string
	note := func(id string) error { ended = append(ended, id); return nil }
	for _, seq := range []uint64{2, 1, 2, 5} {
		if err := f.Ack(seq, note); err != nil {
			t.Fatalf("Ack(%d): %v", seq, err)
		}
	}
	if !slices.Equal(ended, []string{"a", "b"}) || f.Unacked() != 1 {
		t.Errorf("ended %v, %d unacknowledged", ended, f.Unacked())
	}
	if err := <-waited; err != nil {
		t.Errorf("Wait: %v", err)
	}
	if err := f.Ack(7, note); !errors.Is(err, ErrAhead) {
		t.Errorf("Ack(7): %v", err)
	}
	refused := errors.New("disk full")
	if err := f.Ack(6, func(string) error { return refused }); !errors.Is(err, refused) || f.Unacked() != 1 {
		t.Errorf("Ack whose end can't be noted: %v, %d unacknowledged", err, f.Unacked())
	}
	cause := errors.New("cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := f.Wait(ctx, 6); !errors.Is(err, cause) {
		t.Errorf("Wait with an ended context: %v", err)
	}
}

func TestARecordWaitsForNoAcknowledgementThatIsBeingStored(t *testing.T) {
	f := openIn(t, t.TempDir())
	add(t, f, contract.FeedEnded, "a")
	err := f.Ack(1, func(string) error {
		add(t, f, contract.FeedStarted, "b")
		if got := read(t, f, 0); !slices.Equal(got, []uint64{1, 2}) {
			t.Errorf("records %d, want 1 and 2", got)
		}
		return nil
	})
	if err != nil || f.Unacked() != 1 {
		t.Errorf("%d records are not acknowledged, %v; want the one that came meanwhile", f.Unacked(), err)
	}
}

func TestCompactDropsOnlyWhatIsAcknowledged(t *testing.T) {
	dir := t.TempDir()
	f := openIn(t, dir)
	big := strings.Repeat("x", 64<<10)
	for range 20 {
		add(t, f, contract.FeedProgress, big)
	}
	if err := f.Ack(19, nothing); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		acked uint64
		size  bool
	}{{19, true}, {20, false}} {
		if err := f.Ack(step.acked, nothing); err != nil {
			t.Fatal(err)
		}
		if err := f.Compact(); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(dir, "feed.jsonl")); err != nil || (info.Size() > 0) != step.size {
			t.Errorf("acknowledged %d: %v, %v", step.acked, info.Size(), err)
		}
	}
	if seq := add(t, f, contract.FeedStarted, "next"); seq != 21 {
		t.Errorf("the next number is %d", seq)
	}
	for _, f := range []*Feed{f, openIn(t, dir)} {
		if got := read(t, f, 20); !slices.Equal(got, []uint64{21}) {
			t.Errorf("after 20: %v", got)
		}
		if _, _, err := f.Read(19); !errors.Is(err, ErrForgotten) {
			t.Errorf("Read(19): %v", err)
		}
		if seq, ok := f.Find(contract.FeedStarted, "next"); !ok || seq != 21 {
			t.Errorf("Find: %d, %v", seq, ok)
		}
	}
}
