package cache

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar"
)

// jobOrigin is a sidecar with one job, whose record counts its changes.
type jobOrigin struct {
	*origin

	mu      sync.Mutex // guards the following fields
	seq     uint64
	gone    bool
	queued  bool
	looks   int
	changed func(string)
	hold    chan struct{} // non-nil: a look-up waits here with its answer in hand
}

func (o *jobOrigin) Job(_ context.Context, jobID string) (sidecar.Job, error) {
	o.mu.Lock()
	o.looks++
	job, gone, hold := sidecar.Job{Job: api.Job{JobID: jobID, LastEventID: o.seq}}, o.gone, o.hold
	if o.queued {
		job.Queue = &api.Queue{Position: 1}
	}
	o.mu.Unlock()
	if hold != nil {
		<-hold
	}
	if gone {
		return sidecar.Job{}, sidecar.ErrUnknownJob
	}
	return job, nil
}

func (o *jobOrigin) AwaitEnd(ctx context.Context, jobID string) (sidecar.Job, error) {
	return o.Job(ctx, jobID)
}

func (o *jobOrigin) DeleteProject(context.Context, string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gone = true
	return nil
}

// holds has the next look-ups wait with their answers in hand until let is called.
func (o *jobOrigin) holds() (let func()) {
	hold := make(chan struct{})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.hold = hold
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.hold = nil
		close(hold)
	}
}

// advance changes the job and tells whoever listens.
func (o *jobOrigin) advance() {
	o.mu.Lock()
	o.seq++
	changed := o.changed
	o.mu.Unlock()
	if changed != nil {
		changed("j")
	}
}

func (o *jobOrigin) lookUps() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.looks
}

// notifying is one that is notified of every change.
type notifying struct{ *jobOrigin }

func (o notifying) WatchJobs(changed func(string)) (func(), bool) {
	o.changed = changed
	return func() {}, true
}

// jobBubble runs a test with a cache of jobs on a fake clock.
func jobBubble(t *testing.T, wrap func(*jobOrigin) sidecar.Service, test func(t *testing.T, o *jobOrigin, c *Cache)) {
	synctest.Test(t, func(t *testing.T) {
		o := &jobOrigin{origin: newOrigin()}
		c, err := New(wrap(o), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		synctest.Wait() // the lease holds
		test(t, o, c)
	})
}

func notified(o *jobOrigin) sidecar.Service    { return notifying{o} }
func notNotified(o *jobOrigin) sidecar.Service { return o }

// wantSeq asks for the job and waits until what was cached can be found.
func wantSeq(t *testing.T, c *Cache, want uint64) {
	t.Helper()
	job, err := c.Job(t.Context(), "j")
	c.entries.Wait()
	if err != nil || job.LastEventID != want {
		t.Errorf("the record is at %d, %v; want %d", job.LastEventID, err, want)
	}
}

func TestAMirroredJobCostsNoLookUpUntilItChanges(t *testing.T) {
	jobBubble(t, notified, func(t *testing.T, o *jobOrigin, c *Cache) {
		for seq := range uint64(3) {
			for range 10 {
				wantSeq(t, c, seq)
				time.Sleep(time.Second)
				synctest.Wait()
			}
			o.advance()
		}
		if n := o.lookUps(); n != 3 {
			t.Errorf("the sidecar was asked %d times, want once for each record", n)
		}
	})
}

// TestWhereAQueuedJobStandsIsNeverOlderThanTheLease: others move it, and their changes
// are announced as theirs.
func TestWhereAQueuedJobStandsIsNeverOlderThanTheLease(t *testing.T) {
	jobBubble(t, notified, func(t *testing.T, o *jobOrigin, c *Cache) {
		o.queued = true
		wantSeq(t, c, 0)
		o.seq++ // as another job's end would
		time.Sleep(DefaultLease)
		wantSeq(t, c, 1)
	})
}

func TestAMirroredJobOfASharedStoreIsNeverOlderThanTheLease(t *testing.T) {
	jobBubble(t, notNotified, func(t *testing.T, o *jobOrigin, c *Cache) {
		wantSeq(t, c, 0)
		o.advance()
		time.Sleep(DefaultLease - time.Millisecond)
		wantSeq(t, c, 0)
		time.Sleep(time.Millisecond)
		wantSeq(t, c, 1)
	})
}

func TestALateFillCannotBringAnOldRecordBack(t *testing.T) {
	jobBubble(t, notified, func(t *testing.T, o *jobOrigin, c *Cache) {
		let := o.holds()
		filled := make(chan error, 1)
		go func() {
			_, err := c.Job(t.Context(), "j")
			filled <- err
		}()
		synctest.Wait() // the look-up has the old record in hand
		o.advance()
		let()
		if err := <-filled; err != nil {
			t.Fatal(err)
		}
		c.entries.Wait()
		wantSeq(t, c, 1)
	})
}

// TestManyWhoAskForAJobAtOnceAskTheSidecarOnce: also where nobody is told of changes. Who
// comes after a change that he may have heard of is not given what was so before.
func TestManyWhoAskForAJobAtOnceAskTheSidecarOnce(t *testing.T) {
	for name, wrap := range map[string]func(*jobOrigin) sidecar.Service{"notified": notified, "notNotified": notNotified} {
		t.Run(name, func(t *testing.T) {
			jobBubble(t, wrap, func(t *testing.T, o *jobOrigin, c *Cache) {
				let := o.holds()
				var all sync.WaitGroup
				ask := func(want uint64) {
					all.Go(func() {
						if job, err := c.Job(t.Context(), "j"); err != nil || job.LastEventID < want {
							t.Errorf("the record is at %d, %v; want %d at least", job.LastEventID, err, want)
						}
					})
				}
				for range 1000 {
					ask(0)
				}
				synctest.Wait()
				if n := o.lookUps(); n != 1 {
					t.Errorf("the sidecar was asked %d times, want once", n)
				}
				o.advance()
				c.JobEnded("j")
				for range 1000 {
					ask(1)
				}
				synctest.Wait()
				let()
				all.Wait()
				if n := o.lookUps(); n != 2 {
					t.Errorf("the sidecar was asked %d times, want once more after the change", n)
				}
			})
		})
	}
}

// TestThatAJobIsUnknownIsNotShared: it may have been made since.
func TestThatAJobIsUnknownIsNotShared(t *testing.T) {
	jobBubble(t, notified, func(t *testing.T, o *jobOrigin, c *Cache) {
		o.gone = true
		let := o.holds()
		first, second := make(chan error, 1), make(chan error, 1)
		ask := func(got chan<- error) {
			_, err := c.Job(t.Context(), "j")
			got <- err
		}
		go ask(first)
		synctest.Wait()
		go ask(second)
		synctest.Wait()
		o.mu.Lock()
		o.gone = false
		o.mu.Unlock()
		let()
		if err := <-first; !errors.Is(err, sidecar.ErrUnknownJob) {
			t.Errorf("the first gets %v", err)
		}
		if err := <-second; err != nil {
			t.Errorf("the second gets %v", err)
		}
	})
}

func TestWhoWaitedForAJobsEndFindsItEnded(t *testing.T) {
	jobBubble(t, notNotified, func(t *testing.T, o *jobOrigin, c *Cache) {
		wantSeq(t, c, 0)
		o.advance()
		if _, err := c.AwaitEnd(t.Context(), "j"); err != nil {
			t.Fatal(err)
		}
		wantSeq(t, c, 1)
	})
}

func TestAJobWhoseEndWasReportedIsFoundEnded(t *testing.T) {
	jobBubble(t, notNotified, func(t *testing.T, o *jobOrigin, c *Cache) {
		wantSeq(t, c, 0)
		o.advance()
		c.JobEnded("j")
		wantSeq(t, c, 1)
	})
}

func TestJobsOfADeletedProjectAreUnknownAtOnce(t *testing.T) {
	for name, wrap := range map[string]func(*jobOrigin) sidecar.Service{"notified": notified, "notNotified": notNotified} {
		t.Run(name, func(t *testing.T) {
			jobBubble(t, wrap, func(t *testing.T, o *jobOrigin, c *Cache) {
				wantSeq(t, c, 0)
				if err := c.DeleteProject(t.Context(), "p"); err != nil {
					t.Fatal(err)
				}
				if _, err := c.Job(t.Context(), "j"); !errors.Is(err, sidecar.ErrUnknownJob) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestAMirroredJobIsNotUsedWithoutContact(t *testing.T) {
	jobBubble(t, notified, func(t *testing.T, o *jobOrigin, c *Cache) {
		wantSeq(t, c, 0)
		o.set(func(o *origin) { o.down = true })
		time.Sleep(DefaultLease)
		wantSeq(t, c, 0)
		if n := o.lookUps(); n != 2 {
			t.Errorf("the sidecar was asked %d times, want again after the lease", n)
		}
	})
}
