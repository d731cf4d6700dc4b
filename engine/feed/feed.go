// Package feed keeps what an engine has to report: numbered records that are
// on disk before anyone can read them, and how far they are acknowledged. A
// record that is acknowledged is in the ledger.
package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/oklog/ulid/v2"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/journal"
)

const (
	readLimit  = 256 << 10 // bytes that one Read takes into memory
	worthwhile = 1 << 20   // bytes of acknowledged records that are worth a Compact
)

// Errors of Read and Ack.
var (
	// ErrForgotten: records that were acknowledged long ago are gone.
	ErrForgotten = errors.New("the feed no longer has these records")
	// ErrAhead: the number is above the newest record's.
	ErrAhead = errors.New("the feed has no record of this number")
)

// Feed is a project's feed. It is safe for concurrent use.
type Feed struct {
	dir string
	id  string

	acks sync.Mutex // held by who changes how far the feed is acknowledged, or rests on it

	mu      sync.Mutex    // guards the following fields; not held while an acknowledgement is stored
	lines   *journal.File // records from base+1
	base    uint64        // number of the newest record that Compact dropped
	heads   []head        // of the records in lines
	acked   uint64
	changed chan struct{} // closed at every append
	acking  chan struct{} // closed at every acknowledgement
}

type head struct {
	kind  contract.FeedKind
	jobID string
}

// Open opens the feed in the folder dir, or begins one there. cut is the
// number of bytes of a torn end that were dropped.
func Open(dir string) (f *Feed, cut int64, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, 0, fmt.Errorf("creating feed: %w", err)
	}
	f = &Feed{dir: dir, changed: make(chan struct{}), acking: make(chan struct{})}
	if f.id, err = readOrMint(filepath.Join(dir, "id")); err != nil {
		return nil, 0, err
	}
	if f.acked, err = readAcked(filepath.Join(dir, "acked")); err != nil {
		return nil, 0, err
	}
	f.base = f.acked
	if f.lines, cut, err = journal.Open(f.path(), f.load); err != nil {
		return nil, 0, fmt.Errorf("opening feed: %w", err)
	}
	if last := f.base + uint64(len(f.heads)); last < f.acked {
		return nil, 0, fmt.Errorf("opening feed: record %d is acknowledged, but the newest is %d", f.acked, last)
	}
	return f, cut, nil
}

// load takes a line of the file into the index.
func (f *Feed) load(n int, data []byte) error {
	var rec contract.FeedRecord
	if err := json.Unmarshal(data, &rec); err != nil {
		return err
	}
	if n == 0 && rec.Seq > 0 {
		f.base = rec.Seq - 1
	}
	if want := f.base + uint64(n) + 1; rec.Seq != want || rec.FeedID != f.id {
		return fmt.Errorf("record %d of feed %s stands at place %d", rec.Seq, rec.FeedID, want)
	}
	f.heads = append(f.heads, head{rec.Kind, rec.JobID})
	return nil
}

// ID returns the feed's id, which was minted with the volume.
func (f *Feed) ID() string { return f.id }

// Append numbers rec, stores it and shows it to readers. It returns when rec
// is on disk.
func (f *Feed) Append(rec contract.FeedRecord) (uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	rec.FeedID, rec.Seq = f.id, f.lastLocked()+1
	data, err := json.Marshal(rec)
	if err != nil {
		return 0, fmt.Errorf("encoding feed record: %w", err)
	}
	if err := f.lines.Append(data, true); err != nil {
		return 0, fmt.Errorf("storing feed record: %w", err)
	}
	f.heads = append(f.heads, head{rec.Kind, rec.JobID})
	close(f.changed)
	f.changed = make(chan struct{})
	return rec.Seq, nil
}

// Read returns lines of records above after, in order, none when there are
// none yet; changed is closed when there are more.
func (f *Feed) Read(after uint64) (lines [][]byte, changed <-chan struct{}, err error) {
	f.mu.Lock()
	base, last, journal := f.base, f.lastLocked(), f.lines
	changed = f.changed
	f.mu.Unlock()
	if after < base {
		return nil, nil, ErrForgotten
	}
	if after > last {
		return nil, nil, ErrAhead
	}
	lines, err = journal.Read(int(after-base), int(last-base), readLimit)
	return lines, changed, err
}

// Ack notes that every record up to seq is in the ledger; a seq that already
// is acknowledged changes nothing. Before the note is written, ended is called
// with the job of each newly acknowledged record that reports an end.
func (f *Feed) Ack(seq uint64, ended func(jobID string) error) error {
	f.acks.Lock()
	defer f.acks.Unlock()
	fresh, err := f.unackedTo(seq)
	if len(fresh) == 0 || err != nil {
		return err
	}
	for _, h := range fresh {
		if h.kind == contract.FeedEnded {
			if err := ended(h.jobID); err != nil {
				return fmt.Errorf("noting end of %s: %w", h.jobID, err)
			}
		}
	}
	if err := disk.WriteFile(filepath.Join(f.dir, "acked"), strconv.AppendUint(nil, seq, 10)); err != nil {
		return fmt.Errorf("storing acknowledgement: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acked = seq
	close(f.acking)
	f.acking = make(chan struct{})
	return nil
}

// unackedTo returns the records up to seq that are not acknowledged.
func (f *Feed) unackedTo(seq uint64) ([]head, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case seq > f.lastLocked():
		return nil, ErrAhead
	case seq <= f.acked:
		return nil, nil
	}
	return f.heads[f.acked-f.base : seq-f.base], nil
}

// Wait returns when seq is acknowledged, or the cause of ctx's end.
func (f *Feed) Wait(ctx context.Context, seq uint64) error {
	for {
		f.mu.Lock()
		acked, acking := f.acked, f.acking
		f.mu.Unlock()
		if acked >= seq {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-acking:
		}
	}
}

// Find returns the number of the newest record of a kind about a job, if the
// feed still has one.
func (f *Feed) Find(kind contract.FeedKind, jobID string) (seq uint64, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n := len(f.heads) - 1; n >= 0; n-- {
		if f.heads[n] == (head{kind, jobID}) {
			return f.base + uint64(n) + 1, true
		}
	}
	return 0, false
}

// Unacked returns how many records are not acknowledged.
func (f *Feed) Unacked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int(f.lastLocked() - f.acked)
}

// Compact drops the records if all are acknowledged and they take up much
// space. It must not be called while a job's record may still be looked for.
func (f *Feed) Compact() error {
	f.acks.Lock()
	defer f.acks.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lastLocked() != f.acked || f.lines.Size() < worthwhile {
		return nil
	}
	if err := disk.WriteFile(f.path(), nil); err != nil {
		return fmt.Errorf("emptying feed: %w", err)
	}
	lines, _, err := journal.Open(f.path(), f.load)
	if err != nil {
		return fmt.Errorf("opening emptied feed: %w", err)
	}
	old := f.lines
	f.lines, f.base, f.heads = lines, f.acked, nil
	return old.Seal()
}

// Close gives the feed's descriptor back. It can still be read.
func (f *Feed) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lines.Seal()
}

func (f *Feed) path() string { return filepath.Join(f.dir, "feed.jsonl") }

func (f *Feed) lastLocked() uint64 { return f.base + uint64(len(f.heads)) }

func readOrMint(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(data)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading feed id: %w", err)
	}
	id := "feed_" + ulid.Make().String()
	if err := disk.WriteFile(path, []byte(id+"\n")); err != nil {
		return "", fmt.Errorf("storing feed id: %w", err)
	}
	return id, nil
}

func readAcked(path string) (uint64, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading acknowledgement: %w", err)
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading acknowledgement: %w", err)
	}
	return n, nil
}
