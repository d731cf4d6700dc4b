// Package policy decides, by Rego, whether a key is alive, whether its user
// may use a project, and whether a submission is within the key's limits. The
// rules are in the *.rego files beside this one; this file is their contract
// with Go.
package policy

import (
	"errors"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/api"
)

// Action is what a request wants to do.
type Action string

// The actions. ActionAuthenticate asks about the key alone.
const (
	ActionAuthenticate  Action = "authenticate"
	ActionCreateProject Action = "projects.create"
	ActionListProjects  Action = "projects.list"
	ActionGetProject    Action = "projects.get"
	ActionDeleteProject Action = "projects.delete"
	ActionProjectJobs   Action = "projects.jobs" // the list of one project's
	ActionPublish       Action = "projects.publish"
	ActionUnpublish     Action = "projects.unpublish"
	ActionAnalytics     Action = "analytics.read"
	ActionReadWebhooks  Action = "webhooks.read"  // deliveries too
	ActionWriteWebhooks Action = "webhooks.write" // replay too
	ActionStatus        Action = "status"
	ActionEvents        Action = "events"
	ActionStreamToken   Action = "events.token" // making one
	ActionFiles         Action = "files"
	ActionCancel        Action = "cancel"
	ActionGenerate      Action = "generate"
	ActionListModels    Action = "models.list"
	ActionListJobs      Action = "jobs.list" // of all projects of the key's user
	ActionStudioRead    Action = "studio.read"
	ActionStudioWrite   Action = "studio.write"
)

// The actions of users without a key: in the console, by a preview's code, or as an
// admin. ActionReadConsole is the user's own account but for keys and projects, and
// signing in.
const (
	ActionSetAttributes Action = "projects.attributes"
	ActionPreview       Action = "preview"
	ActionReadConsole   Action = "console.read"
	ActionReadKeys      Action = "keys.read"
	ActionCreateKey     Action = "keys.create"
	ActionChangeKey     Action = "keys.change"

	// The same of a key of another user, and of one that is not there: a policy that does not
	// know them lets nobody at others' keys.
	ActionReadOthersKeys   Action = "keys.others.read"
	ActionChangeOthersKeys Action = "keys.others.change"

	ActionAdminRead  Action = "admin.read"
	ActionAdminWrite Action = "admin.write"
)

// Actions returns all of them, in the order of a policy's table. The schema of the
// input and the shipped rules list the same ones.
func Actions() []Action {
	return []Action{
		ActionAuthenticate, ActionCreateProject, ActionListProjects, ActionGetProject, ActionDeleteProject, ActionProjectJobs,
		ActionPublish, ActionUnpublish, ActionAnalytics, ActionReadWebhooks, ActionWriteWebhooks, ActionStudioRead, ActionStudioWrite,
		ActionStatus, ActionEvents, ActionStreamToken, ActionFiles, ActionCancel, ActionGenerate, ActionListJobs, ActionListModels,
		ActionSetAttributes, ActionPreview, ActionReadConsole, ActionReadKeys, ActionCreateKey, ActionChangeKey,
		ActionReadOthersKeys, ActionChangeOthersKeys, ActionAdminRead, ActionAdminWrite,
	}
}

// States of a key.
const (
	KeyActive   = "active"
	KeyDisabled = "disabled"
	KeyRevoked  = "revoked"
)

// States of a user.
const (
	UserActive    = "active"
	UserSuspended = "suspended"
)

// Scopes that the shipped policy knows.
const (
	ScopeRead = "read" // what changes nothing
	ScopeFull = "full"
)

// Input is everything a decision may depend on. It holds no secret.
type Input struct {
	Action  Action   `json:"action"`
	Key     *Key     `json:"key"`
	Project *Project `json:"project"`
	Usage   *Usage   `json:"usage"`
	User    *User    `json:"user,omitempty"`
	// Target is nil where the action is about nobody, about a project, or about all users.
	Target *Target `json:"target,omitempty"`
	// Request is nil where no request of a client is the cause, for keys that no one
	// has, and in records of former versions.
	Request *Request `json:"request,omitempty"`
}

// Request is the facts about the request that is decided on. A member that is not known
// is "", and then not in the input.
type Request struct {
	// IP is the client's address, as the gateway's trusted proxies say.
	IP string `json:"ip,omitempty"`
	// Time is that of the decision, in whole seconds: TimeFormat, in UTC.
	Time   string `json:"time,omitempty"`
	Method string `json:"method,omitempty"`
	// UserAgent is what the client says it is, at most 256 bytes.
	UserAgent string `json:"userAgent,omitempty"`
}

// TimeFormat is that of Request.Time. Two such texts compare as their times do.
const TimeFormat = "2006-01-02T15:04:05Z"

// Ways of a user without a key.
const (
	ViaConsole = "console"
	ViaAdmin   = "admin"
)

// User is who asks without an API key.
type User struct {
	ID  string `json:"id"`
	Via string `json:"via"`
	// State of the user; "" for an admin, and in records of former versions.
	State string `json:"state,omitempty"`
	// Attributes are those that admins set for the user; nil without any.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Target is whom an action of a user without a key is about: whose key it is in the console,
// whose data an admin names.
type Target struct {
	// UserID is "" where there is no such key.
	UserID string `json:"userId,omitempty"`
	KeyID  string `json:"keyId,omitempty"`
	// State and Attributes are those of that user, as in User; without them there is no such
	// user.
	State      string            `json:"state,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Key is the facts about an API key.
type Key struct {
	ID     string `json:"id"`
	UserID string `json:"userId"`
	State  string `json:"state"`
	Limits Limits `json:"limits"`
	// UserState is the state of the user; "" in records of former versions.
	UserState string `json:"userState,omitempty"`
	// UserAttributes are those that admins set for the user; nil without any.
	UserAttributes map[string]string `json:"userAttributes,omitempty"`
	// Scopes are what the key was made for; nil in records of former versions.
	Scopes []string `json:"scopes,omitzero"`
	// Labels are texts for rules of one's own; nil without any.
	Labels map[string]string `json:"labels,omitempty"`

	prepared *ast.Term
	poll     *poll
}

// Project is the facts about a project.
type Project struct {
	ID         string            `json:"id"`
	OwnerID    string            `json:"ownerId"`
	Attributes map[string]string `json:"attributes"`
	// AdminAttributes are those that no owner can set; nil without any.
	AdminAttributes map[string]string `json:"adminAttributes,omitempty"`

	prepared *ast.Term
}

// Limits of a key; nil is unlimited. TIK is in micro-TIK.
type Limits struct {
	JobsPerDay        *int64   `json:"jobsPerDay"`
	JobsPerMonth      *int64   `json:"jobsPerMonth"`
	MaxConcurrentJobs *int64   `json:"maxConcurrentJobs"`
	TIKPerMonth       *api.TIK `json:"tikPerMonth"`
}

// Usage of a key in the current UTC day and month.
type Usage struct {
	JobsToday     int64   `json:"jobsToday"`
	JobsThisMonth int64   `json:"jobsThisMonth"`
	RunningJobs   int64   `json:"runningJobs"`
	TIKThisMonth  api.TIK `json:"tikThisMonth"`
}

// Decision is the answer, total: every input has one.
type Decision struct {
	Allow  bool   `json:"allow"`
	Status int    `json:"status"` // 200, 401, 403 or 429
	Error  string `json:"error"`
	Reason string `json:"reason,omitempty"`
	Limit  string `json:"limit,omitempty"`
	Limits Limits `json:"limits"` // effective; may only narrow the key's
	Rule   string `json:"rule"`   // name of the rule that decided
	// Reads says for which requests, and for how long, the decision is good. It is known
	// of the policy, which does not say it.
	Reads Reads `json:"-"`
	// OwnerID owns the project of a request that is allowed, where that is another user
	// than the key's; else "". It is one of the facts, and not said by the policy either.
	OwnerID string `json:"-"`
}

// ErrNoDecision is returned, wrapped, when an evaluation has no well-formed
// result: the caller fails closed.
var ErrNoDecision = errors.New("the policy gave no decision")

// Why an evaluation had no well-formed result, wrapped beside ErrNoDecision.
// One that took too long wraps context.DeadlineExceeded instead; what is left
// is an evaluation that failed.
var (
	ErrUndefined = errors.New("is undefined")
	ErrMalformed = errors.New("the result is not a decision")
)
