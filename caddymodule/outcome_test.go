package caddymodule

import (
	"net/http"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/caddymodule/gateway"
)

func TestOutcomeOfASubmission(t *testing.T) {
	marked := http.Header{contract.HeaderRefused: {"true"}}
	unavailable := &api.Error{Status: http.StatusServiceUnavailable}
	lost := &api.Error{Status: http.StatusGatewayTimeout}
	tests := map[string]struct {
		answer  gateway.Answer
		refused *api.Error
		want    string
	}{
		"the engine's 200":             {gateway.Answer{Status: 200}, nil, outcomeAccepted},
		"lost, but the engine took it": {gateway.Answer{}, nil, outcomeAccepted},
		"not sent":                     {gateway.Answer{NotSent: true}, unavailable, outcomeReleased},
		"refused with the mark":        {gateway.Answer{Status: 503, Header: marked}, unavailable, outcomeReleased},
		"500, and never will":          {gateway.Answer{Status: 500}, unavailable, outcomeFenced},
		"lost, and never will":         {gateway.Answer{}, unavailable, outcomeFenced},
		"lost, no one knows":           {gateway.Answer{}, lost, outcomeLost},
		"200, but the commit failed":   {gateway.Answer{Status: 200}, lost, outcomeLost},
	}
	for name, tc := range tests {
		if got := outcomeOf(tc.answer, tc.refused); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
