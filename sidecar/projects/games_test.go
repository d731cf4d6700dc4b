package projects_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestBlockedGameHasNoKeyUntilItIsUnblockedWhoeverPublishesIt(t *testing.T) {
	withJobs(t, func(t *testing.T, c *projects.Catalog, project, _ string) {
		var refused *answers.Error
		for _, why := range []string{"", strings.Repeat("x", 501)} {
			if err := c.BlockGame(t.Context(), "test", project, why); !errors.As(err, &refused) || refused.Status != 400 {
				t.Errorf("why of %d bytes: %v", len(why), err)
			}
		}
		if err := c.BlockGame(t.Context(), "test", "000000000000000000000000", "harmful"); !errors.Is(err, sidecar.ErrUnknownProject) {
			t.Errorf("an unknown project: %v", err)
		}
		want := func(blocked string, key bool) {
			t.Helper()
			made, err := c.Publish(t.Context(), project, jobDone)
			if err != nil || made.BlockedFor != blocked {
				t.Errorf("published %+v, %v, want one blocked for %q", made, err, blocked)
			}
			if grant, err := c.KeyGrant(t.Context(), project, made.Key); err != nil || (grant.JobID == made.JobID) != key {
				t.Errorf("the key is the game's: %+v, %v, want %t", grant, err, key)
			}
		}
		want("", true)
		if err := c.BlockGame(t.Context(), "test", project, "harmful"); err != nil {
			t.Fatal(err)
		}
		want("harmful", false)
		if err := c.UnblockGame(t.Context(), "test", project); err != nil {
			t.Fatal(err)
		}
		want("", true)
	})
}

func TestReportsAreCountedOncePerPlayerAndDay(t *testing.T) {
	withJobs(t, func(t *testing.T, c *projects.Catalog, project, other string) {
		for _, report := range [][3]string{
			{project, "a", "broken"}, {project, "a", "harmful"}, {project, "b", "broken"}, {project, "", "other"}, {project, "", "other"}, {other, "a", "rights"},
		} {
			if err := c.Report(t.Context(), report[0], report[1], report[2]); err != nil {
				t.Fatal(err)
			}
		}
		var refused *answers.Error
		if err := c.Report(t.Context(), project, "c", "<b>"); !errors.As(err, &refused) {
			t.Errorf("a reason that is none: %v", err)
		}
		if err := errors.Join(c.ForgetReports(t.Context(), project, "b"), c.BlockGame(t.Context(), "test", other, "stolen")); err != nil {
			t.Fatal(err)
		}
		games, err := c.Reports(t.Context())
		if err != nil || len(games) != 2 {
			t.Fatalf("read %+v, %v", games, err)
		}
		for _, g := range games {
			if of := g.Reasons; g.ProjectID == project && (of["broken"] != 1 || of["harmful"] != 0 || of["other"] != 1 || g.OwnerID != "alice" || g.BlockedFor != "") ||
				g.ProjectID == other && (of["rights"] != 1 || g.BlockedFor != "stolen") {
				t.Errorf("read %+v", g)
			}
		}
		if err := c.DeleteProject(t.Context(), other); err != nil {
			t.Error(err)
		}
	})
}

func TestReportsAreDeletedAfterNinetyDays(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		project := create(t, catalog(t, s), "alice", "pong").ID
		for _, at := range []time.Time{time.UnixMilli(1), time.UnixMilli(1).Add(90 * 24 * time.Hour), time.UnixMilli(2).Add(90 * 24 * time.Hour)} {
			c := projects.New(projects.Options{Store: s, Now: func() time.Time { return at }})
			if err := c.Report(t.Context(), project, "a", "broken"); err != nil {
				t.Fatal(err)
			}
		}
		var days []int64
		err := s.View(t.Context(), func(r *store.Reader) error {
			return r.Each(func(scan store.Scan) error {
				days = append(days, 0)
				return scan(&days[len(days)-1])
			}, "SELECT day FROM play_reports ORDER BY day")
		})
		if err != nil || len(days) != 1 || days[0] != 90 {
			t.Errorf("kept are those of the days %d, %v", days, err)
		}
	})
}
