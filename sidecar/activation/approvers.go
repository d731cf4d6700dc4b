package activation

import (
	"slices"

	"go.uber.org/zap"
)

// ownApprovers are the fingerprints of those that this sidecar was started with: nil where it
// was not told of any, empty where it was told that there are none.
func (e *Engine) ownApprovers() []string {
	if e.o.Approvers == "" {
		return nil
	}
	return e.approvers.Fingerprints()
}

// wantsApproval reports whether a policy needs a second person's approval: one sidecar that was
// not told of the approvers of the others must not let it in for all of them.
func (e *Engine) wantsApproval() bool { return len(e.approvers) > 0 || len(e.kept.approvers()) > 0 }

// shareApprovers makes the approvers that this sidecar was started with those of all.
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
	shared.approvers = own
	return shared.save(e.kept.state, nil, held{})
}
