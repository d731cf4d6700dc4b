package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-games/svc/cmd/svc/doctor"
	"github.com/svc-games/svc/sidecar/admin"
)

// policyCheck asks a service that runs on the data directory whether the policy of its
// source decides; nothing without a service. It comes before all other checks: what is
// not active may be the very rule that shuts somebody out.
func policyCheck(ctx context.Context, o *localOptions) []doctor.Check {
	k := doctor.Check{Name: "policy", Required: true}
	status, err := o.client().PolicyStatus(ctx)
	switch {
	case errors.Is(err, admin.ErrNotRunning):
		return nil
	case err != nil:
		k.Found, k.Advice = doctor.OneLine(o.failed(err)), "run the command as the user that runs the service, or look into its log"
	case status.Degraded:
		k.Found = fmt.Sprintf("%s decides, and not the one of %s: step %s failed", status.Active.Revision, status.Source, status.Problem.Step)
		k.Advice = "see svc policy status; " + status.Problem.Advice
	case status.Waiting != nil:
		k.Required, k.Found = false, fmt.Sprintf("%s decides; %s waits for an approval", status.Active.Revision, status.Waiting.Revision)
		k.Advice = "svc policy approve shows what it changes, and with --refuse forgets it"
	default:
		k.OK, k.Found = true, status.Active.Revision+" decides"
	}
	return []doctor.Check{k}
}
