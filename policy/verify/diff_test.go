package verify

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
)

// changed returns the small policy with a text of its rules replaced.
func changed(t *testing.T, old, new string) fstest.MapFS {
	t.Helper()
	src := smallPolicy(t)
	if !strings.Contains(smallRules, old) {
		t.Fatalf("the rules do not contain %q", old)
	}
	src[rulesFile] = &fstest.MapFile{Data: []byte(strings.Replace(smallRules, old, new, 1))}
	return src
}

// exception is a rule for a change that touches one combination of facts.
const exception = `
exception(facts) if {
	facts.key.state == "active"
	facts.key.userId == "user-1"
	facts.project.ownerId == "user-1"
	facts.usage.jobsThisMonth == 50
}
`

func TestDiffGroupsTheDecisionsThatChange(t *testing.T) {
	for _, tt := range []struct {
		name, old, new string
		want           []string
	}{
		{"nothing", "", "", nil},
		{"another action", `input.action == "status"`, `input.action in {"status", "files"}`, []string{
			"475 rows: any key, any user, owner=user-1|user-2|\"\"|null|-, any usage, action=files: 403 denied -> 200 allowed",
		}},
		{"only the message", "No.", "Never.", []string{
			"4750 rows: any key, any user, owner=user-1|user-2|\"\"|null|-, any usage, action=authenticate|projects.create|projects.list|" +
				"projects.get|projects.delete|events|files|cancel|generate|teleport: 403 denied -> 403 denied, other message",
		}},
		{"no decision for some", `input.action == "status"`, "input.action == \"status\"\n\tto_number(input.key.id) > 0", []string{
			"450 rows: key=active|disabled|revoked|\"\"|ACTIVE|null, user=user-1|\"\"|null, owner=user-1|user-2|\"\"|null|-, any usage, action=status: 200 allowed -> no decision",
			"25 rows: key=-, user=-, owner=user-1|user-2|\"\"|null|-, any usage, action=status: 200 allowed -> 403 denied",
		}},
		{"one combination", `input.action == "status"`, "input.action == \"status\"\n\tnot exception(input)", []string{
			"1 row: key=active, user=user-1, owner=user-1, usage=all reached, action=status: 200 allowed -> 403 denied",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			to := changed(t, tt.old, tt.new)
			to[rulesFile].Data = append(to[rulesFile].Data, exception...)
			changes, err := Diff(t.Context(), smallPolicy(t), to)
			if err != nil {
				t.Fatal(err)
			}
			if got := Summary(changes); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestDiffTriesTheProjectsOfBothPolicies(t *testing.T) {
	to := changed(t, `input.action == "status"`, "input.action == \"status\"\n\tnot input.project.attributes.locked")
	to[ProjectsFile] = &fstest.MapFile{Data: []byte(`[{"ownerId": "user-1", "attributes": {"locked": "yes"}}]`)}
	for _, pair := range [][2]fstest.MapFS{{smallPolicy(t), to}, {to, smallPolicy(t)}} {
		changes, err := Diff(t.Context(), pair[0], pair[1])
		if err != nil {
			t.Fatal(err)
		}
		if len(changes) != 95 || changes[0].Owner != "user-1 locked=yes" {
			t.Errorf("got %v", Summary(changes))
		}
	}
}

// TestDocumentedExampleShowsItsDiff keeps docs/policy.md to what the program
// prints.
func TestDocumentedExampleShowsItsDiff(t *testing.T) {
	changes, err := Diff(t.Context(), policy.Embedded(), os.DirFS(policytest.Example(t)))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range Summary(changes) {
		if !strings.Contains(string(doc), line+"\n") {
			t.Errorf("docs/policy.md lacks the line\n%s", line)
		}
	}
	for _, c := range changes {
		if strings.HasPrefix(c.New, "200") && (c.Action == policy.ActionGenerate || c.Key != policy.KeyActive) {
			t.Errorf("readers may do too much: %+v", c)
		}
	}
}
