package settle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/archive"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

const (
	feedBatch    = 256     // records that are applied together, at most,
	feedBytes    = 4 << 20 // unless they have more bytes before
	feedAhead    = 32      // records that are read ahead of them
	feedRetry    = 100 * time.Millisecond
	feedRetryMax = 5 * time.Second
	feedTries    = 5 // in a row at which a feed breaks the contract, before its engine is given up

	// An engine appends some ten records a second. One that floods its feed is
	// read no faster than this, beyond what may have gathered while nobody read.
	feedRate  = 200  // records a second
	feedBurst = 2000 // records
)

// Feed is the feed of one ready engine.
type Feed struct {
	ProjectID string
	FeedID    string
	Client    *engineclient.Client
	Logger    *zap.Logger
	// Report is called with nil, once, when a record is in the ledger, and with
	// an error when they can't be read however often they are asked for.
	Report func(error)
}

// feeder carries the feed of one ready engine to the ledger: archive, apply,
// acknowledge, in this order. It retries and never skips; the ledger keeps the
// cursor, so that a record counts once whoever dies in between.
type feeder struct {
	*Settler
	Feed

	advanced  bool // it was reported
	snapshots *snapshots
	pace      *rate.Limiter
}

// Follow carries a feed to the ledger until ctx ends.
func (s *Settler) Follow(ctx context.Context, feed Feed) {
	f := &feeder{Settler: s, Feed: feed, pace: rate.NewLimiter(feedRate, feedBurst)}
	f.snapshots = newSnapshots(f)
	var pulls sync.WaitGroup
	pulls.Go(func() { f.snapshots.run(ctx) })
	f.run(ctx)
	pulls.Wait()
}

// run works until ctx ends, or the feed is given up.
func (f *feeder) run(ctx context.Context) {
	wait, broken := feedRetry, 0
	for ctx.Err() == nil {
		progress, err := f.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		if progress {
			wait, broken = feedRetry, 0
		}
		if !errors.Is(err, engineclient.ErrContract) {
			broken = 0
		} else if broken++; broken == feedTries {
			f.Report(err)
			return
		}
		f.Feed.Logger.Warn("feed was interrupted", zap.Error(err))
		if clock.Sleep(ctx, f.Clock, wait) != nil {
			return
		}
		wait = min(2*wait, feedRetryMax)
	}
}

// follow reads the feed from the ledger's cursor until something fails, and
// reports whether anything was delivered.
func (f *feeder) follow(ctx context.Context) (progress bool, err error) {
	cursor, err := f.Ledger.FeedCursor(ctx, f.ProjectID, f.FeedID)
	if err != nil {
		return false, fmt.Errorf("asking for feed cursor: %w", err)
	}
	if cursor > 0 {
		// The last acknowledgement may not have arrived. An empty batch asks
		// for the verdict once more.
		if err := f.apply(ctx, nil, cursor); err != nil {
			return false, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	feed, err := f.Client.Feed(ctx, f.FeedID, cursor)
	if err != nil {
		return false, err
	}
	defer feed.Close()
	records := make(chan pulled, feedAhead)
	var ended error // set before records is closed
	go func() {
		defer close(records)
		for {
			rec, err := feed.Next()
			if err != nil {
				ended = err
				return
			}
			select {
			case records <- pulled{rec, feed.Bytes()}:
			case <-ctx.Done():
				ended = ctx.Err()
				return
			}
		}
	}()
	for first := range records {
		batch := gather(first, records)
		if err := f.keepPace(ctx, len(batch)); err != nil {
			return progress, err
		}
		if err := f.deliver(ctx, batch); err != nil {
			return progress, err
		}
		progress = true
	}
	return progress, fmt.Errorf("following feed: %w", ended)
}

// keepPace waits until so many more records may be delivered.
func (f *feeder) keepPace(ctx context.Context, records int) error {
	now := f.Clock.Now()
	wait := f.pace.ReserveN(now, records).DelayFrom(now)
	if wait <= 0 {
		return nil
	}
	return clock.Sleep(ctx, f.Clock, wait)
}

// pulled is a record with its size in the feed.
type pulled struct {
	contract.FeedRecord
	bytes int
}

// gather takes what is there already and waits for nothing. A batch has a
// bounded size: an engine may fill its records, and the ledger takes no call
// that is too large, however often it is made.
func gather(first pulled, more <-chan pulled) []contract.FeedRecord {
	batch, size := []contract.FeedRecord{first.FeedRecord}, first.bytes
	for len(batch) < feedBatch && size < feedBytes {
		select {
		case p, ok := <-more:
			if !ok {
				return batch
			}
			batch, size = append(batch, p.FeedRecord), size+p.bytes
		default:
			return batch
		}
	}
	return batch
}

// deliver archives the jobs that have ended, has their calls to models charged,
// and then applies the records. What came before an end is applied before that
// is archived: the job may not have been the engine's to end.
func (f *feeder) deliver(ctx context.Context, batch []contract.FeedRecord) error {
	begin := 0
	var open []contract.OpenJob // of the project, listed once it matters
	for i := range batch {
		rec := &batch[i]
		f.snapshots.saw(*rec)
		if rec.Kind != contract.FeedEnded {
			continue
		}
		if begin < i {
			if err := f.apply(ctx, batch[begin:i], batch[i-1].Seq); err != nil {
				return err
			}
			begin = i
		}
		// An engine may claim any job to be its own: only the ledger knows
		// whose it is, and nothing is archived under another project's job. A
		// job in the feed was counted before its engine heard of it.
		if open == nil {
			var err error
			if open, err = f.openJobs(ctx); err != nil {
				return err
			}
		}
		if find(open, rec.JobID) == nil {
			continue
		}
		if err := f.keep(ctx, rec); err != nil {
			return err
		}
		if err := f.endCalls(ctx, f.ProjectID, rec.JobID); err != nil {
			return err
		}
	}
	return f.apply(ctx, batch[begin:], batch[len(batch)-1].Seq)
}

// openJobs returns the project's unfinished jobs; never nil without an error.
func (f *feeder) openJobs(ctx context.Context) ([]contract.OpenJob, error) {
	jobs, err := f.Ledger.OpenJobs(ctx, f.ProjectID)
	if err != nil {
		return nil, fmt.Errorf("asking for unfinished jobs: %w", err)
	}
	return append([]contract.OpenJob{}, jobs...), nil
}

// find returns the job with this id, or nil.
func find(jobs []contract.OpenJob, jobID string) *contract.OpenJob {
	for i := range jobs {
		if jobs[i].JobID == jobID {
			return &jobs[i]
		}
	}
	return nil
}

// keep pulls an ended job into the archive. A job whose result is not what
// the contract demands ends as failed: pulling it again would not help, and
// its slot must come free.
func (f *feeder) keep(ctx context.Context, rec *contract.FeedRecord) error {
	kept, err := f.Archive.Put(ctx, rec.JobID, f.Client.Job(rec.JobID))
	if errors.Is(err, archive.ErrRefused) {
		f.Feed.Logger.Error("engine's result was refused", zap.String("job", rec.JobID), zap.Error(err))
		kept, err = f.Archive.PutEnd(engineproxy.Failure(*rec.Record, api.FailureInternal, notKept, rec.At))
	}
	if err != nil {
		return fmt.Errorf("archiving job: %w", err)
	}
	f.Archived.WithLabelValues(Kept).Inc()
	rec.Record = &kept
	return nil
}

// apply hands records up to seq to the ledger and acknowledges them.
func (f *feeder) apply(ctx context.Context, records []contract.FeedRecord, seq uint64) error {
	verdict, err := f.applyUnbroken(ctx, records)
	if err != nil {
		return err
	}
	if verdict.Cursor < seq {
		return fmt.Errorf("applying feed: the ledger is at record %d of %d", verdict.Cursor, seq)
	}
	if len(records) > 0 && !f.advanced {
		f.advanced = true
		f.Report(nil)
	}
	ack := contract.Ack{FeedID: f.FeedID, Seq: seq, Stop: verdict.Stop}
	if err := clock.Do(ctx, f.Clock, engineclient.QuickCall, func(ctx context.Context) error { return f.Client.Ack(ctx, ack) }); err != nil {
		return fmt.Errorf("acknowledging feed: %w", err)
	}
	return nil
}

// applyUnbroken applies records. A job whose record breaks the contract is ended
// without its engine, which hears of it by the verdict; what comes after the
// record counts as ever.
func (f *feeder) applyUnbroken(ctx context.Context, records []contract.FeedRecord) (contract.FeedVerdict, error) {
	var stop []contract.Stop
	for {
		verdict, err := f.Ledger.ApplyFeed(ctx, contract.FeedBatch{
			ProjectID: f.ProjectID, FeedID: f.FeedID, Records: records,
		})
		if err != nil {
			return verdict, fmt.Errorf("applying feed: %w", err)
		}
		b := verdict.Breach
		if b == nil {
			verdict.Stop = append(verdict.Stop, stop...)
			return verdict, nil
		}
		if slices.ContainsFunc(stop, func(s contract.Stop) bool { return s.JobID == b.JobID }) {
			return verdict, fmt.Errorf("applying feed: job %s was ended and breaks the contract again: %s", b.JobID, b.Reason)
		}
		if err := f.endBroken(ctx, *b); err != nil {
			return verdict, err
		}
		stop = append(stop, contract.Stop{JobID: b.JobID, Code: api.FailureInternal})
	}
}

// endBroken ends a job whose engine breaks the contract.
func (f *feeder) endBroken(ctx context.Context, b contract.Breach) error {
	f.Feed.Logger.Error("engine breaks the contract; its job is ended", zap.String("job", b.JobID), zap.String("reason", b.Reason))
	f.Breaches.Inc()
	open, err := f.openJobs(ctx)
	if err != nil {
		return err
	}
	j := find(open, b.JobID)
	if j == nil {
		return nil // it has ended meanwhile
	}
	return f.GiveUp(ctx, *j, api.FailureInternal, brokeContract)
}
