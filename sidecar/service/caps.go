package service

import (
	"fmt"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/webhooks"
)

// Caps bound what one user, and one project, may have, and where webhooks may lead. Zero
// means the default.
type Caps struct {
	// MaxProjects of a user; default projects.DefaultMaxPerUser.
	MaxProjects int `json:"max_projects,omitempty"`
	// MaxQueued is how many jobs of a project may wait; default
	// ledger.DefaultMaxQueued, which is as many as an engine takes.
	MaxQueued int `json:"max_queued,omitempty"`
	// WebhookNetworks are networks like 10.1.0.0/16 that are not public and may be posted
	// to all the same, also without TLS; default none.
	WebhookNetworks []string `json:"webhook_networks,omitempty"`
}

// Validate says which cap can't be meant.
func (c Caps) Validate() error {
	if c.MaxProjects < 0 {
		return fmt.Errorf("max_projects must be at least 1, is %d", c.MaxProjects)
	}
	if c.MaxQueued < 0 || c.MaxQueued > contract.MaxQueued {
		return fmt.Errorf("max_queued must be from 1 to %d, as many as an engine takes, is %d", contract.MaxQueued, c.MaxQueued)
	}
	if _, err := webhooks.ParseNetworks(c.WebhookNetworks); err != nil {
		return fmt.Errorf("webhook_networks: %w", err)
	}
	return nil
}
