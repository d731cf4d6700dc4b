package access

import (
	"cmp"
	"context"
	"net/http"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar"
)

// noter is a Policy that records what was answered without it.
type noter interface {
	Note(ctx context.Context, note decisionlog.Entry) error
}

// record has the log have an answer that is no new decision, where there is one. Its error
// is that of a log which must have it.
func (d *Door) record(ctx context.Context, note decisionlog.Entry) error {
	log, ok := d.policy.(noter)
	if !ok {
		return nil
	}
	return log.Note(ctx, note)
}

// NoteRefusal records that the ledger refused a submission which the policy allowed.
// Its error is that of a log which must have it.
func (d *Door) NoteRefusal(ctx context.Context, keyID, projectID string, refused *answers.Error) error {
	return d.note(ctx, keyID, projectID, decisionlog.LedgerPath, policy.Decision{
		Status: refused.Status, Error: refused.Message, Reason: refused.Reason, Limit: refused.Limit,
		Rule: decisionlog.LedgerRule + cmp.Or(refused.Limit, refused.Reason, policy.UserSuspended),
	})
}

// NoteReplay records that a submission is answered with the job of an earlier one, which
// the policy may have refused by a limit. Its error is that of a log which must have it.
func (d *Door) NoteReplay(ctx context.Context, keyID, projectID string) error {
	replay := policy.Decision{Allow: true, Status: http.StatusOK, Rule: decisionlog.ReplayRule}
	return d.note(ctx, keyID, projectID, decisionlog.ReplayPath, replay)
}

// note records a decision of the ledger's on a submission. What can't be read again is not
// in the record: the answer stands.
func (d *Door) note(ctx context.Context, keyID, projectID, path string, decision policy.Decision) error {
	bounded, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	in, err := d.factsOf(bounded, keyID, projectID, policy.ActionGenerate)
	if err != nil {
		in = policy.Input{Action: policy.ActionGenerate, Key: &policy.Key{ID: keyID}}
	}
	ctx, in = d.asked(ctx, in, projectID)
	return d.record(ctx, decisionlog.Entry{Path: path, Input: in, Decision: decision})
}

// NoteRefused implements sidecar.Service.
func (d *Door) NoteRefused(ctx context.Context, refused sidecar.Refused) error {
	ctx, in := d.asked(ctx, policy.Input{Action: policy.ActionAuthenticate}, "")
	return d.record(ctx, decisionlog.Entry{
		Path: decisionlog.RefusalPath, Input: in, Repeats: true, Count: max(1, refused.Count),
		Decision: policy.Decision{
			Status: refused.Status, Error: refused.Message, Reason: refused.Reason,
			Rule: decisionlog.GatewayRule + cmp.Or(refused.Reason, "rate"),
		},
	})
}
