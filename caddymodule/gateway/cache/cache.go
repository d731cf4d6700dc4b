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
//   - Bounded life. No entry is older than half a minute, nor, where the policy reads
//     the time, than a second.
//
// No request is refused from memory: each refusal is a decision, which the policy's log
// has.
//
// Where the policy reads other facts about requests, an entry is for those that have
// the same ones.
//
// Ristretto's own Del plays no part: its Set is buffered and may come late.
package cache

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/ristretto/v2"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// Defaults of Options.
const (
	DefaultLease        = 500 * time.Millisecond
	DefaultPoll         = 250 * time.Millisecond
	DefaultLife         = 30 * time.Second
	DefaultMaxEntries   = 100_000
	maxReads            = 3 // of one look-up that invalidations keep overtaking
	countersPerEntry    = 10
	ristrettoBufferSize = 64
)

// errOvertaken is the error of a look-up that no answer was fresh enough for.
var errOvertaken = errors.New("the key changed while it was looked up")

// Options of New; zero fields get their defaults.
type Options struct {
	// Lease is the longest a revocation may go unnoticed; Poll how often the
	// log is read without a hint. Poll must be well below Lease.
	Lease, Poll time.Duration
	// Life bounds an entry's age.
	Life time.Duration
	// MaxEntries bounds keys, decisions and jobs together.
	MaxEntries int64
	// OnChange is told which keys changed, after their entries ceased to stand.
	OnChange func(keyIDs []string)
	// OnBasis is told that the rules changed, or what they rest on, after all
	// entries ceased to stand. It must not wait.
	OnBasis func()
	// Request returns what the policy may know of the request that a call is for. It is
	// asked where the policy reads some of it; nil: nothing is known of any.
	Request func(context.Context) peer.Request
	Logger  *zap.Logger
}

// Cache is a sidecar.Service that answers Authenticate, Decide and Job from
// memory where it may. It is safe for concurrent use.
type Cache struct {
	sidecar.Service

	opts      Options
	seed      maphash.Seed
	entries   *ristretto.Cache[uint64, any]
	keys      entriesOf[*keyEntry]
	decisions entriesOf[*decisionEntry]
	identify  turns[foundKey]
	decide    turns[foundDecision]
	epochs    *epochs
	jobs      *jobs
	lease     *lease
	log       *follower
	reads     atomic.Uint32 // what the last answer's policy read of its request

	deleting sync.Mutex // serializes invalidations of projects
	projects *epochs
}

// Entries repeat what they were looked up by: ristretto knows them by 64 bits of it.
type keyEntry struct {
	reach    *sidecar.Reach // nil: all requests
	hash     mint.KeyHash
	identity sidecar.Identity
	since    uint64
	until    time.Time
}

type decisionEntry struct {
	reach        *sidecar.Reach // nil: all requests
	of           question
	decision     policy.Decision
	since        uint64
	sinceProject uint64 // as since, of the deletions of projects
	until        time.Time
}

// question is what a decision answers.
type question struct {
	keyID, projectID string
	action           policy.Action
}

// New returns a cache in front of a sidecar. Close ends it; the sidecar stays
// open.
func New(service sidecar.Service, o Options) (*Cache, error) {
	o.complete()
	c := &Cache{Service: service, opts: o, seed: maphash.MakeSeed(), epochs: newEpochs(), projects: newEpochs(), lease: newLease(o.Lease)}
	var err error
	if c.entries, err = ristretto.NewCache(&ristretto.Config[uint64, any]{
		NumCounters: o.MaxEntries * countersPerEntry, MaxCost: o.MaxEntries, BufferItems: ristrettoBufferSize, IgnoreInternalCost: true,
	}); err != nil {
		return nil, fmt.Errorf("making a cache: %w", err)
	}
	c.keys, c.decisions = entriesOf[*keyEntry]{c.entries}, entriesOf[*decisionEntry]{c.entries}
	c.jobs = newJobs(service, o, entriesOf[*jobEntry]{c.entries})
	c.log = follow(service, o, c.epochs, c.lease)
	return c, nil
}

func (o *Options) complete() {
	o.Lease = cmp.Or(o.Lease, DefaultLease)
	o.Poll = cmp.Or(o.Poll, DefaultPoll)
	o.Life = cmp.Or(o.Life, DefaultLife)
	o.MaxEntries = cmp.Or(o.MaxEntries, DefaultMaxEntries)
	if o.OnChange == nil {
		o.OnChange = func([]string) {}
	}
	if o.OnBasis == nil {
		o.OnBasis = func() {}
	}
	if o.Request == nil {
		o.Request = func(context.Context) peer.Request { return peer.Request{} }
	}
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
}

// entriesOf holds the entries of one kind in the store of all. What counts how often an entry is
// asked for takes 4 MiB of a store, however few it has.
type entriesOf[V any] struct {
	entries *ristretto.Cache[uint64, any]
}

// get returns the entry at a place, unless another kind has it.
func (s entriesOf[V]) get(at uint64) (V, bool) {
	found, _ := s.entries.Get(at)
	entry, ok := found.(V)
	return entry, ok
}

func (s entriesOf[V]) set(at uint64, entry V) { s.entries.Set(at, entry, 1) }

// refuse has an entry that refuses stand in the place of one that allows, also of one that
// waits to be stored: of two new ones for one place ristretto stores the first.
func (s entriesOf[V]) refuse(at uint64, entry V) {
	if _, ok := s.get(at); !ok {
		s.entries.Wait()
	}
	if _, ok := s.get(at); ok {
		s.set(at, entry)
	}
}

// Close ends the cache.
func (c *Cache) Close() {
	c.log.close()
	c.jobs.stop()
	c.entries.Close()
}

// Fresh reports whether the lease holds.
func (c *Cache) Fresh() bool { return c.lease.holds(time.Now()) }

// AwaitFresh returns once the lease holds, or ctx's error.
func (c *Cache) AwaitFresh(ctx context.Context) error { return c.lease.await(ctx) }

// Authenticate implements sidecar.Service. A refusal is asked for each time, so that each
// is the policy's and in its log; that of a key which no one has leaves nothing here.
func (c *Cache) Authenticate(ctx context.Context, hash mint.KeyHash) (sidecar.Identity, error) {
	reach, now := c.reachOf(ctx, c.lastReads()), time.Now()
	at := c.place(placeOf(hash), reach)
	if c.lease.holds(now) {
		if e, ok := c.keys.get(at); ok && e.allows(hash, reach) && c.keyStands(e, now) {
			return e.identity, nil
		}
	}
	look := func() (foundKey, error) { return c.lookUpKey(ctx, hash) }
	found, shared, err := c.identify.do(ctx, at, c.foundKeyStands, look)
	if shared && err == nil && !found.allows(hash, c.reachOf(ctx, found.identity.Decision.Reads)) {
		found, err = look() // a refusal is one of its own
	}
	if err != nil {
		return sidecar.Identity{}, err
	}
	return found.identity, found.unknown
}

// allows reports whether the entry lets a request of a reach in with a key.
func (e *keyEntry) allows(hash mint.KeyHash, reach *sidecar.Reach) bool {
	return e.identity.Decision.Allow && e.hash == hash && same(e.reach, reach)
}

func (c *Cache) keyStands(e *keyEntry, now time.Time) bool {
	return now.Before(e.until) && c.epochs.stands(shardOf(e.identity.KeyID), e.since)
}

// Decide implements sidecar.Service. A decision on a submission carries the
// usage of the moment and is never kept; nor is a refusal.
func (c *Cache) Decide(ctx context.Context, keyID, projectID string, action policy.Action) (policy.Decision, error) {
	if action == policy.ActionGenerate {
		return c.Service.Decide(ctx, keyID, projectID, action)
	}
	asked := question{keyID, projectID, action}
	reach, now := c.reachOf(ctx, c.lastReads()), time.Now()
	at := c.place(maphash.Comparable(c.seed, asked), reach)
	if c.lease.holds(now) {
		if e, ok := c.decisions.get(at); ok && e.allows(asked, reach) && c.decisionStands(e, now) {
			return e.decision, nil
		}
	}
	look := func() (foundDecision, error) { return c.lookUpDecision(ctx, asked) }
	found, shared, err := c.decide.do(ctx, at, c.foundDecisionStands, look)
	if shared && err == nil && !found.allows(asked, c.reachOf(ctx, found.decision.Reads)) {
		found, err = look() // a refusal is one of its own
	}
	if err != nil {
		return policy.Decision{}, err
	}
	return found.decision, nil
}

// allows reports whether the entry allows what a request of a reach asks.
func (e *decisionEntry) allows(asked question, reach *sidecar.Reach) bool {
	return e.decision.Allow && e.of == asked && same(e.reach, reach)
}

func (c *Cache) decisionStands(e *decisionEntry, now time.Time) bool {
	return now.Before(e.until) && c.epochs.stands(shardOf(e.of.keyID), e.since) && c.projects.stands(shardOf(e.of.projectID), e.sinceProject)
}

// placeOf is where the store has a key's entry that is for all requests.
func placeOf(hash mint.KeyHash) uint64 { return binary.LittleEndian.Uint64(hash[:]) }

// Job implements sidecar.Service. Its record is the one that the last change
// left, or where others change jobs, one that was current within the lease.
func (c *Cache) Job(ctx context.Context, jobID string) (sidecar.Job, error) {
	now, at := time.Now(), maphash.String(c.seed, jobID)
	if c.lease.holds(now) {
		if e, ok := c.jobs.records.get(at); ok && e.job.JobID == jobID && c.recordStands(e, now) {
			return e.job, nil
		}
	}
	look := func() (foundJob, error) { return c.lookUpJob(ctx, at, jobID) }
	found, shared, err := c.jobs.look.do(ctx, at, c.foundJobStands, look)
	if shared && err == nil && (found.unknown != nil || found.job.JobID != jobID) {
		found, err = look() // it may have been made since
	}
	if err != nil {
		return sidecar.Job{}, err
	}
	return found.job, found.unknown
}

func (c *Cache) recordStands(e *jobEntry, now time.Time) bool {
	return now.Before(e.until) && c.jobs.epochs.stands(shardOf(e.job.JobID), e.since)
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
	return c.epochs.stands(shardOf(keyID), since) && (c.lease.holds(now) || now.Sub(began) < c.opts.Lease)
}

// Interface guards
var _ sidecar.Service = (*Cache)(nil)
