package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/rpc"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// DefaultDecisionTimeout bounds a decision, the round trip included.
const DefaultDecisionTimeout = 50 * time.Millisecond

const (
	// readTimeout bounds calls that read, saveTimeout those that write.
	readTimeout = 5 * time.Second
	saveTimeout = 10 * time.Second
	// minBackOff is the wait after the first failure of a call that is repeated until
	// it succeeds; each further wait is twice as long, up to maxBackOff.
	minBackOff = 20 * time.Millisecond
	maxBackOff = time.Second
	// withdrawTimeout is how long the withdrawal of a reservation is repeated. After
	// that the reservation is overdue, and the reaper releases it.
	withdrawTimeout = time.Minute
)

// Options of New; zero fields get their defaults.
type Options struct {
	// DecisionTimeout bounds Authenticate and Decide.
	DecisionTimeout time.Duration
	Logger          *zap.Logger
}

// Client is a sidecar.Service in another process. It is safe for concurrent
// use.
type Client struct {
	rpc    *rpc.Client
	o      Options
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	tasks  sync.WaitGroup
}

// New returns a client that sends to the given peer. The sidecar need not run
// yet.
func New(peer http.RoundTripper, o Options) *Client {
	if o.DecisionTimeout <= 0 {
		o.DecisionTimeout = DefaultDecisionTimeout
	}
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	c := &Client{rpc: rpc.NewClient(peer, "the sidecar", Path, codes{}), o: o}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// Close ends the streams of hints and the withdrawals under way.
func (c *Client) Close() error {
	c.cancel()
	c.tasks.Wait()
	return nil
}

// call makes an idempotent call.
func call[Res any](ctx context.Context, c *Client, timeout time.Duration, name string, req any) (Res, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	res, err := rpc.Call[Res](ctx, c.rpc, name, req)
	return res, unreachable(err)
}

// once makes a call that is sent at most once.
func once[Res any](ctx context.Context, c *Client, name string, req any) (Res, error) {
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	res, err := rpc.CallOnce[Res](ctx, c.rpc, name, req)
	return res, unreachable(err)
}

// unreachable makes the error of a call without an answer a sidecar.ErrUnreachable, and
// of one whose answer is late a sidecar.ErrSlow besides.
func unreachable(err error) error {
	if errors.Is(err, rpc.ErrSlow) {
		err = fmt.Errorf("%w: %w", sidecar.ErrSlow, err)
	}
	if errors.Is(err, rpc.ErrUnreachable) {
		return fmt.Errorf("%w: %w", sidecar.ErrUnreachable, err)
	}
	return err
}

// insist repeats an idempotent call until there is an answer or ctx ends.
func insist[Res any](ctx context.Context, c *Client, timeout time.Duration, name string, req any) (Res, error) {
	for wait := minBackOff; ; wait = min(2*wait, maxBackOff) {
		res, err := call[Res](ctx, c, timeout, name, req)
		if !errors.Is(err, sidecar.ErrUnreachable) {
			return res, err
		}
		if !peer.Sleep(ctx, wait) {
			return res, err
		}
	}
}

// Authenticate implements sidecar.Service.
func (c *Client) Authenticate(ctx context.Context, hash mint.KeyHash) (sidecar.Identity, error) {
	answer, err := call[identified](ctx, c, c.o.DecisionTimeout, "authenticate", keyHash{hash[:]})
	if err == nil {
		err = answer.Decision.Check()
	}
	identity := answer.Identity
	identity.Decision.Reads = answer.Reads
	switch {
	case err != nil:
		return sidecar.Identity{}, err
	case identity.KeyID == "" && identity.Decision.Allow:
		return sidecar.Identity{}, fmt.Errorf("%w: a key that does not exist is allowed", policy.ErrNoDecision)
	case identity.KeyID == "":
		return sidecar.Identity{Decision: identity.Decision}, sidecar.ErrUnknownKey
	}
	return identity, nil
}

// NoteRefused implements sidecar.Service.
func (c *Client) NoteRefused(ctx context.Context, refused sidecar.Refused) error {
	_, err := call[rpc.Nothing](ctx, c, c.o.DecisionTimeout, "note-refused", refused)
	return err
}

// Decide implements sidecar.Service.
func (c *Client) Decide(ctx context.Context, keyID, projectID string, action policy.Action) (policy.Decision, error) {
	answer, err := call[decided](ctx, c, c.o.DecisionTimeout, "decide", question{keyID, projectID, action})
	if err == nil {
		err = answer.Check()
	}
	if err != nil {
		return policy.Decision{}, err
	}
	d := answer.Decision
	d.Reads, d.OwnerID = answer.Reads, answer.OwnerID
	return d, nil
}

// Job implements sidecar.Service.
func (c *Client) Job(ctx context.Context, jobID string) (sidecar.Job, error) {
	return call[sidecar.Job](ctx, c, readTimeout, "job", jobRef{jobID})
}

// Jobs implements sidecar.Service.
func (c *Client) Jobs(ctx context.Context, q sidecar.JobQuery) (sidecar.JobPage, error) {
	return call[sidecar.JobPage](ctx, c, readTimeout, "jobs", q)
}

// GrantStream implements sidecar.Service.
func (c *Client) GrantStream(ctx context.Context, hash mint.KeyHash, keyID, jobID string) (time.Time, error) {
	return call[time.Time](ctx, c, saveTimeout, "grant-stream", streamGrant{hash[:], keyID, jobID})
}

// StreamGrant implements sidecar.Service.
func (c *Client) StreamGrant(ctx context.Context, hash mint.KeyHash) (sidecar.StreamGrant, error) {
	return call[sidecar.StreamGrant](ctx, c, c.o.DecisionTimeout, "stream-grant", keyHash{hash[:]})
}

// AwaitEnd implements sidecar.Service. It waits through a restart of the
// sidecar.
func (c *Client) AwaitEnd(ctx context.Context, jobID string) (sidecar.Job, error) {
	for {
		e, err := insist[ending](ctx, c, endSlice+readTimeout, "await-end", jobRef{jobID})
		if err != nil || e.Ended {
			return e.Job, err
		}
	}
}

// Replay implements sidecar.Service.
func (c *Client) Replay(ctx context.Context, keyID, idempotencyKey, fingerprint string) (*sidecar.Job, error) {
	return call[*sidecar.Job](ctx, c, readTimeout, "replay", earlier{keyID, idempotencyKey, fingerprint})
}

// Reserve implements sidecar.Service. A call without an answer is repeated once; the
// reservation is made once. If the second call brings no admission either, the
// caller refuses the submission, and the reservation is withdrawn: the first call
// may still be under way.
func (c *Client) Reserve(ctx context.Context, r sidecar.Reservation) (sidecar.Admission, error) {
	admission, err := once[sidecar.Admission](ctx, c, "reserve", reservation{Reservation: r})
	if !errors.Is(err, sidecar.ErrUnreachable) || errors.Is(err, peer.ErrNotListening) {
		return admission, err // nothing was sent when nobody listens
	}
	if ctx.Err() == nil {
		again, errAgain := once[sidecar.Admission](ctx, c, "reserve", reservation{Reservation: r})
		if errAgain == nil {
			return again, nil
		}
		if !errors.Is(errAgain, sidecar.ErrUnreachable) {
			err = errAgain
		}
	}
	c.tasks.Go(func() { c.withdraw(r) })
	return sidecar.Admission{}, err
}

// withdraw releases a reservation that may exist, or may still be made.
func (c *Client) withdraw(r sidecar.Reservation) {
	ctx, cancel := context.WithTimeout(c.ctx, withdrawTimeout)
	defer cancel()
	if _, err := insist[rpc.Nothing](ctx, c, saveTimeout, "withdraw", reservation{Reservation: r}); err != nil {
		c.o.Logger.Warn("reservation whose answer was lost is not released; it ends when it is overdue",
			zap.String("job_id", r.JobID), zap.Error(err))
	}
}

// Renew implements sidecar.Service. It is not repeated: the next one says more.
func (c *Client) Renew(ctx context.Context, jobID string, after time.Duration) error {
	_, err := call[rpc.Nothing](ctx, c, saveTimeout, "renew", renewal{jobID, after})
	return err
}

// Commit implements sidecar.Service. It is repeated: the engine has the job.
func (c *Client) Commit(ctx context.Context, jobID string) error {
	return c.settle(ctx, "commit", jobID)
}

// Release implements sidecar.Service. It is repeated: the slot is the key's.
func (c *Client) Release(ctx context.Context, jobID string) error {
	return c.settle(ctx, "release", jobID)
}

func (c *Client) settle(ctx context.Context, name, jobID string) error {
	ctx, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	_, err := insist[rpc.Nothing](ctx, c, saveTimeout, name, jobRef{jobID})
	return err
}

// CreateProject implements sidecar.Service.
func (c *Client) CreateProject(ctx context.Context, userID string, req api.ProjectRequest) (api.Project, error) {
	project, err := once[api.Project](ctx, c, "create-project", newProject{userID, req})
	return project, inDoubt(err)
}

// CreateProjectOnce implements sidecar.Service.
func (c *Client) CreateProjectOnce(ctx context.Context, userID string, req api.ProjectRequest, name sidecar.Once) (api.Project, bool, error) {
	made, err := call[createdOnce](ctx, c, saveTimeout, "create-project-once", projectOnce{newProject{userID, req}, name})
	return made.Project, made.Replayed, inDoubt(err)
}

// inDoubt makes the error of a call that may have been done a sidecar.ErrInDoubt.
func inDoubt(err error) error {
	if errors.Is(err, sidecar.ErrUnreachable) && !errors.Is(err, peer.ErrNotListening) {
		return fmt.Errorf("%w: %w", sidecar.ErrInDoubt, err)
	}
	return err
}

// Project implements sidecar.Service.
func (c *Client) Project(ctx context.Context, projectID string) (sidecar.Project, error) {
	return call[sidecar.Project](ctx, c, readTimeout, "project", rpc.ProjectRef{ProjectID: projectID})
}

// Projects implements sidecar.Service.
func (c *Client) Projects(ctx context.Context, userID, after string, limit int) (api.ProjectList, error) {
	return call[api.ProjectList](ctx, c, readTimeout, "projects", projectPage{userID, after, limit})
}

// ProjectJobs implements sidecar.Service.
func (c *Client) ProjectJobs(ctx context.Context, projectID, before string) (sidecar.JobPage, error) {
	return call[sidecar.JobPage](ctx, c, readTimeout, "project-jobs", jobsBefore{projectID, before})
}

// DeleteProject implements sidecar.Service.
func (c *Client) DeleteProject(ctx context.Context, projectID string) error {
	_, err := once[rpc.Nothing](ctx, c, "delete-project", rpc.ProjectRef{ProjectID: projectID})
	return err
}

// Publish implements sidecar.Service.
func (c *Client) Publish(ctx context.Context, projectID, jobID string) (api.Publication, error) {
	return call[api.Publication](ctx, c, saveTimeout, "publish", publish{projectID, jobID})
}

// Unpublish implements sidecar.Service.
func (c *Client) Unpublish(ctx context.Context, projectID string) error {
	_, err := call[rpc.Nothing](ctx, c, saveTimeout, "unpublish", rpc.ProjectRef{ProjectID: projectID})
	return err
}

// Publication implements sidecar.Service.
func (c *Client) Publication(ctx context.Context, projectID string) (api.Publication, error) {
	return call[api.Publication](ctx, c, readTimeout, "publication", rpc.ProjectRef{ProjectID: projectID})
}

// Overview implements sidecar.Service.
func (c *Client) Overview(ctx context.Context, projectID string, days int) (api.Overview, error) {
	return call[api.Overview](ctx, c, readTimeout, "overview", span{projectID, days})
}

// View implements sidecar.Service.
func (c *Client) View(ctx context.Context, projectID string, q api.ViewQuery) (api.View, error) {
	return call[api.View](ctx, c, readTimeout, "view", look{projectID, q})
}

// Changes implements sidecar.Service.
func (c *Client) Changes(ctx context.Context, after int64) (sidecar.Changes, error) {
	return call[sidecar.Changes](ctx, c, readTimeout, "changes", place{after})
}

// Health implements sidecar.Service. A sidecar of an earlier version reports its
// policy alone.
func (c *Client) Health(ctx context.Context) (sidecar.Health, error) {
	s, err := call[status](ctx, c, readTimeout, "status", rpc.Nothing{})
	if err != nil {
		return sidecar.Health{}, err
	}
	h := sidecar.Health{PolicyRevision: s.PolicyRevision, PolicyProblem: s.PolicyProblem, Push: s.Push}
	if s.WriteError != "" {
		h.Writes = errors.New(s.WriteError)
	}
	return h, nil
}

// Interface guards
var _ sidecar.Service = (*Client)(nil)
