package gateway

import (
	"fmt"

	"github.com/dgraph-io/ristretto/v2"
)

// maxRoutes bounds the route table, in jobs.
const maxRoutes = 100_000

// Routes is the route table: which project a job belongs to, recorded at its
// submission. It starts empty, forgets what is not asked for, and is never
// wrong, because a job keeps its project; what it doesn't know is in the job's
// row. It is safe for concurrent use.
type Routes struct {
	projects *ristretto.Cache[string, string]
}

// NewRoutes returns an empty table. Close ends it.
func NewRoutes() (*Routes, error) {
	c, err := ristretto.NewCache(&ristretto.Config[string, string]{
		NumCounters: 10 * maxRoutes, MaxCost: maxRoutes, BufferItems: 64, IgnoreInternalCost: true,
	})
	if err != nil {
		return nil, fmt.Errorf("making the route table: %w", err)
	}
	return &Routes{projects: c}, nil
}

// Record notes a job's project. What is known already is not written again:
// each poll comes here.
func (t *Routes) Record(jobID, projectID string) {
	if t.Project(jobID) != projectID {
		t.projects.Set(jobID, projectID, 1)
	}
}

// Project returns the project of a job, "" when it is not in the table.
func (t *Routes) Project(jobID string) string {
	projectID, _ := t.projects.Get(jobID)
	return projectID
}

// Close ends the table.
func (t *Routes) Close() { t.projects.Close() }
