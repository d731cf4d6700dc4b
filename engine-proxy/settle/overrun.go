package settle

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// heldTooLong is the message of a job that its engine did not end, for the
// client's eyes.
const heldTooLong = "The project's engine did not end the job in time."

// Overrun measures for how long a ready engine has had accepted jobs and ended
// none of them. An engine bounds its jobs itself; one that does not would hold
// its owner's slots for ever. Only time counts in which the ledger, too, could
// be asked: without it no engine can end a job.
type Overrun struct {
	jobs   map[string]bool // accepted and not ended at the last look
	at     time.Time       // of the last look at a ready engine; zero when it was not ready
	worked time.Duration   // since a job has ended
}

// Look takes the unfinished jobs and returns how long none has ended. No
// more than gap is counted for the time since the last look.
func (o *Overrun) Look(now time.Time, ready bool, jobs []contract.OpenJob, gap time.Duration) time.Duration {
	accepted := make(map[string]bool, len(jobs))
	for _, j := range jobs {
		if !j.Reserved {
			accepted[j.JobID] = true
		}
	}
	ended := len(o.jobs) == 0
	for id := range o.jobs {
		ended = ended || !accepted[id]
	}
	switch {
	case ended:
		o.worked = 0
	case ready && !o.at.IsZero():
		o.worked += min(now.Sub(o.at), gap)
	}
	o.jobs, o.at = accepted, time.Time{}
	if ready {
		o.at = now
	}
	return o.worked
}

// Working returns the job that an engine works on, as far as is known, or nil.
func Working(jobs []contract.OpenJob) *contract.OpenJob {
	accepted := slices.DeleteFunc(slices.Clone(jobs), func(j contract.OpenJob) bool { return j.Reserved })
	if len(accepted) == 0 {
		return nil
	}
	j := slices.MinFunc(accepted, func(a, b contract.OpenJob) int {
		runs := func(j contract.OpenJob) int {
			if j.Record.Status == api.JobRunning {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(runs(a), runs(b)), cmp.Compare(a.JobID, b.JobID))
	})
	return &j
}

// EndOverdue asks the engine to end an overdue job, or, when final, ends it without
// the engine. feedID is the engine's feed.
func (s *Settler) EndOverdue(ctx context.Context, client *engineclient.Client, feedID string, j contract.OpenJob, final bool) error {
	if final {
		return s.GiveUp(ctx, j, api.FailureTimeout, heldTooLong)
	}
	// Another acknowledgement of what is applied already carries the order.
	cursor, err := s.Ledger.FeedCursor(ctx, j.ProjectID, feedID)
	if err != nil {
		return fmt.Errorf("asking for feed cursor: %w", err)
	}
	ack := contract.Ack{FeedID: feedID, Seq: cursor, Stop: []contract.Stop{{JobID: j.JobID, Code: api.FailureTimeout}}}
	return clock.Do(ctx, s.Clock, engineclient.QuickCall, func(ctx context.Context) error { return client.Ack(ctx, ack) })
}
