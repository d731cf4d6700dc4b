package projects

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
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

// Of the lists of a user's projects: those after a place, and with as many of the projects
// of others whose attributes name the user. What the policy says of these is for the caller
// to ask.
const (
	listColumns = "id, name, template, description, created_at"
	fromPlace   = " AND (created_at < ? OR created_at = ? AND id < ?) ORDER BY created_at DESC, id DESC LIMIT ?"
	ofOwner     = "SELECT " + listColumns + " FROM projects WHERE owner_id = ?" + fromPlace
	ofOthers    = "SELECT " + listColumns + " FROM projects WHERE owner_id <> ? AND (attributes <> '{}' OR admin_attributes <> '{}')" +
		" AND (attributes LIKE ? ESCAPE '!' OR admin_attributes LIKE ? ESCAPE '!')" + fromPlace
	ofBoth = "SELECT * FROM (" + ofOwner + ") AS own UNION ALL SELECT * FROM (" + ofOthers + ") AS others ORDER BY created_at DESC, id DESC LIMIT ?"
)

// literal is a text that LIKE takes for itself.
var literal = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// Projects lists a user's projects, newest first, after the cursor "" or one
// that an earlier list returned. A limit below 1 means DefaultPage, one above
// MaxPage means MaxPage. Decisions do not wait for a connection that a list has.
// Where Options.Shared says so there are others' among them, which the policy may refuse.
func (c *Catalog) Projects(ctx context.Context, userID, after string, limit int) (api.ProjectList, error) {
	before, id, err := parseCursor(after)
	if err != nil {
		return api.ProjectList{}, err
	}
	if limit < 1 {
		limit = DefaultPage
	}
	limit = min(limit, MaxPage)

	query, args := ofOwner, []any{userID, before, before, id, limit + 1}
	if c.shared() {
		naming := "%" + literal.Replace(userID) + "%"
		query, args = ofBoth, append(args, userID, naming, naming, before, before, id, limit+1, limit+1)
	}
	list := api.ProjectList{Success: true}
	list.Data, err = store.Read(store.Unhurried(ctx), c.store, func(r *store.Reader) ([]api.Project, error) {
		return store.All(r, func(scan store.Scan) (api.Project, error) {
			var project api.Project
			var created int64
			err := scan(&project.ID, &project.Name, &project.Template, &project.Description, &created)
			project.CreatedAt = time.UnixMilli(created).UTC()
			return project, err
		}, query, args...)
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
