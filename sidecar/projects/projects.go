// Package projects keeps projects: who owns them and the session their jobs
// belong to.
package projects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// DefaultMaxPerUser is how many projects a user may have.
const DefaultMaxPerUser = 1000

// Options of a Catalog.
type Options struct {
	Store *store.Store
	Now   func() time.Time
	// MaxPerUser caps the projects of a user; 0 means DefaultMaxPerUser.
	MaxPerUser int64
	// Changed is called after each change of attributes, on which decisions
	// rest; it may be nil, and must not wait.
	Changed func()
	// Shared reports whether the policy may let a user at a project for what its attributes
	// say: lists then have the projects whose attributes name the user, too. It may be nil,
	// for never.
	Shared func() bool
}

// Catalog knows all projects. It is safe for concurrent use.
type Catalog struct {
	store      *store.Store
	now        func() time.Time
	maxPerUser int64
	changed    func()
	shared     func() bool
}

// New returns the catalog of a store.
func New(o Options) *Catalog {
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Shared == nil {
		o.Shared = func() bool { return false }
	}
	return &Catalog{store: o.Store, now: o.Now, maxPerUser: cmp.Or(o.MaxPerUser, DefaultMaxPerUser), changed: o.Changed, shared: o.Shared}
}

// lookUpTimeout bounds the look for a project whose commit was not answered.
const lookUpTimeout = 2 * time.Second

// CreateProject makes a project and its session. For a text that no store can
// hold it returns an *answers.Error with status 400. Over the cap it returns an
// *answers.Error with status 409. A sidecar.ErrInDoubt leaves open whether it was made.
func (c *Catalog) CreateProject(ctx context.Context, userID string, req api.ProjectRequest) (api.Project, error) {
	made, _, err := c.CreateProjectOnce(ctx, userID, req, sidecar.Once{})
	return made, err
}

// CreateProjectOnce is CreateProject, and returns the project that an earlier request of
// the same name made. sidecar.ErrIdempotencyMismatch: it had another body.
func (c *Catalog) CreateProjectOnce(ctx context.Context, userID string, req api.ProjectRequest, once sidecar.Once) (_ api.Project, replayed bool, _ error) {
	if strings.ContainsRune(req.Name+req.Description, 0) {
		return api.Project{}, false, answers.BadRequest("name and description can't hold the character U+0000.") // nor can PostgreSQL
	}
	now := c.now().UTC().Truncate(time.Millisecond)
	fresh := api.Project{
		ID: mint.NewProjectID(), Name: req.Name, Template: req.Template,
		Description: req.Description, CreatedAt: now,
	}
	var project api.Project
	err := c.store.Update(ctx, func(tx *store.Tx) error {
		project = fresh
		if err := tx.LockUser(userID); err != nil {
			return err
		}
		earlier, err := earlierProject(tx, once)
		if err != nil {
			return err
		}
		if replayed = earlier.ID != ""; replayed {
			project = earlier
			return nil
		}
		var have int64
		if err := tx.Row("SELECT count(*) FROM projects WHERE owner_id = ?", userID).Scan(&have); err != nil {
			return err
		}
		if have >= c.maxPerUser {
			return &answers.Error{
				Status:  http.StatusConflict,
				Message: fmt.Sprintf("A user may have at most %d projects; delete one first.", c.maxPerUser),
			}
		}
		_, err = tx.Exec(`INSERT INTO projects
				(id, owner_id, session_id, name, template, description, attributes, created_at)
			VALUES (?, ?, ?, ?, ?, ?, '{}', ?)`,
			project.ID, userID, mint.NewSessionID(now), req.Name, req.Template, req.Description, now.UnixMilli())
		if err == nil && once.Name != "" {
			_, err = tx.Exec("INSERT INTO project_requests (key_id, name, fingerprint, project_id) VALUES (?, ?, ?, ?)",
				once.KeyID, once.Name, once.Fingerprint, project.ID)
		}
		return err
	})
	if errors.Is(err, store.ErrInDoubt) {
		made, errFound := c.made(ctx, project.ID)
		if made {
			return project, replayed, nil
		}
		err = errors.Join(fmt.Errorf("%w: %w", sidecar.ErrInDoubt, err), errFound)
	}
	if err != nil {
		return api.Project{}, false, fmt.Errorf("creating a project: %w", err)
	}
	return project, replayed, nil
}

// earlierProject returns the project that a request made, without an id for none.
func earlierProject(tx *store.Tx, once sidecar.Once) (api.Project, error) {
	if once.Name == "" {
		return api.Project{}, nil
	}
	var p api.Project
	var fingerprint string
	var created int64
	err := tx.Row(`SELECT r.fingerprint, p.id, p.name, p.template, p.description, p.created_at
		FROM project_requests r JOIN projects p ON p.id = r.project_id WHERE r.key_id = ? AND r.name = ?`, once.KeyID, once.Name).
		Scan(&fingerprint, &p.ID, &p.Name, &p.Template, &p.Description, &created)
	p.CreatedAt = time.UnixMilli(created).UTC()
	switch {
	case errors.Is(err, store.ErrNoRows):
		return api.Project{}, nil
	case err == nil && fingerprint != once.Fingerprint:
		return api.Project{}, sidecar.ErrIdempotencyMismatch
	}
	return p, err
}

// made reports whether a project is there, in a time of its own: the commit may
// have used up the caller's.
func (c *Catalog) made(ctx context.Context, projectID string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookUpTimeout)
	defer cancel()
	_, err := c.Project(ctx, projectID)
	if errors.Is(err, sidecar.ErrUnknownProject) {
		return false, nil // the commit may still come
	}
	return err == nil, err
}

// Project returns a project, or sidecar.ErrUnknownProject.
func (c *Catalog) Project(ctx context.Context, projectID string) (sidecar.Project, error) {
	var project sidecar.Project
	err := c.store.View(ctx, func(r *store.Reader) error {
		var created int64
		err := r.Row(`SELECT id, name, template, description, created_at, owner_id, session_id
			FROM projects WHERE id = ?`, projectID).
			Scan(&project.ID, &project.Name, &project.Template, &project.Description,
				&created, &project.OwnerID, &project.SessionID)
		project.CreatedAt = time.UnixMilli(created).UTC()
		return err
	})
	if errors.Is(err, store.ErrNoRows) {
		return sidecar.Project{}, sidecar.ErrUnknownProject
	}
	if err != nil {
		return sidecar.Project{}, fmt.Errorf("reading project %s: %w", projectID, err)
	}
	return project, nil
}

// DeleteProject deletes a project and its jobs, or returns
// sidecar.ErrProjectBusy. What was charged for them stays in the ledger, and so
// does a mark, until the engine proxy has reported that nothing of the project is left.
func (c *Catalog) DeleteProject(ctx context.Context, projectID string) error {
	err := c.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Lock("SELECT seq FROM feed_cursor WHERE project_id = ? ORDER BY feed_id", projectID); err != nil {
			return err
		}
		if err := tx.Lock("SELECT id FROM projects WHERE id = ?", projectID); err != nil {
			return err
		}
		var unfinished int64
		if err := tx.Row("SELECT count(*) FROM jobs WHERE project_id = ? AND resolved_at IS NULL", projectID).Scan(&unfinished); err != nil {
			return err
		}
		if unfinished > 0 {
			return sidecar.ErrProjectBusy
		}
		for _, statement := range []string{
			"DELETE FROM publications WHERE project_id = ?",
			"DELETE FROM play_keys WHERE project_id = ?",
			"DELETE FROM play_reports WHERE project_id = ?",
			"DELETE FROM play_settings WHERE project_id = ?",
			"DELETE FROM webhook_deliveries WHERE project_id = ?",
			"DELETE FROM webhooks WHERE project_id = ?",
			"DELETE FROM project_requests WHERE project_id = ?",
			"DELETE FROM session_codes WHERE subject LIKE 'share:' || ? || ':%'", // see sessions.Shared
			"DELETE FROM feed_cursor WHERE project_id = ?",
			"DELETE FROM idempotency WHERE job_id IN (SELECT id FROM jobs WHERE project_id = ?)",
			"DELETE FROM jobs WHERE project_id = ?",
		} {
			if _, err := tx.Exec(statement, projectID); err != nil {
				return err
			}
		}
		n, err := tx.Exec("DELETE FROM projects WHERE id = ?", projectID)
		if err == nil && n == 0 {
			err = sidecar.ErrUnknownProject
		}
		if err != nil {
			return err
		}
		// There is a mark already when somebody has put a deleted project back.
		_, err = tx.Exec(`INSERT INTO deleted_projects (project_id, deleted_at) VALUES (?, ?)
			ON CONFLICT (project_id) DO NOTHING`, projectID, c.now().UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("deleting project %s: %w", projectID, err)
	}
	return nil
}
