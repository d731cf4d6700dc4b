package fleet

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
)

var (
	errDown     = errors.New("the ledger is down")
	errNotOwner = errors.New("another installation has the engines")
)

// fakeLedger keeps in memory what a ledger keeps.
type fakeLedger struct {
	mu        sync.Mutex
	down      bool
	open      map[string]contract.OpenJob
	cursors   map[string]uint64
	applied   []contract.FeedRecord
	stop      []contract.Stop // of every verdict
	resolved  map[string]contract.FenceVerdict
	ended     map[string]contract.JobRecord
	unpriced  []string
	expired   time.Time // before which jobs were to be forgotten
	published []string  // jobs
	onApply   func(contract.FeedRecord)
	breach    func(contract.FeedRecord) string // why a record breaks the contract; "" if it does not
	owner     contract.Installation            // of the engines
	deleted   []string                         // projects that it has marks of
	deaf      bool                             // it does not hear what was forgotten
}

func newFakeLedger() *fakeLedger {
	return &fakeLedger{
		open: map[string]contract.OpenJob{}, cursors: map[string]uint64{},
		resolved: map[string]contract.FenceVerdict{}, ended: map[string]contract.JobRecord{},
	}
}

func (l *fakeLedger) FeedCursor(_ context.Context, _, feedID string) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return 0, errDown
	}
	return l.cursors[feedID], nil
}

func (l *fakeLedger) ApplyFeed(_ context.Context, b contract.FeedBatch) (contract.FeedVerdict, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return contract.FeedVerdict{}, errDown
	}
	for _, rec := range b.Records {
		if rec.Seq <= l.cursors[b.FeedID] {
			continue
		}
		if _, open := l.open[rec.JobID]; open && l.breach != nil && l.breach(rec) != "" {
			return contract.FeedVerdict{
				Cursor: l.cursors[b.FeedID], Breach: &contract.Breach{JobID: rec.JobID, Reason: l.breach(rec)},
			}, nil
		}
		if l.onApply != nil {
			l.onApply(rec)
		}
		l.applied = append(l.applied, rec)
		l.cursors[b.FeedID] = rec.Seq
		if rec.Kind == contract.FeedEnded {
			delete(l.open, rec.JobID)
		}
	}
	return contract.FeedVerdict{Cursor: l.cursors[b.FeedID], Stop: l.stop}, nil
}

func (l *fakeLedger) Claim(_ context.Context, who contract.Installation) (contract.Installation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return contract.Installation{}, errDown
	}
	if l.owner.ID == "" {
		l.owner = who
	}
	return l.owner, nil
}

func (l *fakeLedger) OpenJobs(_ context.Context, projectID string) ([]contract.OpenJob, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return nil, errDown
	}
	var out []contract.OpenJob
	for _, j := range l.open {
		if projectID == "" || j.ProjectID == projectID {
			out = append(out, j)
		}
	}
	return out, nil
}

func (l *fakeLedger) Resolve(_ context.Context, jobID string, v contract.FenceVerdict) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resolved[jobID] = v
	delete(l.open, jobID)
	return nil
}

func (l *fakeLedger) EndJob(_ context.Context, r contract.JobRecord) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended[r.JobID] = r
	delete(l.open, r.JobID)
	return nil
}

func (l *fakeLedger) Expire(_ context.Context, before time.Time) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return 0, errDown
	}
	l.expired = before
	return 0, nil
}

func (l *fakeLedger) PublishedJobs(context.Context) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.published), nil
}

func (l *fakeLedger) DeletedProjects(_ context.Context, installationID string) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return nil, errDown
	}
	if installationID != l.owner.ID {
		return nil, errNotOwner
	}
	return slices.Clone(l.deleted), nil
}

func (l *fakeLedger) ProjectsForgotten(_ context.Context, installationID string, projectIDs []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down || l.deaf {
		return errDown
	}
	if installationID != l.owner.ID {
		return errNotOwner
	}
	l.deleted = slices.DeleteFunc(l.deleted, func(id string) bool { return slices.Contains(projectIDs, id) })
	return nil
}

func (l *fakeLedger) GrantCall(context.Context, string) (contract.CallGrant, error) {
	return contract.CallGrant{}, nil
}

func (l *fakeLedger) ChargeCall(context.Context, contract.Call) error { return nil }

func (l *fakeLedger) Prices(context.Context, []string) (map[string]api.TIK, error) { return nil, nil }

func (l *fakeLedger) Unpriced(context.Context, []string) ([]string, error) { return l.unpriced, nil }

// commit notes that the engine accepted a job, unless that is over already.
func (l *fakeLedger) commit(jobID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if job, ok := l.open[jobID]; ok {
		job.Reserved = false
		l.open[jobID] = job
	}
}

func (l *fakeLedger) with(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// delete is a deletion in the ledger alone: nobody has called Forget.
func (l *fakeLedger) delete(projectIDs ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deleted = append(l.deleted, projectIDs...)
}

// marks returns the deleted projects that are not forgotten.
func (l *fakeLedger) marks() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.deleted)
}

// count returns how many records were applied.
func (l *fakeLedger) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.applied)
}

var _ engineproxy.Ledger = (*fakeLedger)(nil)
