// Package decisionlog is the log of decisions: its record, written and read as
// JSON lines with the field names of OPA's decision log, so that tools made
// for that one read it.
//
// Nothing secret can be in it: a record holds the facts a policy is given and
// what it answered, and policy.Input has no place for a secret.
package decisionlog

import (
	"time"

	"github.com/svc-games/svc/policy"
)

// Paths of records, as OPA writes them.
const (
	// Path is that of every decision of the policy.
	Path = "svc/authz/decision"
	// LedgerPath is that of what the ledger refused after the policy had allowed it: it
	// looks again in the transaction that admits a job. The result's rule begins with
	// LedgerRule, and the input has the facts of just after.
	LedgerPath = "svc/ledger/refusal"
	// ReplayPath is that of a submission which was answered with the job that an earlier
	// one with the same Idempotency-Key made, whatever the policy says of limits. The
	// result is an allowed one with the rule ReplayRule; such a record is never left out.
	ReplayPath = "svc/ledger/replay"
	// RefusalPath is that of what a gateway refused itself, as a request without a key that
	// could be decided on. The result's rule begins with GatewayRule; in records of former
	// versions, with "console." where a user had no such key.
	RefusalPath = "svc/refusal"
	// AskedPath is that of a decision of the policy that was asked for over OPA's API or
	// AuthZEN's. The input is the asker's: nothing says that it is true.
	AskedPath = "svc/asked"
)

// Beginnings of rules that are no policy's. After LedgerRule comes the limit, or the state.
const (
	LedgerRule  = "ledger."
	GatewayRule = "gateway."
)

// ReplayRule is the rule of records with ReplayPath.
const ReplayRule = LedgerRule + "replay"

// BundleName is the name under which a record has the policy's revision.
const BundleName = "svc"

// Record is one decision.
type Record struct {
	DecisionID string    `json:"decision_id"`
	Timestamp  time.Time `json:"timestamp"`
	// Path is one of the paths above.
	Path string `json:"path"`
	// Bundles has the revision of the policy that decided, under BundleName.
	Bundles map[string]Bundle `json:"bundles,omitempty"`
	// Labels say which process decided, for example its version.
	Labels map[string]string `json:"labels,omitempty"`
	// RequestID is what its client knows the request by, the header X-Request-Id; ""
	// where no request was the cause.
	RequestID string `json:"request_id,omitempty"`
	// ProjectID is the project that was asked for, where the input has none because
	// there is none.
	ProjectID string `json:"project_id,omitempty"`
	// Count is how many like decisions the record stands for; 0 is 1.
	Count int64        `json:"count,omitempty"`
	Input policy.Input `json:"input"`
	// Result is nil when there was no decision; then Error says why.
	Result  *policy.Decision `json:"result,omitempty"`
	Error   *Error           `json:"error,omitempty"`
	Metrics Metrics          `json:"metrics,omitzero"`
	// Erased and Masked are the paths of what the policy's mask took out and
	// replaced. Such a record can't be decided again.
	Erased []string `json:"erased,omitempty"`
	Masked []string `json:"masked,omitempty"`
}

// Bundle names the revision of a policy.
type Bundle struct {
	Revision string `json:"revision"`
}

// Error is why there was no decision.
type Error struct {
	Message string `json:"message"`
}

// Metrics is what a decision cost.
type Metrics struct {
	EvalNS int64 `json:"timer_rego_query_eval_ns,omitempty"`
}

// New returns the record of a decision, or of why there was none.
func New(id string, at time.Time, revision string, in policy.Input, d policy.Decision, err error) Record {
	r := Record{
		DecisionID: id,
		Timestamp:  at.UTC(),
		Path:       Path,
		Bundles:    map[string]Bundle{BundleName: {Revision: revision}},
		Input:      in,
	}
	if err != nil {
		r.Error = &Error{Message: err.Error()}
		return r
	}
	r.Result = &d
	return r
}

// Revision returns the revision of the policy that decided, "" if it is not
// known.
func (r Record) Revision() string { return r.Bundles[BundleName].Revision }

// Paths returns the paths that records have.
func Paths() []string { return []string{Path, LedgerPath, ReplayPath, RefusalPath, AskedPath} }
