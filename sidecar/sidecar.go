// Package sidecar is what the gateway asks: who holds a key, what the policy
// says, and the ledger's reserve, commit and release. Service is the contract;
// package service answers it in process, over one store.
package sidecar

import (
	"context"
	"errors"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
)

// Errors of Service. Any other error means that the question could not be
// answered, and the caller fails closed.
var (
	ErrUnknownKey     = errors.New("no such API key")
	ErrUnknownToken   = errors.New("no such stream token")
	ErrUnknownJob     = errors.New("no such job")
	ErrUnknownProject = errors.New("no such project")
	ErrProjectBusy    = errors.New("the project has unfinished jobs")
	ErrNotPublished   = errors.New("the project is not published")
	ErrNoWebhook      = errors.New("the project has no webhook")
	// ErrUnknownDelivery: there is none of this id in the project, or no longer.
	ErrUnknownDelivery = errors.New("no such delivery")
	// ErrReleased is the answer to a commit that comes after the reservation
	// was released.
	ErrReleased = errors.New("the reservation was released")
	// ErrUnreachable: a sidecar in another process gave no answer. Nothing is
	// known about what was asked for.
	ErrUnreachable = errors.New("the sidecar can't be reached")
	// ErrSlow: besides ErrUnreachable, that it was asked and its answer is late.
	ErrSlow = errors.New("the sidecar did not answer in time")
	// ErrInDoubt: whether it was done is not known, and a repetition may do it twice.
	ErrInDoubt = errors.New("the outcome is unknown")
	// ErrIdempotencyMismatch: the Idempotency-Key was used with another body.
	ErrIdempotencyMismatch = errors.New("the idempotency key was used for another request")
)

// Service is what the gateway needs of the sidecar. Implementations are safe
// for concurrent use.
type Service interface {
	// Authenticate looks up a key by the hash of its secret and evaluates the
	// policy for it alone. It returns ErrUnknownKey for a key that does not exist, with
	// an Identity of no one whose Decision, if it has one, is what the policy says to
	// such keys; and for a disabled or revoked key a Decision that denies.
	Authenticate(ctx context.Context, hash mint.KeyHash) (Identity, error)

	// NoteRefused records what a gateway refused without a question. What comes of it is
	// nothing to the answer, which was given.
	NoteRefused(ctx context.Context, refused Refused) error

	// Decide gathers the facts about key, project and usage and evaluates the
	// policy once. projectID may be "" for actions that name no project. An
	// unknown project is no error: the policy sees null and denies.
	Decide(ctx context.Context, keyID, projectID string, action policy.Action) (policy.Decision, error)

	// GrantStream lets whoever has the stream token with this hash read a job's events
	// as the key may, until the time that it returns. It is idempotent. Over the
	// tokens that a key may have it returns an *answers.Error.
	GrantStream(ctx context.Context, hash mint.KeyHash, keyID, jobID string) (time.Time, error)

	// StreamGrant returns what a stream token grants, or ErrUnknownToken. Whether its
	// key may do so now is the policy's to say.
	StreamGrant(ctx context.Context, hash mint.KeyHash) (StreamGrant, error)

	// Job returns a job by id, or ErrUnknownJob. A released reservation is
	// unknown.
	Job(ctx context.Context, jobID string) (Job, error)

	// Jobs returns a page of the jobs of a project or a user, newest first.
	Jobs(ctx context.Context, q JobQuery) (JobPage, error)

	// AwaitEnd returns the job once it is settled, or ctx's error.
	AwaitEnd(ctx context.Context, jobID string) (Job, error)

	// Replay returns the job that an earlier submission with the same
	// idempotency key made, or nil when there is none. The gateway asks once
	// the policy lets the key use the project, before it refuses for a limit or
	// starts an engine: a replay is free. ErrIdempotencyMismatch for another
	// body, an *answers.Error with status 409 while the earlier one is in flight.
	Replay(ctx context.Context, keyID, idempotencyKey, fingerprint string) (*Job, error)

	// Reserve admits a submission, all four limits and the key's state in one
	// transaction, or writes nothing. A limit that is hit, and a key that is
	// no longer active, come back as *answers.Error with status 429 and 401; the key
	// of a suspended user with 403. The same job id again is the same submission, which counts once.
	Reserve(ctx context.Context, r Reservation) (Admission, error)

	// Renew puts the deadline of a reservation off: it is overdue after a time from
	// now, or when it was before, whichever is later. Its gateway works on it. One
	// that is committed or released stays as it is, and so does an unknown one.
	Renew(ctx context.Context, jobID string, after time.Duration) error

	// Commit records that the engine accepted the job. It is idempotent, and
	// succeeds on an overdue reservation; ErrReleased when it was released.
	Commit(ctx context.Context, jobID string) error

	// Release undoes a reservation that the engine provably did not accept.
	// It is idempotent and never undoes a committed job.
	Release(ctx context.Context, jobID string) error

	// CreateProject makes a project owned by userID. Over the cap of projects
	// a user may have it returns an *answers.Error. After any other error there is no
	// such project, but for ErrInDoubt.
	CreateProject(ctx context.Context, userID string, req api.ProjectRequest) (api.Project, error)

	// CreateProjectOnce is CreateProject for a request that has a name: it returns what
	// an earlier request of the same name made, as long as that is there, or
	// ErrIdempotencyMismatch when its body was another. After ErrInDoubt the same
	// request finds out.
	CreateProjectOnce(ctx context.Context, userID string, req api.ProjectRequest, once Once) (made api.Project, replayed bool, err error)

	// Project returns a project by id, or ErrUnknownProject.
	Project(ctx context.Context, projectID string) (Project, error)

	// Projects lists a user's projects, newest first, after the cursor "" or
	// one that an earlier list returned. Where the policy reads attributes of projects there
	// are those of others among them whose attributes name the user: the caller has the
	// policy decide on each.
	Projects(ctx context.Context, userID, after string, limit int) (api.ProjectList, error)

	// ProjectJobs returns the jobs of a project, newest first, before the job "" for
	// all or the Next of an earlier page.
	ProjectJobs(ctx context.Context, projectID, before string) (JobPage, error)

	// Changes returns the keys that changed their state after a place in the
	// revocation log, and the basis of decisions. A cache of Identities and Decisions
	// drops those of these keys, or all when the basis changed; the rest are as
	// current as the call. A negative place names the log's end.
	Changes(ctx context.Context, after int64) (Changes, error)

	// Watch returns a channel that receives when Changes may have something
	// new. It is a hint: it may come late, or be lost. stop must be called once.
	Watch() (hints <-chan struct{}, stop func())

	// WatchJobs has changed called with each job whose record changed or was
	// deleted, once the change can be read and before AwaitEnd returns. complete
	// is false, and changed never called, where jobs change without this Service's
	// knowledge. stop must be called once.
	WatchJobs(changed func(jobID string)) (stop func(), complete bool)

	// DeleteProject deletes a project and its jobs; ErrProjectBusy while one
	// of them is unfinished.
	DeleteProject(ctx context.Context, projectID string) error

	// Publish has players get the game of a completed job of the project, instead of
	// another one if there is. It is idempotent. It returns ErrUnknownProject or
	// ErrUnknownJob, or an *answers.Error for a job that did not complete.
	Publish(ctx context.Context, projectID, jobID string) (api.Publication, error)

	// Unpublish takes that back. It is idempotent.
	Unpublish(ctx context.Context, projectID string) error

	// Publication returns which job's game players get, or ErrNotPublished.
	Publication(ctx context.Context, projectID string) (api.Publication, error)

	// Overview returns how a project's game was played in the last days.
	Overview(ctx context.Context, projectID string, days int) (api.Overview, error)

	// View returns that as one of api.Views shows it.
	View(ctx context.Context, projectID string, q api.ViewQuery) (api.View, error)

	Games
	Webhooks

	// Health returns the sidecar's own status. It tries a write, so it is not for
	// frequent checks.
	Health(ctx context.Context) (Health, error)
}

// Games are the part of Service in which owners set what players get of a game.
type Games interface {
	// PlaySettings returns a game's settings, or ErrUnknownProject.
	PlaySettings(ctx context.Context, projectID string) (api.PlaySettings, error)

	// SetPlaySettings changes some of them. It is idempotent. It returns ErrUnknownProject.
	SetPlaySettings(ctx context.Context, projectID string, change api.PlayChange) (api.PlaySettings, error)

	// RotatePlayKey gives a published game another key. Those before go on for a time.
	// Repeated, it makes one more, and ends none earlier than that. It returns
	// ErrUnknownProject or ErrNotPublished.
	RotatePlayKey(ctx context.Context, projectID string, keep time.Duration) (api.Publication, error)

	// Experiments returns a game's.
	Experiments(ctx context.Context, projectID string) ([]api.Experiment, error)

	// ChangeExperiment makes a draft of one, or takes it to another state, and returns
	// all. It is idempotent. Its error is an *answers.Error for a change that can't be.
	ChangeExperiment(ctx context.Context, projectID string, change api.ExperimentChange) ([]api.Experiment, error)

	// BoardRules returns how a game's board counts.
	BoardRules(ctx context.Context, projectID string) (api.BoardRules, error)

	// SetBoardRules replaces that. It is idempotent.
	SetBoardRules(ctx context.Context, projectID string, rules api.BoardRules) (api.BoardRules, error)
}

// PlayGrant is what a key of a game is good for.
type PlayGrant struct {
	JobID   string   // whose game is played, "" for a key that is good for nothing
	Origins []string // of the pages that may report; empty for all
}

// NoSigningWebhook is the refusal of a job's webhook where the project has none.
func NoSigningWebhook() *answers.Error {
	return answers.BadRequest("The project has no webhook, whose secret signs the post: set it before you give a job its own.")
}

// Webhooks are the part of Service that says where the ends of a project's jobs are
// posted to, and what became of it.
type Webhooks interface {
	// SetWebhook has the ends of the project's jobs posted to a URL, instead of another
	// one if there is. The answer holds the secret when there was no webhook before. For
	// a URL that may not be posted to it returns an *answers.Error; or ErrUnknownProject.
	SetWebhook(ctx context.Context, projectID string, req api.WebhookRequest) (api.Webhook, error)

	// CheckJobWebhook returns an *answers.Error with status 400 where a job of the project
	// can't have such a webhook: the project has none, or the address may not be posted to.
	CheckJobWebhook(ctx context.Context, projectID string, req api.WebhookRequest) error

	// Webhook returns a project's webhook without its secret, or ErrNoWebhook.
	Webhook(ctx context.Context, projectID string) (api.Webhook, error)

	// DropWebhook ends it, and forgets its deliveries. It is idempotent.
	DropWebhook(ctx context.Context, projectID string) error

	// RotateWebhook makes another secret, which the answer holds. The one before signs
	// besides for a day. It returns ErrNoWebhook.
	RotateWebhook(ctx context.Context, projectID string) (api.Webhook, error)

	// Deliveries returns a page of the project's deliveries, newest first.
	Deliveries(ctx context.Context, q DeliveryQuery) (api.DeliveryList, error)

	// ReplayDelivery has a delivery posted again, as if it were new, or returns
	// ErrUnknownDelivery.
	ReplayDelivery(ctx context.Context, projectID, deliveryID string) (api.Delivery, error)
}

// DeliveryQuery asks for deliveries.
type DeliveryQuery struct {
	ProjectID string
	State     string // one of api's, "" for all
	Before    string // the NextCursor of the page before; "" for the first
	Limit     int    // above 0
}

// Once names a request that its client may repeat.
type Once struct {
	KeyID       string
	Name        string // the Idempotency-Key, "" for a request without one
	Fingerprint string // the SHA-256 of the body, hexadecimal
}

// Health is the status of a sidecar.
type Health struct {
	// PolicyRevision names the rules in force, "" for a policy that has no name.
	PolicyRevision string
	// PolicyProblem says in one line why newer rules are not in force, "" when they
	// are.
	PolicyProblem string
	// Push is the state of the push channel from other sidecars: "none" without a
	// Redis, "connected", or "lost" while changes are polled; "" when not known.
	Push string
	// Writes is why the store can't be written to; nil when it can, or when that is
	// not known.
	Writes error
}

// Identity is who holds a key, and whether the policy lets the key be used.
type Identity struct {
	KeyID    string
	UserID   string
	Decision policy.Decision
}

// Refused is what a gateway refused because there was no key that could be asked about, or
// too many were, as it was answered.
type Refused struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
	Reason  string `json:"reason,omitempty"`
	Count   int64  `json:"count"` // of like ones
}

// Changes is a part of the revocation log.
type Changes struct {
	// Seq is the place of the last change, or the one asked after when there
	// is none.
	Seq    int64
	KeyIDs []string
	// Basis names what decisions depend on besides their key: the rules in force, the
	// attributes of projects and the states of users. Identities and Decisions of
	// another basis are void.
	Basis string
	// More says that there are further changes; ask again after Seq.
	More bool
}

// Project is a project and who owns it.
type Project struct {
	api.Project
	OwnerID   string
	SessionID string
}

// Job is a job as the ledger knows it.
type Job struct {
	api.Job
	KeyID   string
	OwnerID string
	// Settled is set once the job's end is in the ledger, and therefore its
	// record, events and files in the archive.
	Settled bool
	// Encoded is the record's wire form, where a mirror keeps it; else nil.
	Encoded *answers.EncodedJob `json:"-"`
}

// JobQuery asks for jobs.
type JobQuery struct {
	ProjectID string        // "" asks for those of all projects of UserID
	UserID    string        // nobody's but the owner of projects counts
	Status    api.JobStatus // "" asks for all
	Before    string        // the Next of the page before; "" for the first
	Limit     int           // above 0
}

// JobPage is a part of a list of jobs, newest first.
type JobPage struct {
	Jobs []Job `json:"jobs"`
	// Next asks for the jobs before; "" after the last one.
	Next string `json:"next,omitempty"`
}

// StreamGrant is what a stream token is good for: the events of a job, with the rights
// of a key.
type StreamGrant struct {
	KeyID  string
	UserID string // the key's
	JobID  string
}

// Reservation is a submission that asks to be admitted.
type Reservation struct {
	JobID     string
	KeyID     string
	ProjectID string
	// Limits narrow the key's own limits, as the policy's decision said.
	Limits policy.Limits
	// Deadline after which an uncommitted reservation is overdue, unless it is renewed;
	// 0 means the implementation's default, 60 s.
	Deadline time.Duration
	// IdempotencyKey is "" when the client sent none. Fingerprint is the
	// SHA-256 of the body, hexadecimal.
	IdempotencyKey string
	Fingerprint    string
	// Webhook is where the job's end is posted to, nil for the project's. Where the
	// project has none, or its URL may not be posted to, Reserve returns an *answers.Error.
	Webhook *api.WebhookRequest `json:",omitempty"`
}

// Admission is an admitted submission.
type Admission struct {
	SessionID string
	// Replayed is the job that an earlier request with the same idempotency
	// key made; nothing was reserved.
	Replayed *Job
	// Usage and Limits are those after this admission, for the RateLimit
	// headers.
	Usage  policy.Usage
	Limits policy.Limits
}
