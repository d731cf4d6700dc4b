package contract

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/test/wait"
)

// ledger reads an engine's feed and acknowledges it, as the engine proxy does.
// It goes on after a restart of the engine.
type ledger struct {
	e      *engine
	feedID string
	seq    uint64 // newest record that was read
	acked  uint64

	instance string // that the open feed is of
	lines    chan []byte
	close    context.CancelFunc
	seen     map[uint64][]byte // every record, to find one that changes
}

// leave closes the feed.
func (l *ledger) leave() {
	if l.close != nil {
		l.close()
		l.close, l.instance = nil, ""
	}
}

// connect opens the feed after the newest record, of the engine that runs now.
func (l *ledger) connect() error {
	if l.instance == l.e.instanceID {
		return nil
	}
	l.leave()
	ctx, cancel := context.WithCancel(context.Background())
	res, err := l.e.open(ctx, call{path: fmt.Sprintf("%s?after=%d", wire.PathFeed, l.seq)})
	if err != nil {
		cancel()
		return fmt.Errorf("opening the feed: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		cancel()
		res.Body.Close()
		return fmt.Errorf("opening the feed after %d: status %d", l.seq, res.StatusCode)
	}
	lines := make(chan []byte)
	l.lines, l.close, l.instance = lines, cancel, l.e.instanceID
	go func() {
		defer close(lines)
		defer res.Body.Close()
		scan := bufio.NewScanner(res.Body)
		scan.Buffer(nil, 1<<20)
		for scan.Scan() {
			select {
			case lines <- bytes.Clone(scan.Bytes()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return nil
}

// errQuiet: no record came in time.
var errQuiet = errors.New("the feed is quiet")

// next returns the next record, or false when none comes in time.
func (l *ledger) next(within time.Duration) (wire.FeedRecord, bool) {
	l.e.t.Helper()
	ctx, cancel := context.WithTimeout(l.e.t.Context(), within)
	defer cancel()
	rec, err := l.try(ctx)
	if err != nil && !errors.Is(err, errQuiet) {
		l.e.t.Fatal(err)
	}
	return rec, err == nil
}

// try is next, up to the end of ctx, of an engine that may not be there.
func (l *ledger) try(ctx context.Context) (wire.FeedRecord, error) {
	l.e.t.Helper()
	if err := l.connect(); err != nil {
		return wire.FeedRecord{}, err
	}
	for {
		select {
		case line, open := <-l.lines:
			if !open {
				return wire.FeedRecord{}, errors.New("the feed broke off")
			}
			if len(line) == 0 {
				continue
			}
			return l.take(line), nil
		case <-ctx.Done():
			return wire.FeedRecord{}, errQuiet
		}
	}
}

// take checks a record's place in the feed.
func (l *ledger) take(line []byte) wire.FeedRecord {
	l.e.t.Helper()
	var rec wire.FeedRecord
	if err := json.Unmarshal(line, &rec); err != nil {
		l.e.t.Fatalf("this is no feed record: %s", line)
	}
	l.feedID = cmp.Or(l.feedID, rec.FeedID)
	if rec.Seq != l.seq+1 || rec.FeedID != l.feedID || !wire.ValidName(rec.FeedID) || rec.Next != "" && !wire.ValidName(rec.Next) {
		l.e.t.Fatalf("record %d of feed %q follows record %d of feed %q", rec.Seq, rec.FeedID, l.seq, l.feedID)
	}
	if old, again := l.seen[rec.Seq]; again && !bytes.Equal(old, line) {
		l.e.t.Errorf("record %d was %s\nand is now %s", rec.Seq, old, line)
	}
	l.seen[rec.Seq] = line
	l.seq = rec.Seq
	return rec
}

// await is try with the patience of a test.
func (l *ledger) await() (wire.FeedRecord, error) {
	l.e.t.Helper()
	ctx, cancel := wait.Context(l.e.t)
	defer cancel()
	return l.try(ctx)
}

// must returns the next record, which has to come.
func (l *ledger) must() wire.FeedRecord {
	l.e.t.Helper()
	rec, err := l.await()
	if err != nil {
		l.e.t.Fatalf("no feed record follows %d: %v", l.seq, err)
	}
	return rec
}

// ackOf acknowledges all that l has read.
func ackOf(l *ledger, stop ...wire.Stop) call {
	body, err := json.Marshal(wire.Ack{FeedID: l.feedID, Seq: l.seq, Stop: stop})
	if err != nil {
		l.e.t.Fatal(err)
	}
	return call{method: http.MethodPost, path: wire.PathAck, body: body}
}

// ack acknowledges all that was read.
func (l *ledger) ack(stop ...wire.Stop) {
	l.e.t.Helper()
	l.e.expect("acknowledgement", l.e.do(ackOf(l, stop...)), http.StatusOK)
	l.acked = l.seq
}

// rewind goes back to the last acknowledgement, as an engine proxy that was
// restarted does.
func (l *ledger) rewind() {
	l.leave()
	l.seq = l.acked
}

// until reads up to the next record of a kind about a job, which is left
// unacknowledged; those before it are acknowledged.
func (l *ledger) until(kind wire.FeedKind, id string) wire.FeedRecord {
	l.e.t.Helper()
	for {
		rec := l.must()
		if rec.Kind == kind && rec.JobID == id {
			return rec
		}
		l.ack()
	}
}

// untilCharged reads up to the record of a job's first priced step. An engine
// that has none skips the test.
func (l *ledger) untilCharged(id string) wire.FeedRecord {
	l.e.t.Helper()
	if started := l.until(wire.FeedStarted, id); started.Next == "" {
		l.e.t.Skip("the engine has no priced step")
	}
	l.ack()
	return l.until(wire.FeedUsage, id)
}

// finish acknowledges everything up to the end of a job and returns its record.
func (l *ledger) finish(id string) wire.JobRecord {
	l.e.t.Helper()
	rec := l.until(wire.FeedEnded, id)
	l.ack()
	if rec.Record == nil || !rec.Record.Status.Terminal() {
		l.e.t.Fatalf("the end of %s is reported without its record", id)
	}
	return *rec.Record
}

// awaitEnds acknowledges everything up to the end of the last of the jobs, and returns
// the records of those that ended.
func (l *ledger) awaitEnds(jobs ...string) map[string]wire.JobRecord {
	l.e.t.Helper()
	ended := map[string]wire.JobRecord{}
	for len(ended) < len(jobs) {
		rec := l.must()
		if rec.Kind == wire.FeedEnded {
			if _, twice := ended[rec.JobID]; twice {
				l.e.t.Errorf("job %s ended twice", rec.JobID)
			}
			ended[rec.JobID] = *rec.Record
		}
		l.ack()
	}
	return ended
}

// failure is the code of a record's failure, "" without one.
func failure(r wire.JobRecord) api.FailureCode {
	if r.Failure == nil {
		return ""
	}
	return r.Failure.Code
}
