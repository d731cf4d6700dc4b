package gateway

import (
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// Outcome is what became of a submission, as it stands in svc_submissions_total.
type Outcome string

// The outcomes.
const (
	OutcomeAccepted Outcome = "accepted" // the job exists and counts
	OutcomeRefused  Outcome = "refused"  // not admitted: a limit, or no ledger
	OutcomeReleased Outcome = "released" // admitted, not taken by the engine, given back
	OutcomeFenced   Outcome = "fenced"   // the answer was lost; the engine promised never to take it
	OutcomeLost     Outcome = "lost"     // the answer was lost and the engine is unreachable: 504
)

// outcomeOf says what became of an admitted submission: a is the engine's
// answer, refused what the client is told, nil for accepted.
func outcomeOf(a answer, refused *api.Error) Outcome {
	switch {
	case refused == nil:
		return OutcomeAccepted
	case refused.Status == http.StatusGatewayTimeout:
		return OutcomeLost
	case a.notSent || a.header.Get(contract.HeaderRefused) == "true":
		return OutcomeReleased
	}
	return OutcomeFenced
}
