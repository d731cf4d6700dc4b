package cache

import (
	"context"
	"errors"
	"hash/maphash"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
)

// foundKey is what a look-up of a key found.
type foundKey struct {
	*keyEntry

	began   time.Time
	unknown error // no one has it
}

// lookUpKey asks the sidecar until the answer stands.
func (c *Cache) lookUpKey(ctx context.Context, hash mint.KeyHash) (foundKey, error) {
	for range maxReads {
		began, since := time.Now(), c.epochs.now()
		identity, err := c.Service.Authenticate(ctx, hash)
		if errors.Is(err, sidecar.ErrUnknownKey) {
			return foundKey{keyEntry: &keyEntry{identity: identity}, unknown: err}, nil
		}
		if err != nil {
			return foundKey{}, err
		}
		if !c.usable(identity.KeyID, since, began) {
			continue
		}
		reach := c.learn(ctx, identity.Decision.Reads)
		place := c.place(placeOf(hash), reach)
		fill := &keyEntry{reach: reach, hash: hash, identity: identity, since: since, until: began.Add(c.lifeOf(reach))}
		if e, ok := c.keys.get(place); ok && e.hash == hash && same(e.reach, reach) && e.until.After(fill.until) {
			if e.identity.Decision.Allow || !identity.Decision.Allow {
				return foundKey{keyEntry: fill, began: began}, nil
			}
			continue // a slow fill must not bring back a key that a later one found revoked
		}
		c.keys.set(place, fill) // a refusal, too: what was allowed before falls, and what is slow is held back
		if !identity.Decision.Allow {
			c.keys.refuse(place, fill)
		}
		return foundKey{keyEntry: fill, began: began}, nil
	}
	return foundKey{}, errOvertaken
}

// foundKeyStands reports whether what was found for another request is so for one that comes
// now, as if it were found in memory.
func (c *Cache) foundKeyStands(found foundKey) bool {
	return found.unknown != nil || c.keyStands(found.keyEntry, time.Now()) && c.usable(found.identity.KeyID, found.since, found.began)
}

// foundDecision is a decision that the sidecar was asked for.
type foundDecision struct {
	*decisionEntry

	began time.Time
}

// lookUpDecision asks the sidecar until the answer stands.
func (c *Cache) lookUpDecision(ctx context.Context, asked question) (foundDecision, error) {
	for range maxReads {
		began, since, sinceProject := time.Now(), c.epochs.now(), c.projects.now()
		d, err := c.Service.Decide(ctx, asked.keyID, asked.projectID, asked.action)
		if err != nil {
			return foundDecision{}, err
		}
		if !c.usable(asked.keyID, since, began) {
			continue
		}
		reach := c.learn(ctx, d.Reads)
		e := &decisionEntry{reach: reach, of: asked, decision: d, since: since, sinceProject: sinceProject, until: began.Add(c.lifeOf(reach))}
		place := c.place(maphash.Comparable(c.seed, asked), reach)
		if d.Allow {
			c.decisions.set(place, e)
		} else {
			c.decisions.refuse(place, e)
		}
		return foundDecision{e, began}, nil
	}
	return foundDecision{}, errOvertaken
}

// foundDecisionStands is as foundKeyStands.
func (c *Cache) foundDecisionStands(found foundDecision) bool {
	return c.decisionStands(found.decisionEntry, time.Now()) && c.usable(found.of.keyID, found.since, found.began)
}

// foundJob is what a look-up of a job found.
type foundJob struct {
	*jobEntry

	began   time.Time
	unknown error // there is none
}

// lookUpJob asks the sidecar for a job. Its record may be older than what has changed
// meanwhile; then it is nobody else's.
func (c *Cache) lookUpJob(ctx context.Context, at uint64, jobID string) (foundJob, error) {
	began, since := time.Now(), c.jobs.epochs.now()
	job, err := c.Service.Job(ctx, jobID)
	if errors.Is(err, sidecar.ErrUnknownJob) {
		return foundJob{jobEntry: new(jobEntry), unknown: err}, nil
	}
	if err != nil {
		return foundJob{}, err
	}
	if job.Encoded, err = answers.EncodeJob(job.Job); err != nil {
		return foundJob{}, err
	}
	e := &jobEntry{job: job, since: since, until: began.Add(c.jobs.lifeOf(job))}
	c.jobs.records.set(at, e)
	return foundJob{jobEntry: e, began: began}, nil
}

// foundJobStands is as foundKeyStands.
func (c *Cache) foundJobStands(found foundJob) bool {
	now := time.Now()
	return found.unknown != nil || c.recordStands(found.jobEntry, now) && (c.lease.holds(now) || now.Sub(found.began) < c.opts.Lease)
}
