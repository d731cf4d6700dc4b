package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// ErrFeedGap is returned, wrapped, for a batch that begins after the record
// that comes next: read the feed again from FeedCursor.
var ErrFeedGap = errors.New("feed records are missing")

// FeedCursor returns the last applied record of a project's feed, 0 for a feed
// that is new.
func (l *Ledger) FeedCursor(ctx context.Context, projectID, feedID string) (uint64, error) {
	return store.Read(ctx, l.store, func(r *store.Reader) (uint64, error) { return readCursor(r, projectID, feedID) })
}

// ApplyFeed applies the records above the cursor, in one transaction with it,
// and says which jobs must stop. Records at or below the cursor change nothing,
// but count for the verdict: the one they had may have been lost. A batch
// without records asks for that verdict alone. A record that breaks the contract
// ends the batch before it, until its job has ended; then it counts for nothing.
func (l *Ledger) ApplyFeed(ctx context.Context, b contract.FeedBatch) (contract.FeedVerdict, error) {
	if err := checkBatch(b); err != nil {
		return contract.FeedVerdict{}, fmt.Errorf("applying the feed of project %s: %w", b.ProjectID, err)
	}
	defer l.metrics.timed(opFeed, time.Now())
	var a *applying
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(l.now)
		if err != nil {
			return err
		}
		a = &applying{
			tx: tx, prices: *l.prices.Load(), now: now, projectID: b.ProjectID, feedID: b.FeedID,
			jobs: make(map[string]*jobRow), stop: make(map[string]api.FailureCode),
		}
		return a.batch(b.Records)
	})
	if err != nil {
		return contract.FeedVerdict{}, fmt.Errorf("applying the feed of project %s: %w", b.ProjectID, err)
	}
	l.metrics.charge(forSteps, a.charged)
	for _, e := range a.ended {
		l.metrics.end(e)
	}
	for jobID := range a.jobs {
		l.changed(jobID, slices.ContainsFunc(a.ended, func(e ending) bool { return e.jobID == jobID }))
	}
	for _, jobID := range a.unadmitted {
		l.metrics.unadmitted.Inc()
		l.logger.Warn("feed reports a job that was not admitted",
			zap.String("project_id", b.ProjectID), zap.String("job_id", jobID))
	}
	return contract.FeedVerdict{Cursor: a.cursor, Stop: a.stops(), Breach: a.breach}, nil
}

// checkBatch refuses a batch that no engine that keeps the contract can make.
func checkBatch(b contract.FeedBatch) error {
	if b.ProjectID == "" || b.FeedID == "" {
		return errors.New("the batch names no project or no feed")
	}
	if b.FeedID == egressFeed {
		return fmt.Errorf("the feed can't be called %q", egressFeed)
	}
	for i, r := range b.Records {
		if r.FeedID != b.FeedID {
			return fmt.Errorf("record %d is of feed %q, the batch of %q", r.Seq, r.FeedID, b.FeedID)
		}
		if r.Seq == 0 || i > 0 && r.Seq != b.Records[i-1].Seq+1 {
			return fmt.Errorf("record %d is out of order: %w", r.Seq, ErrFeedGap)
		}
		var err error
		switch r.Kind {
		case contract.FeedStarted, contract.FeedProgress:
			err = checkRecord(r.JobID, r.Record, false)
		case contract.FeedEnded:
			err = checkRecord(r.JobID, r.Record, true)
		case contract.FeedUsage:
		default:
			err = fmt.Errorf("unknown kind %q", r.Kind)
		}
		if err != nil {
			return fmt.Errorf("record %d: %w", r.Seq, err)
		}
	}
	return nil
}

// batch applies records and moves the cursor.
func (a *applying) batch(records []contract.FeedRecord) error {
	if err := a.lock(records); err != nil {
		return err
	}
	var err error
	if a.cursor, err = readCursor(&a.tx.Reader, a.projectID, a.feedID); err != nil {
		return err
	}
	if len(records) == 0 {
		return a.stopExhausted()
	}
	if first := records[0].Seq; first > a.cursor+1 {
		return fmt.Errorf("record %d follows %d: %w", first, a.cursor, ErrFeedGap)
	}
	for _, r := range records {
		err := a.record(r)
		if b, ok := errors.AsType[*breach](err); ok {
			a.breach = &contract.Breach{JobID: r.JobID, Reason: fmt.Sprintf("record %d: %s", r.Seq, b.reason)}
			break
		}
		if err != nil {
			return fmt.Errorf("record %d: %w", r.Seq, err)
		}
		a.cursor = max(a.cursor, r.Seq)
	}
	_, err = a.tx.Exec(`INSERT INTO feed_cursor (project_id, feed_id, seq) VALUES (?, ?, ?)
		ON CONFLICT (project_id, feed_id) DO UPDATE
		SET seq = CASE WHEN feed_cursor.seq < excluded.seq THEN excluded.seq ELSE feed_cursor.seq END`,
		a.projectID, a.feedID, int64(a.cursor))
	return err
}

// lock keeps other readers of the same feed waiting, and then whoever else moves
// the jobs of the batch.
func (a *applying) lock(records []contract.FeedRecord) error {
	if err := a.tx.Lock("SELECT seq FROM feed_cursor WHERE project_id = ? AND feed_id = ?", a.projectID, a.feedID); err != nil {
		return err
	}
	jobIDs := make([]string, len(records))
	for i, r := range records {
		jobIDs[i] = r.JobID
	}
	slices.Sort(jobIDs)
	jobIDs = slices.Compact(jobIDs)
	var err error
	a.keys, err = lockKeys(a.tx, jobIDs...)
	return err
}

// readCursor returns a feed's cursor.
func readCursor(r *store.Reader, projectID, feedID string) (uint64, error) {
	var seq int64
	err := r.Row("SELECT seq FROM feed_cursor WHERE project_id = ? AND feed_id = ?", projectID, feedID).Scan(&seq)
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return 0, fmt.Errorf("reading the cursor of feed %s: %w", feedID, err)
	}
	return uint64(seq), nil
}

// stops lists the verdict, in the order of job ids.
func (a *applying) stops() []contract.Stop {
	var list []contract.Stop
	for jobID, code := range a.stop {
		list = append(list, contract.Stop{JobID: jobID, Code: code})
	}
	slices.SortFunc(list, func(x, y contract.Stop) int { return cmp.Compare(x.JobID, y.JobID) })
	return list
}

// job returns a job that this project's engine may report about, or nil: an
// engine is not trusted with jobs of others, and a released row has no job.
func (a *applying) job(jobID string) (*jobRow, error) {
	if job, seen := a.jobs[jobID]; seen {
		return job, nil
	}
	job, err := loadJob(a.tx, jobID)
	if err != nil && !errors.Is(err, sidecar.ErrUnknownJob) {
		return nil, err
	}
	if job != nil && !a.keys[job.keyID] {
		return nil, errReserved
	}
	if job != nil && (job.projectID != a.projectID || job.state == stateReleased) {
		job = nil
	}
	a.jobs[jobID] = job
	return job, nil
}
