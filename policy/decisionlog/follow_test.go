package decisionlog

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/svc-games/svc/test/wait"
)

// TestALogIsFollowedOverItsFilesToItsLastRecord: each record once, in order, those too that are
// written while nobody looked, or as the following ends.
func TestALogIsFollowedOverItsFilesToItsLastRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	var got []string
	ended := make(chan error, 1)
	follow := func(f Filter) {
		ended <- Follow(ctx, path, f, func(line []byte) error {
			r, err := Decode(line)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, r.RequestID)
			return err
		})
	}
	go follow(Filter{})
	l := openLog(t, Options{Path: path, MaxBytes: 20 << 10, Keep: 9, Sample: 1})
	e := entry(t, embedded(t))
	var want []string
	for n := range 100 { // several files
		e.RequestID = fmt.Sprint("request ", n)
		want = append(want, e.RequestID)
		if err := l.Add(e); err != nil {
			t.Fatal(err)
		}
		if n == 20 {
			wait.Until(t, "the first are read", func() bool {
				mu.Lock()
				defer mu.Unlock()
				return len(got) == 21
			})
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d of %d records are read: %q", len(got), len(want), got)
	}
	// What the file holds is filtered, and an error ends it.
	got = nil
	follow(Filter{RequestID: want[99]})
	if err := <-ended; err != nil || !slices.Equal(got, want[99:]) {
		t.Errorf("of one request there is %q, %v", got, err)
	}
	broken := errors.New("the pipe is gone")
	if err := Follow(t.Context(), path, Filter{}, func([]byte) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("an error of the reader is %v", err)
	}
}
