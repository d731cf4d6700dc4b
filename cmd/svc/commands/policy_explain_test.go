package commands

import (
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
)

// TestExplainedIsWhatWasAnswered: of a request that has more than one decision.
func TestExplainedIsWhatWasAnswered(t *testing.T) {
	made := func(action policy.Action, status int, path string) decisionlog.Record {
		return decisionlog.Record{Path: path, Input: policy.Input{Action: action}, Result: &policy.Decision{Allow: status == 200, Status: status}}
	}
	of := func(action policy.Action, status int) decisionlog.Record {
		return made(action, status, decisionlog.Path)
	}
	failed := decisionlog.Record{Path: decisionlog.Path, Input: policy.Input{Action: policy.ActionGetProject}}
	key := of(policy.ActionAuthenticate, 200)
	for name, tc := range map[string]struct {
		records []decisionlog.Record
		want    int
	}{
		"a submission":                     {[]decisionlog.Record{key, of(policy.ActionGenerate, 200)}, 1},
		"a refused one":                    {[]decisionlog.Record{key, of(policy.ActionGenerate, 429)}, 1},
		"one that the ledger refused":      {[]decisionlog.Record{key, of(policy.ActionGenerate, 200), made(policy.ActionGenerate, 429, decisionlog.LedgerPath)}, 2},
		"a replay at a limit":              {[]decisionlog.Record{key, of(policy.ActionGenerate, 429), made(policy.ActionGenerate, 200, decisionlog.ReplayPath)}, 2},
		"a list without a hidden project":  {[]decisionlog.Record{key, of(policy.ActionListProjects, 200), of(policy.ActionGetProject, 403), of(policy.ActionGetProject, 200)}, 1},
		"jobs without those of one":        {[]decisionlog.Record{key, of(policy.ActionListJobs, 200), of(policy.ActionGetProject, 200), of(policy.ActionGetProject, 403)}, 1},
		"a list that is refused":           {[]decisionlog.Record{key, of(policy.ActionListProjects, 403)}, 1},
		"a project that is refused":        {[]decisionlog.Record{key, of(policy.ActionGetProject, 403)}, 1},
		"a list of which one is undecided": {[]decisionlog.Record{key, of(policy.ActionListProjects, 200), of(policy.ActionGetProject, 403), failed}, 3},
	} {
		if got := answering(tc.records); got.Result != tc.records[tc.want].Result || got.Path != tc.records[tc.want].Path {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
