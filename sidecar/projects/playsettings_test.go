package projects_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/projects"
)

func TestKeyIsRotatedAndTheOneBeforeGoesOnAsLongAsItsOwnerSays(t *testing.T) {
	withJobs(t, func(t *testing.T, c *projects.Catalog, project, other string) {
		if _, err := c.RotatePlayKey(t.Context(), project, time.Hour); !errors.Is(err, sidecar.ErrNotPublished) {
			t.Errorf("what is not published: %v", err)
		}
		if _, err := c.RotatePlayKey(t.Context(), "000000000000000000000000", time.Hour); !errors.Is(err, sidecar.ErrUnknownProject) {
			t.Errorf("an unknown project: %v", err)
		}
		rotate := func(keep time.Duration) string {
			t.Helper()
			made, err := c.RotatePlayKey(t.Context(), project, keep)
			if err != nil || made.JobID != jobDone || !mint.ValidPlayKey(made.Key) {
				t.Fatalf("rotated: %+v, %v", made, err)
			}
			return made.Key
		}
		first, err := c.Publish(t.Context(), project, jobDone)
		if err != nil {
			t.Fatal(err)
		}
		second := rotate(time.Hour)
		checkKey(t, c, project, first.Key, true)
		checkKey(t, c, project, second, true)
		if o, err := c.PlayOptions(t.Context(), project); err != nil || o.FormerKeysUntil == nil {
			t.Errorf("while one is rotated: %+v, %v", o, err)
		}
		if again, err := c.Publish(t.Context(), project, jobNext); err != nil || again.Key != second {
			t.Errorf("published again: %+v, %v", again, err)
		}
		if _, err := c.Publish(t.Context(), project, jobDone); err != nil {
			t.Fatal(err)
		}
		third := rotate(0)
		checkKey(t, c, project, first.Key, false)
		checkKey(t, c, project, second, false)
		checkKey(t, c, project, third, true)
		if o, err := c.PlayOptions(t.Context(), project); err != nil || o.FormerKeysUntil != nil {
			t.Errorf("after all others ended: %+v, %v", o, err)
		}
		for range 12 {
			rotate(time.Hour)
		}
		checkKey(t, c, project, third, false) // ten are enough
	})
}

func TestSettingsOfAGameChangeOneByOneAndGoWithItsKey(t *testing.T) {
	withJobs(t, func(t *testing.T, c *projects.Catalog, project, other string) {
		made, err := c.Publish(t.Context(), project, jobDone)
		if err != nil {
			t.Fatal(err)
		}
		want := func(origins []string, most int64) {
			t.Helper()
			o, err := c.PlayOptions(t.Context(), project)
			if err != nil || !slices.Equal(o.Origins, origins) || (o.TIKPerMonth == nil) != (most < 0) || most >= 0 && *o.TIKPerMonth != api.TIK(most) {
				t.Errorf("the options are %+v, %v", o, err)
			}
			if grant, err := c.KeyGrant(t.Context(), project, made.Key); err != nil || !slices.Equal(grant.Origins, origins) {
				t.Errorf("the key is good for %+v, %v", grant, err)
			}
		}
		change := func(change api.PlayChange) {
			t.Helper()
			if err := c.SetPlayOptions(t.Context(), project, change); err != nil {
				t.Fatal(err)
			}
		}
		want([]string{}, -1)
		if err := c.BlockGame(t.Context(), "test", project, "harmful"); err != nil {
			t.Fatal(err)
		}
		if err := c.UnblockGame(t.Context(), "test", project); err != nil {
			t.Fatal(err)
		}
		origins, none, most := []string{"https://example.com"}, []string{}, api.TIK(0)
		change(api.PlayChange{Origins: &origins})
		want(origins, -1)
		change(api.PlayChange{TIKPerMonth: &most})
		want(origins, 0)
		change(api.PlayChange{Origins: &none})
		want(none, 0)
		if o, err := c.PlayOptions(t.Context(), other); err != nil || len(o.Origins) != 0 || o.TIKPerMonth != nil {
			t.Errorf("another project has %+v, %v", o, err)
		}
		if _, err := c.PlayOptions(t.Context(), "000000000000000000000000"); !errors.Is(err, sidecar.ErrUnknownProject) {
			t.Errorf("an unknown project: %v", err)
		}
	})
}
