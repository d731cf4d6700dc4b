package activation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/svc-games/svc/policy/bundle"
)

// Approval agrees to the policy that waits.
type Approval struct {
	Actor string
	// Revision is that of the policy, or how it begins.
	Revision string
	// Signature is that of Statement, where a second person's approval is needed.
	Signature []byte
	// Confirm may be nil.
	Confirm Confirm
}

// Statement is what an approver signs, as files of a bundle: that one generation may
// follow the active one. It holds for nothing else.
func Statement(waiting Info, active string) (bundle.Snapshot, error) {
	text, err := json.Marshal(struct {
		Generation int64  `json:"generation"`
		Digest     string `json:"digest"`
		After      string `json:"after"`
	}{waiting.Number, waiting.Digest, active})
	return bundle.Snapshot{"approval.json": text}, err
}

// Approve makes the policy that waits the active one.
func (e *Engine) Approve(ctx context.Context, a Approval) (Info, error) {
	e.activating.Lock()
	defer e.activating.Unlock()
	ctx, cancel := context.WithTimeout(ctx, activationTimeout)
	defer cancel()
	if failure := e.pullFirst(ctx); failure != nil {
		return Info{}, failure
	}
	waiting, err := e.kept.state.waiting(a.Revision)
	if err != nil {
		return Info{}, err
	}
	g, failure := e.restore(ctx, waiting)
	if failure != nil {
		return Info{}, e.o.Metrics.failed(failure)
	}
	files, err := e.kept.read(waiting)
	if err != nil {
		return Info{}, &Failure{StepRead, err}
	}
	by, err := e.approver(waiting, files, a)
	if err != nil {
		return Info{}, err
	}
	g.ProposedBy, g.ActivatedBy, g.Held = waiting.ActivatedBy, by, nil
	if waiting.Held != nil {
		g.Changes = &waiting.Held.Compared
	}
	g.ActivatedAt = e.o.Now().UTC().Truncate(time.Millisecond)
	if failure := a.Confirm.ask(ctx, e.common(), g.Info); failure != nil {
		return Info{}, failure
	}
	if err := e.kept.add(g.Info, files, e.kept.state.SourceDigest); err != nil {
		return Info{}, &Failure{StepKeep, err}
	}
	e.swap(g)
	return g.Info, nil
}

// approver returns who agrees: whoever asks, or where a second person must agree, the
// key that did.
func (e *Engine) approver(waiting Info, files bundle.Snapshot, a Approval) (string, error) {
	trusted := e.trusted.Load()
	if len(trusted.approvers) == 0 {
		if e.wantsApproval() || waiting.Held != nil && waiting.Held.Approval {
			return "", fmt.Errorf("%w: another sidecar wants a second person's, and this one has no approvers to know them by", ErrApproval)
		}
		return a.Actor, nil
	}
	statement, err := Statement(waiting, e.common().Revision)
	if err != nil {
		return "", err
	}
	if a.Signature != nil {
		statement[bundle.SignaturesFile] = a.Signature
	}
	key, err := statement.SignedBy(trusted.approvers)
	if err != nil {
		return "", fmt.Errorf("%w: it must be signed with the key of an approver: %w", ErrApproval, err)
	}
	if all := e.kept.approvers(); len(all) > 0 && !slices.Contains(all, key) {
		return "", fmt.Errorf("%w: other sidecars with the same store have other approvers, and this one has not read them", ErrApproval)
	}
	if author, err := files.SignedBy(slices.Concat(trusted.approvers, trusted.keys)); err == nil && author == key {
		return "", fmt.Errorf("%w: the same key signed the policy; a second person must agree", ErrApproval)
	}
	return "key:" + key, nil
}

// Refuse forgets the policy that waits. Its source is looked at again when it changes.
func (e *Engine) Refuse(ctx context.Context, revision string, confirm Confirm) (Info, error) {
	e.activating.Lock()
	defer e.activating.Unlock()
	if failure := e.pullFirst(ctx); failure != nil {
		return Info{}, failure
	}
	waiting, err := e.kept.state.waiting(revision)
	if err != nil {
		return Info{}, err
	}
	if failure := confirm.ask(ctx, e.common(), waiting); failure != nil {
		return Info{}, failure
	}
	if err := e.kept.refuse(); err != nil {
		return Info{}, &Failure{StepKeep, err}
	}
	e.rehearse(ctx, nil)
	return waiting, nil
}

// waiting returns the policy that waits, if its revision begins like that.
func (s state) waiting(revision string) (Info, error) {
	switch {
	case s.Waiting == nil:
		return Info{}, fmt.Errorf("%w: there is none", ErrNoneWaits)
	case len(revision) < minPrefix || !strings.HasPrefix(s.Waiting.Revision, revision):
		return Info{}, fmt.Errorf("%w: %s does, not %s", ErrNoneWaits, s.Waiting.Revision, cmp.Or(revision, "one without a name"))
	}
	return *s.Waiting, nil
}
