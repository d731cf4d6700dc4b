package projects_test

import (
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

// TestListsHaveProjectsThatNameTheUserWhereThePolicyReadsAttributes: whether the user may get
// them is for the policy to say. Where it reads none, nobody's attributes lengthen a list.
func TestListsHaveProjectsThatNameTheUserWhereThePolicyReadsAttributes(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		for _, user := range []string{"alice", "bob"} {
			if _, err := keys.New(s, time.Now).CreateUser(t.Context(), "test", user, 0); err != nil {
				t.Fatal(err)
			}
		}
		reads, at := false, int64(1_800_000_000_000)
		c := projects.New(projects.Options{Store: s, Shared: func() bool { return reads }, Now: func() time.Time {
			at++
			return time.UnixMilli(at / 2)
		}})
		var want []string // alice's and those that name her, oldest first
		set := func(id string, byAdmin bool, value string) {
			t.Helper()
			change := projects.AttributeChange{Actor: "test", ProjectID: id, Admin: byAdmin, Set: map[string]*string{"readers": &value}}
			if _, err := c.SetAttributes(t.Context(), change); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range []struct {
			owner, readers string
			byAdmin, named bool
		}{
			{"alice", "", false, true}, {"bob", "carol,alice", false, true}, {"bob", "", false, false}, {"alice", "bob", false, true},
			{"bob", "alice", true, true}, {"bob", "al_ce", false, false}, {"alice", "alice", false, true}, {"bob", "carol", true, false},
		} {
			id := create(t, c, p.owner, "p").ID
			if p.readers != "" {
				set(id, p.byAdmin, p.readers)
			}
			if p.named {
				want = append(want, id)
			}
		}
		slices.Reverse(want)
		reads = true
		if got := paged(t, c, "alice", 2); !sameIDs(got, want) {
			t.Errorf("alice's list is %v, want %v", got, want)
		}
		if got := paged(t, c, "al_ce", 2); len(got) != 1 {
			t.Errorf("a user who is named once, in other letters than a pattern's, has %v", got)
		}
		reads = false
		if got := paged(t, c, "alice", 2); len(got) != 3 {
			t.Errorf("where no rule reads attributes alice has %v", got)
		}
	})
}

// paged are the ids of all projects of a user, read in pages.
func paged(t *testing.T, c *projects.Catalog, userID string, limit int) (ids []string) {
	t.Helper()
	for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
		list, err := c.Projects(t.Context(), userID, cursor, limit)
		if err != nil || len(list.Data) > limit || pages > 20 {
			t.Fatalf("page %d: %+v, %v", pages, list, err)
		}
		for _, p := range list.Data {
			ids = append(ids, p.ID)
		}
		cursor = list.NextCursor
	}
	return ids
}

// sameIDs compares lists of which two projects that were made in one millisecond may stand
// in either order.
func sameIDs(got, want []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)))
}
