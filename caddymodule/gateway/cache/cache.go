// Package cache keeps what the sidecar said about keys, so that a check costs
// no round trip, and forgets it within half a second of a revocation, whatever
// is lost on the way.
//
// Three things keep a dead key from coming back:
//
//   - Epochs. An entry remembers the epoch at which its look-up began, and
//     stands only while nothing about its key was invalidated since. A change of
//     the policy or of projects' attributes invalidates all keys. A look-up
//     that was under way during the revocation comes too late to matter, and
//     is not even used itself.
//   - The lease. The cache is used only while its last contact with the
//     revocation log began less than 500 ms ago. Without contact each check
//     asks the sidecar, and fails when it can't.
//   - Bounded life. No entry is older than half a minute.
package cache

import (
	"context"
	"errors"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// Lease is the longest a revocation may go unnoticed.
const Lease = 500 * time.Millisecond

const (
	poll        = 250 * time.Millisecond // how often the log is read without a hint; well below Lease
	life        = 30 * time.Second       // of an entry at most
	unknownLife = 2 * time.Second        // of a key no one has
	maxEntries  = 100_000                // keys, decisions and jobs, each
	maxUnknown  = 10_000                 // keys no one has
	maxReads    = 3                      // of one look-up that invalidations keep overtaking
)

// errOvertaken is the error of a look-up that no answer was fresh enough for.
var errOvertaken = errors.New("the key changed while it was looked up")

// Options of New.
type Options struct {
	// OnChange is told which keys changed, after their entries ceased to stand;
	// nil: no one is.
	OnChange func(keyIDs []string)
	// OnBasis is told that the rules changed, or what they rest on, after all
	// entries ceased to stand; nil: no one is. It must not wait.
	OnBasis func()
	Logger  *zap.Logger // nil for none
}

// Cache is a sidecar.Service that answers Authenticate, Decide and Job from
// memory where it may. It is safe for concurrent use.
type Cache struct {
	sidecar.Service

	keys      *lru.Cache[api.KeyHash, *keyEntry]
	unknown   *lru.Cache[api.KeyHash, time.Time] // until when
	decisions *lru.Cache[question, *decisionEntry]
	epochs    *epochs
	jobs      *jobs
	lease     *lease
	log       *follower

	deleting sync.Mutex // serializes invalidations of projects
	projects *epochs
}

type keyEntry struct {
	identity sidecar.Identity
	since    uint64
	until    time.Time
}

// question is what a decision answers.
type question struct {
	keyID, projectID string
	action           policy.Action
}

type decisionEntry struct {
	decision     policy.Decision
	since        uint64
	sinceProject uint64 // as since, of the deletions of projects
	until        time.Time
}

// New returns a cache in front of a sidecar. Close ends it; the sidecar stays
// open.
func New(service sidecar.Service, o Options) *Cache {
	if o.OnChange == nil {
		o.OnChange = func([]string) {}
	}
	if o.OnBasis == nil {
		o.OnBasis = func() {}
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	c := &Cache{
		Service: service,
		keys:    newLRU[api.KeyHash, *keyEntry](maxEntries), unknown: newLRU[api.KeyHash, time.Time](maxUnknown),
		decisions: newLRU[question, *decisionEntry](maxEntries), jobs: newJobs(service),
		epochs: newEpochs(), projects: newEpochs(), lease: newLease(),
	}
	c.log = follow(service, o, c.epochs, c.lease)
	return c
}

func newLRU[K comparable, V any](size int) *lru.Cache[K, V] {
	cache, err := lru.New[K, V](size)
	if err != nil {
		panic(err) // a size that is not above 0
	}
	return cache
}

// Close ends the cache.
func (c *Cache) Close() {
	c.log.close()
	c.jobs.stop()
}

// Fresh reports whether the lease holds.
func (c *Cache) Fresh() bool { return c.lease.holds(time.Now()) }

// AwaitFresh returns once the lease holds, or ctx's error.
func (c *Cache) AwaitFresh(ctx context.Context) error { return c.lease.await(ctx) }

// Authenticate implements sidecar.Service.
func (c *Cache) Authenticate(ctx context.Context, hash api.KeyHash) (sidecar.Identity, error) {
	now := time.Now()
	if c.lease.holds(now) {
		if e, ok := c.keys.Get(hash); ok && now.Before(e.until) && c.epochs.stands(shardOf(e.identity.KeyID), e.since) {
			return e.identity, nil
		}
		if until, ok := c.unknown.Get(hash); ok && now.Before(until) {
			return sidecar.Identity{}, sidecar.ErrUnknownKey
		}
	}
	for range maxReads {
		began, since := time.Now(), c.epochs.now()
		identity, err := c.Service.Authenticate(ctx, hash)
		if errors.Is(err, sidecar.ErrUnknownKey) {
			c.unknown.Add(hash, began.Add(unknownLife))
			return identity, err
		}
		if err != nil {
			return sidecar.Identity{}, err
		}
		if c.usable(identity.KeyID, since, began) {
			c.keys.Add(hash, &keyEntry{identity: identity, since: since, until: began.Add(life)})
			return identity, nil
		}
	}
	return sidecar.Identity{}, errOvertaken
}

// Decide implements sidecar.Service. A decision on a submission carries the
// usage of the moment and is never kept; nor is a refusal.
func (c *Cache) Decide(ctx context.Context, keyID, projectID string, action policy.Action) (policy.Decision, error) {
	if action == policy.ActionGenerate {
		return c.Service.Decide(ctx, keyID, projectID, action)
	}
	asked := question{keyID, projectID, action}
	now := time.Now()
	if c.lease.holds(now) {
		if e, ok := c.decisions.Get(asked); ok && now.Before(e.until) &&
			c.epochs.stands(shardOf(keyID), e.since) && c.projects.stands(shardOf(projectID), e.sinceProject) {
			return e.decision, nil
		}
	}
	for range maxReads {
		began, since, sinceProject := time.Now(), c.epochs.now(), c.projects.now()
		d, err := c.Service.Decide(ctx, keyID, projectID, action)
		if err != nil {
			return policy.Decision{}, err
		}
		if !c.usable(keyID, since, began) {
			continue
		}
		if d.Allow {
			c.decisions.Add(asked, &decisionEntry{decision: d, since: since, sinceProject: sinceProject, until: began.Add(life)})
		}
		return d, nil
	}
	return policy.Decision{}, errOvertaken
}

// Job implements sidecar.Service. Its record is the one that the last change
// left, or where others change jobs, one that was current within the lease.
func (c *Cache) Job(ctx context.Context, jobID string) (sidecar.Job, error) {
	now := time.Now()
	if c.lease.holds(now) {
		if e, ok := c.jobs.records.Get(jobID); ok && now.Before(e.until) && c.jobs.epochs.stands(shardOf(jobID), e.since) {
			return e.job, nil
		}
	}
	since := c.jobs.epochs.now()
	job, err := c.Service.Job(ctx, jobID)
	if err != nil {
		return sidecar.Job{}, err
	}
	if job.Encoded, err = api.EncodeJob(job.Job); err != nil {
		return sidecar.Job{}, err
	}
	c.jobs.records.Add(jobID, &jobEntry{job: job, since: since, until: now.Add(c.jobs.life)})
	return job, nil
}

// forgetProject ends the decisions on a project, and any that a look-up under way
// would make.
func (c *Cache) forgetProject(projectID string) {
	c.deleting.Lock()
	defer c.deleting.Unlock()
	c.projects.invalidate(shardOf(projectID))
}

// usable reports whether an answer may be used that was asked for at began:
// nothing about its key was invalidated meanwhile, and if that could not be
// known, the answer is younger than the lease.
func (c *Cache) usable(keyID string, since uint64, began time.Time) bool {
	now := time.Now()
	return c.epochs.stands(shardOf(keyID), since) && (c.lease.holds(now) || now.Sub(began) < Lease)
}

// Interface guards
var _ sidecar.Service = (*Cache)(nil)
