package verify

import (
	"testing"
	"testing/fstest"

	"github.com/svc-games/svc/policy"
)

// smallRules is a policy that is as small as one can be that is proven.
const smallRules = `package svc.authz

# METADATA
# title: Decision
# labels:
#   rule: decision
decision := {
	"allow": true,
	"status": 200,
	"error": "",
	"limits": unlimited,
	"rule": "allowed",
} if {
	input.action == "status"
} else := {
	"allow": false,
	"status": 403,
	"error": "No.",
	"limits": unlimited,
	"rule": "denied",
}

# METADATA
# title: No limits
# labels:
#   rule: unlimited
unlimited := {"jobsPerDay": null, "jobsPerMonth": null, "maxConcurrentJobs": null, "tikPerMonth": null}
`

const smallTests = `package svc.authz_test

import data.svc.authz

limits := {"jobsPerDay": null, "jobsPerMonth": null, "maxConcurrentJobs": null, "tikPerMonth": null}

test_status if {
	expected := {"allow": true, "status": 200, "error": "", "limits": limits, "rule": "allowed"}
	authz.decision == expected with input as {"action": "status"}
}

test_other if {
	expected := {"allow": false, "status": 403, "error": "No.", "limits": limits, "rule": "denied"}
	authz.decision == expected with input as {"action": "files"}
}
`

const (
	rulesFile = "svc/authz/authz.rego"
	testsFile = "svc/authz/authz_test.rego"
)

// smallPolicy returns the small policy with its table.
func smallPolicy(t *testing.T) fstest.MapFS {
	t.Helper()
	src := fstest.MapFS{rulesFile: {Data: []byte(smallRules)}, testsFile: {Data: []byte(smallTests)}}
	writeTable(t, src)
	return src
}

func writeTable(t *testing.T, src fstest.MapFS) {
	t.Helper()
	e, err := policy.NewEvaluator(src)
	if err != nil {
		t.Fatal(err)
	}
	table, err := NewTable(t.Context(), e, nil)
	if err != nil {
		t.Fatal(err)
	}
	src[TableFile] = &fstest.MapFile{Data: []byte(table.String())}
}
