package verify

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
)

func TestInvariantsHoldForWhatIsShipped(t *testing.T) {
	for name, src := range map[string]fs.FS{"embedded": policy.Embedded(), "readers": os.DirFS(policytest.Example(t))} {
		e, err := policy.NewEvaluator(src)
		if err != nil {
			t.Fatal(err)
		}
		projects, err := ReadProjects(src)
		if err != nil {
			t.Fatal(err)
		}
		findings, err := Invariants(t.Context(), e, projects)
		if err != nil || len(findings) != 0 {
			t.Errorf("%s: %v, %q", name, err, findings)
		}
	}
}

func TestInvariantsFindWhatNoPolicyMayDo(t *testing.T) {
	const allow = `package svc.authz

limits := {"jobsPerDay": null, "jobsPerMonth": null, "maxConcurrentJobs": null, "tikPerMonth": null}

default decision := {"allow": false, "status": 403, "error": "No.", "rule": "no", "limits": {"jobsPerDay": null, "jobsPerMonth": null, "maxConcurrentJobs": null, "tikPerMonth": null}}

decision := {"allow": true, "status": 200, "error": "", "rule": "yes", "limits": limits} if {
	input.action == "status"
	%s
}
`
	for name, tc := range map[string]struct{ condition, want string }{
		"a live key of a known user": {`input.key.state == "active"; input.key.userId == "user-1"`, ""},
		"a revoked key":              {`input.key.state in {"active", "revoked"}; input.key.userId == "user-1"`, "key=revoked"},
		"a key in capitals":          {`lower(input.key.state) == "active"; input.key.userId == "user-1"`, "key=ACTIVE"},
		"no user":                    {`input.key.state == "active"; is_null(input.key.userId)`, "user=null"},
		"an empty user":              {`input.key.state == "active"; input.key.userId == ""`, `user=""`},
		"no key":                     {`is_null(input.key)`, "key=-"},
		"no decision for some":       {`input.key.state == "active"; input.key.userId == "user-1"; to_number(input.project.ownerId) == 1`, "every input must have a decision"},
	} {
		e, err := policy.NewEvaluator(fstest.MapFS{rulesFile: {Data: []byte(strings.Replace(allow, "%s", tc.condition, 1))}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		findings, err := Invariants(t.Context(), e, nil)
		if err != nil {
			t.Fatal(err)
		}
		found := strings.Join(findings, "\n")
		if tc.want == "" && found != "" || !strings.Contains(found, tc.want) {
			t.Errorf("%s: findings %q, want %q", name, found, tc.want)
		}
	}
}
