package projects_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// onEach runs a test on every kind of store.
func onEach(t *testing.T, test func(t *testing.T, c *projects.Catalog)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, s *store.Store) { test(t, catalog(t, s)) })
}

// catalog returns a catalog for at most five projects a user, and users alice
// and bob. Every two projects are made in the same millisecond.
func catalog(t *testing.T, s *store.Store) *projects.Catalog {
	t.Helper()
	calls := 0
	now := func() time.Time {
		calls++
		return time.UnixMilli(1_800_000_000_000 + int64(calls/2))
	}
	for _, user := range []string{"alice", "bob"} {
		if _, err := keys.New(s, time.Now).CreateUser(t.Context(), "test", user, 0); err != nil {
			t.Fatal(err)
		}
	}
	return projects.New(projects.Options{Store: s, Now: now, MaxPerUser: 5})
}

func create(t *testing.T, c *projects.Catalog, user, name string) api.Project {
	t.Helper()
	p, err := c.CreateProject(t.Context(), user, api.ProjectRequest{Name: name, Template: "blank", Description: "d"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProjectIsFoundAsItWasMade(t *testing.T) {
	onEach(t, func(t *testing.T, c *projects.Catalog) {
		made := create(t, c, "alice", "pong")
		found, err := c.Project(t.Context(), made.ID)
		if err != nil || found.Project != made || found.OwnerID != "alice" || !strings.HasPrefix(found.SessionID, "ses_") {
			t.Errorf("found %+v, %v; made %+v", found, err, made)
		}
		if _, err := c.Project(t.Context(), "000000000000000000000000"); !errors.Is(err, sidecar.ErrUnknownProject) {
			t.Errorf("got %v, want ErrUnknownProject", err)
		}
	})
}

func TestAUserHasAtMostTheCapOfProjects(t *testing.T) {
	onEach(t, func(t *testing.T, c *projects.Catalog) {
		for range 5 {
			create(t, c, "alice", "p")
		}
		_, err := c.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "p"})
		var refusal *answers.Error
		if !errors.As(err, &refusal) || refusal.Status != 409 {
			t.Errorf("got %v, want 409", err)
		}
		create(t, c, "bob", "p")
	})
}

func TestPagesListEachProjectOnceNewestFirst(t *testing.T) {
	onEach(t, func(t *testing.T, c *projects.Catalog) {
		for _, name := range []string{"1", "2", "3", "4", "5"} {
			create(t, c, "alice", name)
		}
		create(t, c, "bob", "other")
		whole, err := c.Projects(t.Context(), "alice", "", 0)
		if err != nil || len(whole.Data) != 5 || whole.NextCursor != "" {
			t.Fatalf("whole list %+v, %v", whole, err)
		}
		var paged []api.Project
		cursor := ""
		for pages := 0; pages == 0 || cursor != ""; pages++ {
			list, err := c.Projects(t.Context(), "alice", cursor, 2)
			if err != nil || pages > 3 {
				t.Fatalf("page %d: %v", pages, err)
			}
			paged, cursor = append(paged, list.Data...), list.NextCursor
			if pages == 0 { // the cursor's own project may go
				if err := c.DeleteProject(t.Context(), list.Data[1].ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i, p := range whole.Data {
			if i >= len(paged) || paged[i] != p {
				t.Fatalf("pages %+v, want %+v", paged, whole.Data)
			}
			if i > 0 && p.CreatedAt.After(whole.Data[i-1].CreatedAt) {
				t.Error("not newest first")
			}
		}
	})
}

func TestTextIsKeptAsItIsOrRefused(t *testing.T) {
	onEach(t, func(t *testing.T, c *projects.Catalog) {
		for _, text := range []string{"ünï \U0001f986 'quoted' \\ \"?\" $1 %s", "\x01\x7f", "\ufffd\u2028"} {
			made := create(t, c, "alice", text)
			if found, err := c.Project(t.Context(), made.ID); err != nil || found.Name != text {
				t.Errorf("kept %q as %q, %v", text, found.Name, err)
			}
		}
		var refusal *answers.Error
		_, err := c.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "a\x00b"})
		if !errors.As(err, &refusal) || refusal.Status != 400 {
			t.Errorf("got %v, want 400", err)
		}
	})
}

func TestForeignCursorIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, c *projects.Catalog) {
		for _, cursor := range []string{"x", "1-2", "99999999999999999999-0123456789abcdef01234567"} {
			_, err := c.Projects(t.Context(), "alice", cursor, 0)
			var refusal *answers.Error
			if !errors.As(err, &refusal) || refusal.Status != 400 {
				t.Errorf("%q: %v, want 400", cursor, err)
			}
		}
	})
}
