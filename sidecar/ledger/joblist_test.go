package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

func TestQueuedJobSaysHowManyComeBeforeIt(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		var jobs []string
		for range 4 {
			jobs = append(jobs, f.accept(key))
			f.clock.Add(time.Second)
		}
		want := func(places ...string) {
			t.Helper()
			for i, id := range jobs {
				place := "none"
				if q := f.job(id).Queue; q != nil {
					place = fmt.Sprintf("%d after %d", q.Position, q.Ahead)
				}
				if place != places[i] {
					t.Errorf("job %d: %s, want %s", i, place, places[i])
				}
			}
		}
		want("1 after 0", "2 after 1", "3 after 2", "4 after 3")
		f.feed(f.started(jobs[0], ""))
		want("none", "1 after 1", "2 after 2", "3 after 3")
		f.feed(f.ended(jobs[2], api.JobCancelled)) // from the middle
		want("none", "1 after 1", "none", "2 after 2")
		f.feed(f.ended(jobs[0], api.JobCompleted))
		want("none", "1 after 0", "none", "2 after 1")
		f.must(f.ledger.Release(t.Context(), f.reserve(key)))
		want("none", "1 after 0", "none", "2 after 1")
	})
}

func TestJobsAreListedByProjectUserAndState(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		first := f.project
		a := []string{f.accept(key), f.accept(key), f.accept(key)}
		f.feed(f.ended(a[1], api.JobFailed))
		f.must(f.ledger.Release(t.Context(), f.reserve(key)))
		f.project = f.newProject()
		b := f.accept(key)
		slices.Sort(a)
		slices.Reverse(a)
		f.newKeyOf("bob", policy.Limits{})
		list := func(q sidecar.JobQuery) (ids []string) {
			t.Helper()
			for {
				page, err := f.ledger.Jobs(t.Context(), q)
				f.must(err)
				if len(page.Jobs) > q.Limit {
					t.Errorf("a page of %d", len(page.Jobs))
				}
				for _, job := range page.Jobs {
					ids = append(ids, job.JobID)
				}
				if page.Next == "" {
					return ids
				}
				q.Before = page.Next
			}
		}
		all := append(slices.Clone(a), b)
		slices.Sort(all)
		slices.Reverse(all)
		for limit := 1; limit < 6; limit++ {
			for name, tc := range map[string]struct {
				q    sidecar.JobQuery
				want []string
			}{
				"a project's":        {sidecar.JobQuery{ProjectID: first, UserID: "nobody"}, a},
				"a user's":           {sidecar.JobQuery{UserID: "alice"}, all},
				"another user's":     {sidecar.JobQuery{UserID: "bob"}, nil},
				"a user's failed":    {sidecar.JobQuery{UserID: "alice", Status: api.JobFailed}, []string{jobWith(f, all, api.JobFailed)}},
				"a project's failed": {sidecar.JobQuery{ProjectID: f.project, Status: api.JobFailed}, nil},
			} {
				tc.q.Limit = limit
				if got := list(tc.q); !slices.Equal(got, tc.want) {
					t.Errorf("%s by %d: %v, want %v", name, limit, got, tc.want)
				}
			}
		}
	})
}

// TestListsLeaveConnectionsToDecisions: a page of many jobs, or many pages, must not be
// what a decision waits for.
func TestListsLeaveConnectionsToDecisions(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		job := f.accept(f.newKey(policy.Limits{}))
		release := f.takeTurns()
		defer release()
		short := func() context.Context {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			t.Cleanup(cancel)
			return ctx
		}
		for name, list := range map[string]func() error{
			"jobs":     func() error { return second(f.ledger.Jobs(short(), sidecar.JobQuery{UserID: "alice", Limit: 20})) },
			"a page":   func() error { return second(f.ledger.ProjectJobs(short(), f.project, "")) },
			"projects": func() error { return second(f.catalog.Projects(short(), "alice", "", 20)) },
		} {
			if err := list(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v, want to wait for the other lists", name, err)
			}
		}
		if got := f.job(job); got.JobID != job {
			t.Errorf("a job is %+v", got)
		}
	})
}

// takeTurns has unhurried reads that last until release take all that such reads may
// have.
func (f *fixture) takeTurns() (release func()) {
	f.t.Helper()
	done := make(chan struct{})
	var all sync.WaitGroup
	for full := false; !full; {
		took, none := make(chan struct{}), make(chan error, 1)
		all.Go(func() {
			if err := f.store.View(store.Unhurried(f.t.Context()), func(*store.Reader) error {
				close(took)
				<-done
				return nil
			}); err != nil {
				none <- err
			}
		})
		select {
		case <-took:
		case err := <-none:
			if full = errors.Is(err, store.ErrBusy); !full {
				f.t.Fatal(err)
			}
		}
	}
	return func() {
		close(done)
		all.Wait()
	}
}

// jobWith returns the job in a state.
func jobWith(f *fixture, ids []string, status api.JobStatus) string {
	for _, id := range ids {
		if f.job(id).Status == status {
			return id
		}
	}
	return ""
}
