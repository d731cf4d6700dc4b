package projects

import (
	"context"
	"fmt"

	"github.com/svc-games/svc/sidecar/store"
)

// keepPrompt keeps what a job was asked for as long as its project, as what is played of
// its game is.
func keepPrompt(tx *store.Tx, projectID, jobID string) error {
	_, err := tx.Exec(`INSERT INTO build_prompts (project_id, job_id, prompt)
		SELECT project_id, id, prompt FROM jobs WHERE id = ? AND project_id = ? AND prompt <> ''
		ON CONFLICT (project_id, job_id) DO NOTHING`, jobID, projectID)
	return err
}

// BuildPrompts returns what the published jobs of a project were asked for, from one job to
// another, by job. It is the text of whoever may see the project's figures, and of nobody
// else.
func (c *Catalog) BuildPrompts(ctx context.Context, projectID, first, last string) (map[string]string, error) {
	prompts := make(map[string]string)
	err := c.store.View(ctx, func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var job, prompt string
			err := scan(&job, &prompt)
			prompts[job] = prompt
			return err
		}, "SELECT job_id, prompt FROM build_prompts WHERE project_id = ? AND job_id BETWEEN ? AND ?", projectID, first, last)
	})
	if err != nil {
		return nil, fmt.Errorf("reading what builds of project %s were asked for: %w", projectID, err)
	}
	return prompts, nil
}
