package engineproxy

import (
	"context"
	"crypto/tls"

	"github.com/svc-games/svc/api"
)

// Egress is the engines' way to models: package egress.
type Egress interface {
	// Start is called once, when no other engine proxy works on the same data.
	// Engines elsewhere are served over TCP with what remote holds, which asks
	// for a certificate; it is nil when engines run on this machine.
	Start(ctx context.Context, remote *tls.Config) error
	// Serve listens on a socket for the engine of a project, which shows token.
	Serve(projectID, socket, token string) error
	// Admit serves the engine of a project that runs elsewhere, which shows the
	// certificate of its instance and token, and returns the URL for it. Like
	// Serve it takes the place of what was served for the project before.
	Admit(projectID, instanceID, token string) (url string, err error)
	// Models lists the models that jobs may name.
	Models(ctx context.Context) ([]api.Model, error)
	// EndJob charges all that a job has called for and lets it call no more.
	EndJob(ctx context.Context, projectID, jobID string) error
	// Stop ends the service for a project's engine.
	Stop(projectID string)
	// Forget deletes what is kept of a project.
	Forget(projectID string) error
	// Close is called last, also when Start failed.
	Close(ctx context.Context) error
}

// EgressDir is where an egress keeps its journals, relative to the data
// directory.
const EgressDir = "egress"
