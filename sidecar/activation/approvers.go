package activation

import (
	"slices"

	"go.uber.org/zap"
)

// ownApprovers are the fingerprints of those that this sidecar's file holds: nil where it
// was not told of any, empty where it was told that there are none.
func (e *Engine) ownApprovers() []string {
	if e.o.Approvers == "" {
		return nil
	}
	return e.trusted.Load().approvers.Fingerprints()
}

// wantsApproval reports whether a policy needs a second person's approval: one sidecar that was
// not told of the approvers of the others must not let it in for all of them.
func (e *Engine) wantsApproval() bool {
	return len(e.trusted.Load().approvers) > 0 || len(e.kept.approvers()) > 0
}

// shareApprovers makes the approvers of this sidecar those of all.
func (e *Engine) shareApprovers() error {
	shared, own := e.kept.shared, e.ownApprovers()
	switch {
	case own == nil && len(shared.approvers) > 0:
		e.o.Logger.Warn("other sidecars have approvers of policies, this one has none: what it activates is approved at the others",
			zap.Strings("approvers", shared.approvers))
		return nil
	case own == nil || shared.approvers != nil && slices.Equal(own, shared.approvers):
		return nil
	}
	e.o.Logger.Warn("the approvers of policies change for all sidecars",
		zap.Strings("before", shared.approvers), zap.Strings("approvers", own))
	before := shared.approvers
	shared.approvers = own
	err := shared.save(e.kept.state, nil, held{})
	if err != nil {
		shared.approvers = before
	}
	return err
}
