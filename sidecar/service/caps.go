package service

import (
	"fmt"

	"github.com/svc-games/svc/api/contract"
)

// Caps bound what one user, and one project, may have. Zero means the default.
type Caps struct {
	// MaxProjects of a user; default projects.DefaultMaxPerUser.
	MaxProjects int `json:"max_projects,omitempty"`
	// MaxQueued is how many jobs of a project may wait; default
	// ledger.DefaultMaxQueued, which is as many as an engine takes.
	MaxQueued int `json:"max_queued,omitempty"`
}

// Validate says which cap can't be meant.
func (c Caps) Validate() error {
	if c.MaxProjects < 0 {
		return fmt.Errorf("max_projects must be at least 1, is %d", c.MaxProjects)
	}
	if c.MaxQueued < 0 || c.MaxQueued > contract.MaxQueued {
		return fmt.Errorf("max_queued must be from 1 to %d, as many as an engine takes, is %d", contract.MaxQueued, c.MaxQueued)
	}
	return nil
}
