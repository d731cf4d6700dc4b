package projects_test

import (
	"errors"
	"testing"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

const (
	jobDone    = "job_01J0000000000000000000000A"
	jobFailed  = "job_01J0000000000000000000000B"
	jobRunning = "job_01J0000000000000000000000C"
	jobNext    = "job_01J0000000000000000000000D"
)

// withJobs runs a test on a project that has jobs of every kind, and another one that has none.
func withJobs(t *testing.T, test func(t *testing.T, c *projects.Catalog, project, other string)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		c := catalog(t, s)
		project, other := create(t, c, "alice", "pong").ID, create(t, c, "bob", "snake").ID
		err := s.Update(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.Exec(`INSERT INTO keys (id, user_id, hash, masked, name, state, version, running, clock, created_at)
				VALUES ('key_1', 'alice', ?, 'sk-ab****cdef', 'ci', 'active', 1, 0, 0, 1)`, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"); err != nil {
				return err
			}
			for id, status := range map[string]string{jobDone: "completed", jobNext: "completed", jobFailed: "failed", jobRunning: "running"} {
				state, resolved := "settled", any(5)
				if status == "running" {
					state, resolved = "active", nil
				}
				if _, err := tx.Exec(`INSERT INTO jobs (id, key_id, project_id, state, status, record, next_step, tik_spent, day, month, created_at, deadline_at, resolved_at)
					VALUES (?, 'key_1', ?, ?, ?, '{}', '', 0, 'd:2026-11-20', 'm:2026-11', 3, 4, ?)`, id, project, state, status, resolved); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		test(t, c, project, other)
	})
}

func TestOnlyACompletedJobOfTheProjectIsPublished(t *testing.T) {
	withJobs(t, func(t *testing.T, c *projects.Catalog, project, other string) {
		var refused *answers.Error
		for _, job := range []string{jobFailed, jobRunning} {
			if _, err := c.Publish(t.Context(), project, job); !errors.As(err, &refused) || refused.Status != 409 {
				t.Errorf("%s: got %v, want a 409", job, err)
			}
		}
		if _, err := c.Publish(t.Context(), other, jobDone); !errors.Is(err, sidecar.ErrUnknownJob) {
			t.Errorf("another project's job: %v", err)
		}
		if _, err := c.Publish(t.Context(), "000000000000000000000000", jobDone); !errors.Is(err, sidecar.ErrUnknownProject) {
			t.Errorf("an unknown project: %v", err)
		}
		if _, err := c.Publication(t.Context(), project); !errors.Is(err, sidecar.ErrNotPublished) {
			t.Errorf("nothing was published: %v", err)
		}
	})
}

func TestPublicationIsReplacedAndTakenBackAndItsKeyStays(t *testing.T) {
	withJobs(t, func(t *testing.T, c *projects.Catalog, project, other string) {
		first, err := c.Publish(t.Context(), project, jobDone)
		if err != nil || first.JobID != jobDone || first.GameID != project || first.Path != "/play/"+project || !mint.ValidPlayKey(first.Key) {
			t.Fatalf("published %+v, %v", first, err)
		}
		if again, err := c.Publish(t.Context(), project, jobDone); err != nil || again != first {
			t.Errorf("again: %+v, %v, want %+v", again, err, first)
		}
		next, err := c.Publish(t.Context(), project, jobNext)
		if err != nil || next.JobID != jobNext || next.Key != first.Key || !next.PublishedAt.After(first.PublishedAt) {
			t.Errorf("replaced by %+v, %v", next, err)
		}
		if found, err := c.Publication(t.Context(), project); err != nil || found != next {
			t.Errorf("found %+v, %v, want %+v", found, err, next)
		}
		checkKey(t, c, project, first.Key, true)
		checkKey(t, c, other, first.Key, false)
		checkKey(t, c, project, mint.NewPlayKey(), false)
		for range 2 {
			if err := c.Unpublish(t.Context(), project); err != nil {
				t.Fatal(err)
			}
		}
		checkKey(t, c, project, first.Key, false)
		if back, err := c.Publish(t.Context(), project, jobDone); err != nil || back.Key != first.Key {
			t.Errorf("published again: %+v, %v", back, err)
		}
	})
}

func checkKey(t *testing.T, c *projects.Catalog, project, key string, want bool) {
	t.Helper()
	if grant, err := c.KeyGrant(t.Context(), project, key); err != nil || (grant.JobID != "") != want {
		t.Errorf("key %s of %s: %q, %v, want %v", key, project, grant.JobID, err, want)
	}
}
