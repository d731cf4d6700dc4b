package projects

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/sidecar/store"
)

// Bounds of a page of a list.
const (
	DefaultPage = 20
	MaxPage     = 100
)

// cursorPattern is the place of a project in the list: when it was made, in
// milliseconds, and its id. The place remains when the project is deleted.
var cursorPattern = regexp.MustCompile(`^(\d{1,18})-([0-9a-f]{24})$`)

// Projects lists a user's projects, newest first, after the cursor "" or one
// that an earlier list returned. A limit below 1 means DefaultPage, one above
// MaxPage means MaxPage. Decisions do not wait for a connection that a list has.
func (c *Catalog) Projects(ctx context.Context, userID, after string, limit int) (api.ProjectList, error) {
	before, id, err := parseCursor(after)
	if err != nil {
		return api.ProjectList{}, err
	}
	if limit < 1 {
		limit = DefaultPage
	}
	limit = min(limit, MaxPage)

	list := api.ProjectList{Success: true}
	list.Data, err = store.Read(store.Unhurried(ctx), c.store, func(r *store.Reader) ([]api.Project, error) {
		return store.All(r, func(scan store.Scan) (api.Project, error) {
			var project api.Project
			var created int64
			err := scan(&project.ID, &project.Name, &project.Template, &project.Description, &created)
			project.CreatedAt = time.UnixMilli(created).UTC()
			return project, err
		}, `SELECT id, name, template, description, created_at FROM projects
			WHERE owner_id = ? AND (created_at < ? OR created_at = ? AND id < ?)
			ORDER BY created_at DESC, id DESC LIMIT ?`, userID, before, before, id, limit+1)
	})
	if err != nil {
		return api.ProjectList{}, fmt.Errorf("listing projects: %w", err)
	}
	if len(list.Data) > limit {
		list.Data = list.Data[:limit]
		list.NextCursor = cursorAt(list.Data[limit-1])
	}
	return list, nil
}

// parseCursor reads a cursor: the list goes on with projects made before a
// time, or at it with a smaller id.
func parseCursor(after string) (before int64, id string, err error) {
	if after == "" {
		return math.MaxInt64, "", nil
	}
	parts := cursorPattern.FindStringSubmatch(after)
	if parts == nil {
		return 0, "", answers.BadRequest("after is not a cursor of this list.")
	}
	before, _ = strconv.ParseInt(parts[1], 10, 64) // 18 digits fit
	return before, parts[2], nil
}

// cursorAt returns the cursor of a list that ends with a project.
func cursorAt(last api.Project) string {
	return fmt.Sprintf("%d-%s", last.CreatedAt.UnixMilli(), last.ID)
}
