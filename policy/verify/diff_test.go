package verify

import (
	"fmt"
	"io/fs"
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
			"505 rows: any key, any user, any owner, any usage, action=files: 403 denied -> 200 allowed",
		}},
		{"only the message", "No.", "Never.", []string{
			fmt.Sprintf("%d rows: any key, any user, any owner, any usage, action=%s: 403 denied -> 403 denied, other message",
				505*(len(tableActions)-1), strings.Join(allBut(policy.ActionStatus), "|")),
		}},
		{"no decision for some", `input.action == "status"`, "input.action == \"status\"\n\tto_number(input.key.id) > 0", []string{
			"480 rows: key=active|disabled|revoked|\"\"|ACTIVE|null, user=user-1|\"\"|null, any owner, any usage, action=status: 200 allowed -> no decision",
			"25 rows: key=-, user=-, any owner, usage=below|day reached|all reached|malformed|null, action=status: 200 allowed -> 403 denied",
		}},
		{"one combination", `input.action == "status"`, "input.action == \"status\"\n\tnot exception(input)", []string{
			"2 rows: key=active, user=user-1, owner=user-1, usage=all reached|month reached, action=status: 200 allowed -> 403 denied",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			to := changed(t, tt.old, tt.new)
			to[rulesFile].Data = append(to[rulesFile].Data, exception...)
			d, err := Diff(t.Context(), smallPolicy(t), to)
			if err != nil {
				t.Fatal(err)
			}
			d.Changes = slices.DeleteFunc(d.Changes, func(c Change) bool { return c.varied })
			if got := d.Summary(); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestDiffTriesTheProjectsOfBothPolicies(t *testing.T) {
	to := changed(t, `input.action == "status"`, "input.action == \"status\"\n\tnot input.project.attributes.locked")
	to[ProjectsFile] = &fstest.MapFile{Data: []byte(`[{"ownerId": "user-1", "attributes": {"locked": "yes"}}]`)}
	for _, pair := range [][2]fstest.MapFS{{smallPolicy(t), to}, {to, smallPolicy(t)}} {
		d, err := Diff(t.Context(), pair[0], pair[1])
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Owner == "user-1 locked=yes" && c.Key == "revoked" }) {
			t.Errorf("got %v", d.Summary())
		}
	}
}

// allBut returns the other actions of the table.
func allBut(action policy.Action) (others []string) {
	for _, a := range tableActions {
		if a != action {
			others = append(others, string(a))
		}
	}
	return others
}

// TestDocumentedExampleShowsItsDiff keeps docs/policy.md to what the program
// prints.
func TestDocumentedExampleShowsItsDiff(t *testing.T) {
	d, err := Diff(t.Context(), policy.Embedded(), os.DirFS(policytest.Example(t)))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range d.Summary() {
		if !strings.Contains(string(doc), line+"\n") {
			t.Errorf("docs/policy.md lacks the line\n%s", line)
		}
	}
	for _, c := range d.Changes {
		if strings.HasPrefix(c.New, "200") && (c.Action == policy.ActionGenerate || !slices.Contains([]string{policy.KeyActive, "- via=console"}, c.Key) &&
			(!strings.HasPrefix(c.Key, "active ") || strings.Contains(c.Key, "userState="))) {
			t.Errorf("readers may do too much: %+v", c)
		}
	}
}

// TestChangedCountsLittleForARuleAndMuchForOneThatAllowsAll: by it a service that nobody
// asks anything holds back what its source holds, at 1,000 decisions.
func TestChangedCountsLittleForARuleAndMuchForOneThatAllowsAll(t *testing.T) {
	for name, tt := range map[string]struct {
		to          fs.FS
		least, most int
	}{
		"a comment":  {edited(t, "svc/key/key.rego", "# title: Key\n", "# title: A key\n"), 0, 0},
		"readers":    {os.DirFS(policytest.Example(t)), 100, 900},
		"allows all": {edited(t, rulesFile, "\n# METADATA\n# title: Refusal", "\nallow if key.active\n\n# METADATA\n# title: Refusal"), 3000, 1 << 20},
	} {
		cells, whole, err := Changed(t.Context(), policy.Embedded(), tt.to)
		if err != nil || !whole || cells < tt.least || cells > tt.most {
			t.Errorf("%s changes %d decisions (whole: %v), %v", name, cells, whole, err)
		}
	}
}
