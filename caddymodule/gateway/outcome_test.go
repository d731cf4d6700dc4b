package gateway

import (
	"net/http"
	"testing"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
)

func TestOutcomeOfASubmission(t *testing.T) {
	marked := http.Header{contract.HeaderRefused: {"true"}}
	unavailable := &answers.Error{Status: http.StatusServiceUnavailable}
	lost := &answers.Error{Status: http.StatusGatewayTimeout}
	tests := map[string]struct {
		answer  answer
		refused *answers.Error
		want    Outcome
	}{
		"the engine's 200":             {answer{status: 200}, nil, OutcomeAccepted},
		"lost, but the engine took it": {answer{}, nil, OutcomeAccepted},
		"not sent":                     {answer{notSent: true}, unavailable, OutcomeReleased},
		"refused with the mark":        {answer{status: 503, header: marked}, unavailable, OutcomeReleased},
		"500, and never will":          {answer{status: 500}, unavailable, OutcomeFenced},
		"lost, and never will":         {answer{}, unavailable, OutcomeFenced},
		"lost, no one knows":           {answer{}, lost, OutcomeLost},
		"200, but the commit failed":   {answer{status: 200}, lost, OutcomeLost},
	}
	for name, tc := range tests {
		if got := outcomeOf(tc.answer, tc.refused); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
