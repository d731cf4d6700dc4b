// Package contract holds the wire types of the engine contract: what an
// engine speaks with the engine proxy over its own socket, and what the engine
// proxy hands on to the ledger. docs/engine-contract.md is the prose.
//
// Every call to an engine carries "Authorization: Bearer TOKEN", where TOKEN
// is the instance's own, made by the engine proxy at each start.
package contract

import (
	"strings"
	"time"

	"github.com/svc-games/svc/api"
)

// Headers between gateway, engine proxy and engine.
const (
	// HeaderJobID carries the job id of a submission to the engine, and of a
	// 504 to the client.
	HeaderJobID = "Svc-Job-Id"
	// HeaderSessionID carries the session id of a submission to the engine.
	HeaderSessionID = "Svc-Session-Id"
	// HeaderRequestID names, on a submission, the request of a client that it came by, for
	// the engine's log.
	HeaderRequestID = "X-Request-Id"
	// HeaderRefused is "true" on an engine's answer that promises that the
	// submission was not accepted and never will be by itself.
	HeaderRefused = "Svc-Refused"
	// HeaderInstance is on every answer of an engine: its instance id.
	HeaderInstance = "Svc-Instance-Id"
)

// Paths of the contract, besides the public routes of /v1/generate.
const (
	PathReady    = "/internal/readyz"
	PathActivity = "/internal/activity"
	PathJobs     = "/internal/jobs" // and /internal/jobs/{id}/record|events|files
	PathFeed     = "/internal/feed"
	PathAck      = "/internal/feed/ack"
	PathFence    = "/internal/fence"
	PathDrain    = "/internal/drain"
	PathUndrain  = "/internal/undrain"
	PathSnapshot = "/internal/snapshot" // the game as it is now, a ZIP
	PathReplay   = "/internal/replay"   // of an engine without a volume alone
)

// Ready is the 200 body of GET /internal/readyz; 503 means not yet.
type Ready struct {
	InstanceID string `json:"instanceId"`
	ProjectID  string `json:"projectId"`
	FeedID     string `json:"feedId"` // minted with the volume
	Version    string `json:"version"`
}

// MaxName is how many bytes the id of a feed, or the name of a step, has at most.
const MaxName = 128

// MaxQueued is how many jobs may wait for their turn in an engine.
const MaxQueued = 20

// ValidName reports whether s can be the id of a feed or the name of a step: 1 to
// MaxName bytes of ASCII that can be seen. A database takes no other characters
// everywhere.
func ValidName(s string) bool {
	return s != "" && len(s) <= MaxName && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Activity is the body of GET /internal/activity: the engine's own word on
// whether it works.
type Activity struct {
	RunningJobs  int       `json:"runningJobs"`
	QueuedJobs   int       `json:"queuedJobs"`
	OpenStreams  int       `json:"openStreams"`
	UnackedFeed  int       `json:"unackedFeed"` // feed records without an acknowledgement
	LastActivity time.Time `json:"lastActivity"`
}

// Busy reports whether the engine must not be stopped.
func (a Activity) Busy() bool { return a.Works() || a.UnackedFeed > 0 }

// Works reports whether the engine has a job that has not ended.
func (a Activity) Works() bool { return a.RunningJobs+a.QueuedJobs > 0 }

// JobRecord is the engine's record of a job. It knows no TIK and needs no
// session: the sidecar adds them to make an api.Job.
type JobRecord struct {
	JobID       string        `json:"jobId"`
	ProjectID   string        `json:"projectId"`
	SessionID   string        `json:"sessionId"`
	Status      api.JobStatus `json:"status"`
	Progress    api.Progress  `json:"progress"`
	CreatedAt   time.Time     `json:"createdAt"`
	StartedAt   *time.Time    `json:"startedAt,omitempty"`
	FinishedAt  *time.Time    `json:"finishedAt,omitempty"`
	Failure     *api.Failure  `json:"failure,omitempty"`
	Files       *api.Files    `json:"files,omitempty"`
	LastEventID uint64        `json:"lastEventId"`
	Unmet       []api.Unmet   `json:"unmet,omitempty"`
	Model       string        `json:"model,omitempty"` // who makes the game
}

// Public returns the public record of the job.
func (r JobRecord) Public(sessionID string, spent api.TIK) api.Job {
	return api.Job{
		JobID: r.JobID, ProjectID: r.ProjectID, SessionID: sessionID,
		Status: r.Status, Progress: r.Progress, CreatedAt: r.CreatedAt,
		StartedAt: r.StartedAt, FinishedAt: r.FinishedAt, TIKSpent: spent,
		Failure: r.Failure, Files: r.Files, LastEventID: r.LastEventID, Unmet: r.Unmet, Model: r.Model,
	}
}

// JobList is the body of GET /internal/jobs: every job the volume knows, in
// order of acceptance.
type JobList struct {
	Jobs []JobRecord `json:"jobs"`
}

// FeedKind is what a feed record reports.
type FeedKind string

// The kinds of feed records. Every kind but usage carries the job's record as
// it was at that moment.
const (
	FeedStarted  FeedKind = "started"  // the job runs; Next names its first priced step
	FeedProgress FeedKind = "progress" // its record changed; at most four a second
	FeedUsage    FeedKind = "usage"    // a priced step was done: Units; Next names the following one, if any
	FeedEnded    FeedKind = "ended"    // it has ended; the terminal event waits for the acknowledgement
)

// Unit is a priced quantity, "generator.job" 1 for one. The sidecar knows the
// prices; an engine never does.
type Unit struct {
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
}

// Units that the service itself counts: the egress, for calls to models.
const (
	UnitImage = "image"  // one picture
	UnitAudio = "audio"  // one sound file
	UnitModel = "model." // and the model's name, and .input or .output, or one of the next: tokens

	UnitCached     = ".cached"      // read, and a cache had them
	UnitCacheWrite = ".cache_write" // read, and written to a cache
)

// UnitJob is one job of the reference engine's generator.
const UnitJob = "generator.job"

// Bounds of what an engine may report as used.
const (
	MaxUnits = 1000 // of one unit, by one job
	maxJobs  = 1    // of UnitJob, by one job
)

// MaxReported is how much of a unit an engine may report for one job: none of
// what the service counts itself.
func MaxReported(unit string) int64 {
	switch {
	case unit == UnitImage, unit == UnitAudio, strings.HasPrefix(unit, UnitModel):
		return 0
	case unit == UnitJob:
		return maxJobs
	default:
		return MaxUnits
	}
}

// FeedRecord is one line of GET /internal/feed?after=N, NDJSON that stays
// open and grows. Seq is dense from 1 in a feed; a record shares one fsync
// with the event it reports.
type FeedRecord struct {
	FeedID string     `json:"feedId"`
	Seq    uint64     `json:"seq"`
	Kind   FeedKind   `json:"kind"`
	JobID  string     `json:"jobId"`
	At     time.Time  `json:"at"`
	Record *JobRecord `json:"record,omitempty"`
	Units  []Unit     `json:"units,omitempty"`
	Next   string     `json:"next,omitempty"` // name of the priced step to come
}

// Ack is the body of POST /internal/feed/ack: everything up to Seq is in the
// ledger. Stop lists jobs that must end now.
type Ack struct {
	FeedID string `json:"feedId"`
	Seq    uint64 `json:"seq"`
	Stop   []Stop `json:"stop,omitempty"`
}

// Stop tells an engine to end a job as failed with Code, or, for a job that
// the ledger doesn't know as accepted, to end it whatever it does.
type Stop struct {
	JobID string          `json:"jobId"`
	Code  api.FailureCode `json:"code"`
}

// FenceRequest is the body of POST /internal/fence.
type FenceRequest struct {
	JobID string `json:"jobId"`
}

// FenceVerdict is the answer to a fence.
type FenceVerdict string

// The verdicts. Fenced is a promise on disk: the engine never accepts that id.
const (
	Accepted FenceVerdict = "accepted"
	Fenced   FenceVerdict = "fenced"
)

// FenceResponse is the body of the answer to POST /internal/fence.
type FenceResponse struct {
	Verdict FenceVerdict `json:"verdict"`
}

// FeedBatch is what the engine proxy hands to the ledger: records of one
// feed, dense, in order.
type FeedBatch struct {
	ProjectID string       `json:"projectId"`
	FeedID    string       `json:"feedId"`
	Records   []FeedRecord `json:"records"`
}

// FeedVerdict is the ledger's answer to a batch.
type FeedVerdict struct {
	Cursor uint64 `json:"cursor"` // everything up to here is applied
	Stop   []Stop `json:"stop,omitempty"`
	// Breach, unless nil, is the record after Cursor: it, and what follows, is
	// applied once its job has ended.
	Breach *Breach `json:"breach,omitempty"`
}

// Breach is a record that no engine which keeps the contract makes. Its job must
// end as failed.
type Breach struct {
	JobID  string `json:"jobId"`
	Reason string `json:"reason"` // for logs
}

// CallGrant is what the ledger says before a call to a model goes out.
type CallGrant struct {
	JobID     string `json:"jobId,omitempty"`     // the project's running job, which pays; "" when none runs
	Exhausted bool   `json:"exhausted,omitempty"` // the payer's balance allows no further step
}

// Call is a call to a model that was made for a job, as it is charged. ID is
// unique within the project and never used again.
type Call struct {
	ProjectID string `json:"projectId"`
	ID        int64  `json:"id"`
	JobID     string `json:"jobId"`
	Units     []Unit `json:"units"`
}

// OpenJob is a job that the ledger counts as running.
type OpenJob struct {
	JobID     string    `json:"jobId"`
	ProjectID string    `json:"projectId"`
	OwnerID   string    `json:"ownerId"`
	Reserved  bool      `json:"reserved"` // not yet committed
	Overdue   bool      `json:"overdue"`  // reserved, and past its deadline
	Record    JobRecord `json:"record"`   // as last reported
}

// MaxReplays is how many runs of a game are played again at once.
const MaxReplays = 8

// Replays are runs of a published game that players reported, to be played again.
type Replays struct {
	ProjectID string   `json:"projectId"`
	JobID     string   `json:"jobId"` // whose game it is
	Runs      []Replay `json:"runs"`  // none when nothing waits
}

// Replay is a run as its page reported it.
type Replay struct {
	Stream string `json:"stream"`
	Run    int64  `json:"run"` // of the page, from 1
	Log    string `json:"log"`
	// Given are the parameters that the service gave its player, whatever the log says.
	Given map[string]string `json:"given,omitempty"`
	// Steps are how many it had time for, as the service saw.
	Steps int64 `json:"steps"`
}

// ReplayTooLong is the failure of a run that was given up, as it took too long.
const ReplayTooLong = "the run takes too long"

// Replayed is what runs of a game came to that were played again: the 200 body of POST
// PathReplay, whose own is a line with a list of Replay and then the ZIP of the game.
type Replayed struct {
	ProjectID string         `json:"projectId,omitempty"`
	Endings   []ReplayEnding `json:"endings"`
	Took      int64          `json:"took,omitempty"` // ms of an engine, which no engine itself says
}

// ReplayEnding is what a run came to that was played again.
type ReplayEnding struct {
	Stream  string  `json:"stream"`
	Run     int64   `json:"run"`
	Over    bool    `json:"over"` // it ended by itself
	Outcome string  `json:"outcome"`
	Score   float64 `json:"score"`
	Steps   int64   `json:"steps"` // of a sixtieth of a second
	// Sure says that the game comes to one end only, whatever engine plays it: the engine
	// knows its sources as its own.
	Sure bool `json:"sure,omitempty"`
	// Foreign is what the game called that engines do not do alike, "" for nothing.
	Foreign string `json:"foreign,omitempty"`
	// Failed is why the run could not be played again, "" when it was.
	Failed string `json:"failed,omitempty"`
	// Unplayed says that no engine had the run: it waits as before.
	Unplayed bool `json:"unplayed,omitempty"`
}

// Installation is one data directory with engines and their volumes.
type Installation struct {
	ID    string    `json:"id"`    // lies in the folder, and moves with it
	Place string    `json:"place"` // host and folder, for people
	Since time.Time `json:"since"` // when it took the engines; the ledger's word
}
