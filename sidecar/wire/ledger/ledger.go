// Package ledger is the wire between an engine proxy and the ledger of a sidecar in
// another process: Handler serves a contract.Ledger over a peer connection, Client implements
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

type (
	feedRef struct {
		ProjectID string `json:"projectId"`
		FeedID    string `json:"feedId"`
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
)

// Handler serves the calls to a ledger.
func Handler(l contract.Ledger, logger *zap.Logger) http.Handler {
	s := rpc.NewServer(Path, codes, logger)
	rpc.Handle(s, "feed-cursor", func(ctx context.Context, r feedRef) (uint64, error) {
		return l.FeedCursor(ctx, r.ProjectID, r.FeedID)
	})
	rpc.Handle(s, "claim", l.Claim)
	rpc.Handle(s, "apply-feed", l.ApplyFeed)
	rpc.HandleProject(s, "open-jobs", l.OpenJobs)
	rpc.HandleDone(s, "resolve", func(ctx context.Context, r verdict) error { return l.Resolve(ctx, r.JobID, r.Verdict) })
	rpc.HandleDone(s, "end-job", l.EndJob)
	rpc.Handle(s, "expire", func(ctx context.Context, r expiry) (int, error) { return l.Expire(ctx, r.Before) })
	rpc.Handle(s, "published-jobs", func(ctx context.Context, _ rpc.Nothing) ([]string, error) { return l.PublishedJobs(ctx) })
	rpc.Handle(s, "deleted-projects", func(ctx context.Context, r installationRef) ([]string, error) {
		return l.DeletedProjects(ctx, r.InstallationID)
	})
	rpc.HandleDone(s, "projects-forgotten", func(ctx context.Context, r forgotten) error {
		return l.ProjectsForgotten(ctx, r.InstallationID, r.ProjectIDs)
	})
	rpc.HandleProject(s, "grant-call", l.GrantCall)
	rpc.HandleDone(s, "charge-call", l.ChargeCall)
	rpc.Handle(s, "prices", func(ctx context.Context, r units) (map[string]api.TIK, error) { return l.Prices(ctx, r.Units) })
	rpc.Handle(s, "unpriced", func(ctx context.Context, r units) ([]string, error) { return l.Unpriced(ctx, r.Units) })
	if replays, ok := l.(contract.Replayer); ok {
		rpc.Handle(s, "runs-to-replay", func(ctx context.Context, _ rpc.Nothing) (contract.Replays, error) { return replays.RunsToReplay(ctx) })
		rpc.HandleDone(s, "runs-replayed", replays.RunsReplayed)
	}
	return s
}

// Client is a contract.Ledger in another process. All calls are idempotent. It is safe for
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

// Claim implements contract.Ledger.
func (c *Client) Claim(ctx context.Context, who contract.Installation) (contract.Installation, error) {
	return call[contract.Installation](ctx, c, timeout, "claim", who)
}

// FeedCursor implements contract.Ledger.
func (c *Client) FeedCursor(ctx context.Context, projectID, feedID string) (uint64, error) {
	return call[uint64](ctx, c, timeout, "feed-cursor", feedRef{projectID, feedID})
}

// ApplyFeed implements contract.Ledger.
func (c *Client) ApplyFeed(ctx context.Context, b contract.FeedBatch) (contract.FeedVerdict, error) {
	return call[contract.FeedVerdict](ctx, c, timeout, "apply-feed", b)
}

// OpenJobs implements contract.Ledger.
func (c *Client) OpenJobs(ctx context.Context, projectID string) ([]contract.OpenJob, error) {
	return call[[]contract.OpenJob](ctx, c, timeout, "open-jobs", rpc.ProjectRef{ProjectID: projectID})
}

// Resolve implements contract.Ledger.
func (c *Client) Resolve(ctx context.Context, jobID string, v contract.FenceVerdict) error {
	_, err := call[rpc.Nothing](ctx, c, timeout, "resolve", verdict{jobID, v})
	return err
}

// EndJob implements contract.Ledger.
func (c *Client) EndJob(ctx context.Context, record contract.JobRecord) error {
	_, err := call[rpc.Nothing](ctx, c, timeout, "end-job", record)
	return err
}

// Expire implements contract.Ledger.
func (c *Client) Expire(ctx context.Context, before time.Time) (int, error) {
	return call[int](ctx, c, expireTimeout, "expire", expiry{before})
}

// PublishedJobs implements contract.Ledger.
func (c *Client) PublishedJobs(ctx context.Context) ([]string, error) {
	return call[[]string](ctx, c, timeout, "published-jobs", rpc.Nothing{})
}

// DeletedProjects implements contract.Ledger.
func (c *Client) DeletedProjects(ctx context.Context, installationID string) ([]string, error) {
	return call[[]string](ctx, c, timeout, "deleted-projects", installationRef{installationID})
}

// ProjectsForgotten implements contract.Ledger.
func (c *Client) ProjectsForgotten(ctx context.Context, installationID string, projectIDs []string) error {
	_, err := call[rpc.Nothing](ctx, c, timeout, "projects-forgotten", forgotten{installationID, projectIDs})
	return err
}

// GrantCall implements contract.Ledger.
func (c *Client) GrantCall(ctx context.Context, projectID string) (contract.CallGrant, error) {
	return call[contract.CallGrant](ctx, c, timeout, "grant-call", rpc.ProjectRef{ProjectID: projectID})
}

// ChargeCall implements contract.Ledger.
func (c *Client) ChargeCall(ctx context.Context, charged contract.Call) error {
	_, err := call[rpc.Nothing](ctx, c, timeout, "charge-call", charged)
	return err
}

// Unpriced implements contract.Ledger.
func (c *Client) Unpriced(ctx context.Context, names []string) ([]string, error) {
	return call[[]string](ctx, c, timeout, "unpriced", units{names})
}

// Prices implements contract.Ledger.
func (c *Client) Prices(ctx context.Context, names []string) (map[string]api.TIK, error) {
	return call[map[string]api.TIK](ctx, c, timeout, "prices", units{names})
}

// RunsToReplay implements contract.Replayer.
func (c *Client) RunsToReplay(ctx context.Context) (contract.Replays, error) {
	return call[contract.Replays](ctx, c, timeout, "runs-to-replay", rpc.Nothing{})
}

// RunsReplayed implements contract.Replayer.
func (c *Client) RunsReplayed(ctx context.Context, r contract.Replayed) error {
	_, err := call[rpc.Nothing](ctx, c, timeout, "runs-replayed", r)
	return err
}

// Interface guards
var (
	_ contract.Ledger   = (*Client)(nil)
	_ contract.Replayer = (*Client)(nil)
)
