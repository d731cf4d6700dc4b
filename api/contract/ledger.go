package contract

import (
	"context"
	"time"

	"github.com/svc-games/svc/api"
)

// Ledger is what the engine proxy needs of the sidecar.
type Ledger interface {
	// Claim takes the engines of all projects for an installation, unless they
	// are taken, and returns whose they are.
	Claim(ctx context.Context, who Installation) (owner Installation, err error)
	// FeedCursor returns the last applied record of a project's feed, 0 for a
	// feed that is new.
	FeedCursor(ctx context.Context, projectID, feedID string) (uint64, error)
	// ApplyFeed applies records above the cursor, each once, in one
	// transaction with the cursor.
	ApplyFeed(ctx context.Context, b FeedBatch) (FeedVerdict, error)
	// OpenJobs lists the jobs that count as running, of one project or, with
	// "", of all.
	OpenJobs(ctx context.Context, projectID string) ([]OpenJob, error)
	// Resolve ends the doubt about an overdue reservation: accepted commits
	// it, fenced releases it.
	Resolve(ctx context.Context, jobID string, v FenceVerdict) error
	// EndJob settles a job that no engine can end any more. The first end of a
	// job wins.
	EndJob(ctx context.Context, record JobRecord) error
	// Expire forgets the jobs that ended before a time, and returns how many
	// they were. What they count in days, months and balances stays.
	Expire(ctx context.Context, before time.Time) (int, error)
	// PublishedJobs returns the jobs whose games are published: what they left is kept
	// however old.
	PublishedJobs(ctx context.Context) ([]string, error)
	// DeletedProjects returns the projects that were deleted and of which
	// ProjectsForgotten has not told that nothing is left. It is an error for an
	// installation that does not have the engines.
	DeletedProjects(ctx context.Context, installationID string) ([]string, error)
	// ProjectsForgotten tells that nothing is left of deleted projects. It may
	// be told twice, and is an error like DeletedProjects.
	ProjectsForgotten(ctx context.Context, installationID string, projectIDs []string) error
	Calls
}

// Calls is what a Ledger decides and keeps of calls to models.
type Calls interface {
	// GrantCall says whether a call to a model may go out for a project now,
	// and which of its jobs pays.
	GrantCall(ctx context.Context, projectID string) (CallGrant, error)
	// ChargeCall charges a call, once however often it is told.
	ChargeCall(ctx context.Context, call Call) error
	// Unpriced returns those of the units that have no price.
	Unpriced(ctx context.Context, units []string) ([]string, error)
	// Prices returns what one of each unit costs; those without a price are left out.
	Prices(ctx context.Context, units []string) (map[string]api.TIK, error)
}

// Replayer is what a Ledger may be besides: it knows runs of published games that players
// reported, and are to be played again.
type Replayer interface {
	// RunsToReplay returns some of one game, none when nothing waits, and gives them to
	// nobody else for a while.
	RunsToReplay(ctx context.Context) (Replays, error)
	// RunsReplayed tells what they came to. It may be told twice.
	RunsReplayed(ctx context.Context, r Replayed) error
}
