package cache

import (
	"context"
	"sync"
	"time"

	"github.com/svc-games/svc/sidecar"
)

// jobs mirrors the records of jobs, so that a status poll reads no store.
//
// Where the sidecar is told of every change, an entry stands until its job
// changes: whoever hears of a job's end finds it here. Where others change jobs
// too, on a shared store, an entry is used for at most the lease.
type jobs struct {
	records entriesOf[*jobEntry]
	life    time.Duration
	lease   time.Duration
	stop    func()
	look    turns[foundJob]

	mu     sync.Mutex // serializes invalidations
	epochs *epochs
}

type jobEntry struct {
	job   sidecar.Job
	since uint64
	until time.Time
}

func newJobs(service sidecar.Service, o Options, records entriesOf[*jobEntry]) *jobs {
	j := &jobs{records: records, life: o.Lease, lease: o.Lease, stop: func() {}, epochs: newEpochs()}
	if stop, complete := service.WatchJobs(j.forget); complete {
		j.life, j.stop = o.Life, stop
	}
	return j
}

// lifeOf is how long a record is used. Where a queued job stands is for others to
// change, whose changes are not announced as its own.
func (j *jobs) lifeOf(job sidecar.Job) time.Duration {
	if job.Queue != nil {
		return j.lease
	}
	return j.life
}

// forget ends an entry, and any that a look-up under way would make.
func (j *jobs) forget(jobID string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.epochs.invalidate(shardOf(jobID))
}

// forgetAll ends all entries.
func (j *jobs) forgetAll() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.epochs.invalidateAll()
}

// AwaitEnd implements sidecar.Service: what follows it finds the job ended.
func (c *Cache) AwaitEnd(ctx context.Context, jobID string) (sidecar.Job, error) {
	job, err := c.Service.AwaitEnd(ctx, jobID)
	c.jobs.forget(jobID)
	return job, err
}

// JobEnded is to be called by whoever hears that a job ended before he tells a
// client: on a shared store an older record may be mirrored.
func (c *Cache) JobEnded(jobID string) { c.jobs.forget(jobID) }

// DeleteProject implements sidecar.Service: its jobs are gone with it, and its
// owner's keys are told at once what they are told of a project that does not exist;
// behind other gateways when their decisions are too old. So it is also when no one
// can say whether it is deleted.
func (c *Cache) DeleteProject(ctx context.Context, projectID string) error {
	err := c.Service.DeleteProject(ctx, projectID)
	c.jobs.forgetAll()
	c.forgetProject(projectID)
	return err
}
