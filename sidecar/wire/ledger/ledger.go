// Package ledger is the wire between an engine proxy and the ledger of a sidecar in
// another process: Handler serves a Ledger over a peer connection, Client implements
// it. It is a package of its own because package wire links the policy.
package ledger

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/peer/rpc"
)

// Path is where a sidecar serves engine proxies, with the version of the calls.
const Path = "/ledger/v1"

const (
	// timeout bounds a call.
	timeout = 30 * time.Second
	// expireTimeout bounds Expire, which deletes many jobs at once.
	expireTimeout = 5 * time.Minute
)

// codes are few: the engine proxy treats all errors of the ledger alike.
var codes = rpc.Sentinels{"deadline_exceeded": context.DeadlineExceeded}

// Ledger is what engine proxies call.
type Ledger interface {
	Claim(ctx context.Context, who contract.Installation) (contract.Installation, error)
	FeedCursor(ctx context.Context, projectID, feedID string) (uint64, error)
	ApplyFeed(ctx context.Context, b contract.FeedBatch) (contract.FeedVerdict, error)
	OpenJobs(ctx context.Context, projectID string) ([]contract.OpenJob, error)
	Resolve(ctx context.Context, jobID string, v contract.FenceVerdict) error
	EndJob(ctx context.Context, record contract.JobRecord) error
	Expire(ctx context.Context, before time.Time) (int, error)
	PublishedJobs(ctx context.Context) ([]string, error)
	DeletedProjects(ctx context.Context, installationID string) ([]string, error)
	ProjectsForgotten(ctx context.Context, installationID string, projectIDs []string) error
	GrantCall(ctx context.Context, projectID string) (contract.CallGrant, error)
	ChargeCall(ctx context.Context, call contract.Call) error
	Unpriced(ctx context.Context, units []string) ([]string, error)
	Prices(ctx context.Context, units []string) (map[string]api.TIK, error)
}

// Replays is what a Ledger may be besides.
type Replays interface {
	RunsToReplay(ctx context.Context) (contract.Replays, error)
	RunsReplayed(ctx context.Context, r contract.Replayed) error
}

type (
	feedRef struct {
		ProjectID string `json:"projectId"`
		FeedID    string `json:"feedId"`
	}
	projectRef struct {
		ProjectID string `json:"projectId"`
	}
	verdict struct {
		JobID   string                `json:"jobId"`
		Verdict contract.FenceVerdict `json:"verdict"`
	}
	expiry struct {
		Before time.Time `json:"before"`
	}
	installationRef struct {
		InstallationID string `json:"installationId"`
	}
	forgotten struct {
		InstallationID string   `json:"installationId"`
		ProjectIDs     []string `json:"projectIds"`
	}
	units struct {
		Units []string `json:"units"`
	}
	nothing struct{}
)

// Handler serves the calls to a ledger.
func Handler(l Ledger, logger *zap.Logger) http.Handler {
	s := rpc.NewServer(Path, codes, logger)
	rpc.Handle(s, "feed-cursor", func(ctx context.Context, r feedRef) (uint64, error) {
		return l.FeedCursor(ctx, r.ProjectID, r.FeedID)
	})
	rpc.Handle(s, "claim", l.Claim)
	rpc.Handle(s, "apply-feed", l.ApplyFeed)
	rpc.Handle(s, "open-jobs", func(ctx context.Context, r projectRef) ([]contract.OpenJob, error) {
		return l.OpenJobs(ctx, r.ProjectID)
	})
	rpc.Handle(s, "resolve", func(ctx context.Context, r verdict) (nothing, error) {
		return nothing{}, l.Resolve(ctx, r.JobID, r.Verdict)
	})
	rpc.Handle(s, "end-job", func(ctx context.Context, r contract.JobRecord) (nothing, error) {
		return nothing{}, l.EndJob(ctx, r)
	})
	rpc.Handle(s, "expire", func(ctx context.Context, r expiry) (int, error) { return l.Expire(ctx, r.Before) })
	rpc.Handle(s, "published-jobs", func(ctx context.Context, _ nothing) ([]string, error) { return l.PublishedJobs(ctx) })
	rpc.Handle(s, "deleted-projects", func(ctx context.Context, r installationRef) ([]string, error) {
		return l.DeletedProjects(ctx, r.InstallationID)
	})
	rpc.Handle(s, "projects-forgotten", func(ctx context.Context, r forgotten) (nothing, error) {
		return nothing{}, l.ProjectsForgotten(ctx, r.InstallationID, r.ProjectIDs)
	})
	rpc.Handle(s, "grant-call", func(ctx context.Context, r projectRef) (contract.CallGrant, error) {
		return l.GrantCall(ctx, r.ProjectID)
	})
	rpc.Handle(s, "charge-call", func(ctx context.Context, r contract.Call) (nothing, error) {
		return nothing{}, l.ChargeCall(ctx, r)
	})
	rpc.Handle(s, "prices", func(ctx context.Context, r units) (map[string]api.TIK, error) { return l.Prices(ctx, r.Units) })
	rpc.Handle(s, "unpriced", func(ctx context.Context, r units) ([]string, error) { return l.Unpriced(ctx, r.Units) })
	if replays, ok := l.(Replays); ok {
		rpc.Handle(s, "runs-to-replay", func(ctx context.Context, _ nothing) (contract.Replays, error) { return replays.RunsToReplay(ctx) })
		rpc.Handle(s, "runs-replayed", func(ctx context.Context, r contract.Replayed) (nothing, error) {
			return nothing{}, replays.RunsReplayed(ctx, r)
		})
	}
	return s
}

// Client is a Ledger in another process. All calls are idempotent. It is safe for
// concurrent use.
type Client struct{ rpc *rpc.Client }

// New returns a client that sends to the given peer.
func New(peer http.RoundTripper) *Client {
	return &Client{rpc: rpc.NewClient(peer, "the sidecar", Path, codes)}
}

func call[Res any](ctx context.Context, c *Client, timeout time.Duration, name string, req any) (Res, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return rpc.Call[Res](ctx, c.rpc, name, req)
}

// Claim implements Ledger.
func (c *Client) Claim(ctx context.Context, who contract.Installation) (contract.Installation, error) {
	return call[contract.Installation](ctx, c, timeout, "claim", who)
}

// FeedCursor implements Ledger.
func (c *Client) FeedCursor(ctx context.Context, projectID, feedID string) (uint64, error) {
	return call[uint64](ctx, c, timeout, "feed-cursor", feedRef{projectID, feedID})
}

// ApplyFeed implements Ledger.
func (c *Client) ApplyFeed(ctx context.Context, b contract.FeedBatch) (contract.FeedVerdict, error) {
	return call[contract.FeedVerdict](ctx, c, timeout, "apply-feed", b)
}

// OpenJobs implements Ledger.
func (c *Client) OpenJobs(ctx context.Context, projectID string) ([]contract.OpenJob, error) {
	return call[[]contract.OpenJob](ctx, c, timeout, "open-jobs", projectRef{projectID})
}

// Resolve implements Ledger.
func (c *Client) Resolve(ctx context.Context, jobID string, v contract.FenceVerdict) error {
	_, err := call[nothing](ctx, c, timeout, "resolve", verdict{jobID, v})
	return err
}

// EndJob implements Ledger.
func (c *Client) EndJob(ctx context.Context, record contract.JobRecord) error {
	_, err := call[nothing](ctx, c, timeout, "end-job", record)
	return err
}

// Expire implements Ledger.
func (c *Client) Expire(ctx context.Context, before time.Time) (int, error) {
	return call[int](ctx, c, expireTimeout, "expire", expiry{before})
}

// PublishedJobs implements Ledger.
func (c *Client) PublishedJobs(ctx context.Context) ([]string, error) {
	return call[[]string](ctx, c, timeout, "published-jobs", nothing{})
}

// DeletedProjects implements Ledger.
func (c *Client) DeletedProjects(ctx context.Context, installationID string) ([]string, error) {
	return call[[]string](ctx, c, timeout, "deleted-projects", installationRef{installationID})
}

// ProjectsForgotten implements Ledger.
func (c *Client) ProjectsForgotten(ctx context.Context, installationID string, projectIDs []string) error {
	_, err := call[nothing](ctx, c, timeout, "projects-forgotten", forgotten{installationID, projectIDs})
	return err
}

// GrantCall implements Ledger.
func (c *Client) GrantCall(ctx context.Context, projectID string) (contract.CallGrant, error) {
	return call[contract.CallGrant](ctx, c, timeout, "grant-call", projectRef{projectID})
}

// ChargeCall implements Ledger.
func (c *Client) ChargeCall(ctx context.Context, charged contract.Call) error {
	_, err := call[nothing](ctx, c, timeout, "charge-call", charged)
	return err
}

// Unpriced implements Ledger.
func (c *Client) Unpriced(ctx context.Context, names []string) ([]string, error) {
	return call[[]string](ctx, c, timeout, "unpriced", units{names})
}

// Prices implements Ledger.
func (c *Client) Prices(ctx context.Context, names []string) (map[string]api.TIK, error) {
	return call[map[string]api.TIK](ctx, c, timeout, "prices", units{names})
}

// RunsToReplay implements Replays.
func (c *Client) RunsToReplay(ctx context.Context) (contract.Replays, error) {
	return call[contract.Replays](ctx, c, timeout, "runs-to-replay", nothing{})
}

// RunsReplayed implements Replays.
func (c *Client) RunsReplayed(ctx context.Context, r contract.Replayed) error {
	_, err := call[nothing](ctx, c, timeout, "runs-replayed", r)
	return err
}

// Interface guards
var (
	_ Ledger  = (*Client)(nil)
	_ Replays = (*Client)(nil)
)
