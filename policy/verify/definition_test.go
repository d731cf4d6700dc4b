package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
)

// TestDiffSeesWhatAFunctionOrAnObjectOfAllowIs: partial evaluation leaves both as they are,
// and no row of the table meets what changes here.
func TestDiffSeesWhatAFunctionOrAnObjectOfAllowIs(t *testing.T) {
	const (
		refusal = "\n# METADATA\n# title: Refusal"
		calls   = "\nallow if {\n\tkey.active\n\tinput.action == \"files\"\n\tshared(input.key, input.project)\n}\n\n"
		first   = `shared(k, p) if p.attributes.reader == k.userId`
		asks    = "\nallow if {\n\tkey.active\n\tinput.action == \"files\"\n\tinput.key.limits.jobsPerDay == 7\n\tpick(input.key) == input.key.limits.jobsPerMonth\n}\n\n"
		roles   = "\npick(k) := x if {\n\tx := roles[k.userId]\n} else := 3\n\n"
	)
	edit := func(rules string) string { return rules + "\n" + refusal }
	for name, e := range map[string]struct{ old, new string }{
		"an else by a limit of the key": {
			calls + first + " else := false", calls + first + " else if k.limits.jobsPerDay == 7",
		},
		"an else by three literals": {
			calls + first + " else := false",
			calls + first + ` else if { k.userId == "ann"; p.id == "p7"; p.attributes.wall == "red" }`,
		},
		"the second else": {
			calls + first + ` else := true if k.limits.jobsPerDay == 7 else := false`,
			calls + first + ` else := true if k.limits.jobsPerDay == 7 else := true if k.limits.jobsPerDay == 8 else := false`,
		},
		"which argument an else reads": {
			calls + `shared(k, p) if p.attributes.reader == k.userId else := k.limits.jobsPerDay == 7`,
			calls + `shared(k, p) if p.attributes.reader == k.userId else := p.limits.jobsPerDay == 7`,
		},
		"the value of an else": {
			asks + "pick(k) := 1 if k.limits.tikPerMonth == 9 else := 2", asks + "pick(k) := 1 if k.limits.tikPerMonth == 9 else := 4",
		},
		"the key of an object": {
			asks + roles + "roles[a] := b if {\n\ta := input.key.userId\n\tb := input.key.state\n}\n",
			asks + roles + "roles[b] := a if {\n\ta := input.key.userId\n\tb := input.key.state\n}\n",
		},
		"a member of a set that a function reads": {
			asks + "pick(k) := 1 if k.userId in some_users else := 2\n\nsome_users contains u if {\n\tu := input.key.userId\n\tinput.key.limits.tikPerMonth == 9\n}\n",
			asks + "pick(k) := 1 if k.userId in some_users else := 2\n\nsome_users contains u if {\n\tu := input.key.userId\n\tinput.key.limits.tikPerMonth == 8\n}\n",
		},
		"a set with a default read by its member": {
			asks + "pick(k) := v if v := levels[k.userId]\n\ndefault level := 5\n\nlevel := 6 if input.key.limits.tikPerMonth == 9\n\nlevels[input.key.userId] := level\n",
			asks + "pick(k) := v if v := levels[k.userId]\n\ndefault level := 5\n\nlevel := 6 if input.key.limits.tikPerMonth == 8\n\nlevels[input.key.userId] := level\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conditions, err := compareConditions(t.Context(), edited(t, authzFile, refusal, edit(e.old)), edited(t, authzFile, refusal, edit(e.new)))
			if err != nil {
				t.Fatal(err)
			}
			if d := (Difference{Conditions: conditions}); d.None() {
				t.Errorf("conditions\n%s", conditionLines(d))
			}
		})
	}
}

// TestAChangeOfTheMaskIsNamed: no decision reads it, and no row or condition shows it.
func TestAChangeOfTheMaskIsNamed(t *testing.T) {
	with := func(mask string) *policy.Evaluator {
		src := edited(t, authzFile, "# METADATA", "# METADATA")
		src["system/log/mask.rego"] = []byte("package system.log\n\n" + mask)
		e, err := policy.NewEvaluator(src)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	const members = "mask contains path if some path in members\n\nmembers := {\"/input/key/id\"}\n"
	plain := with("")
	for name, e := range map[string]struct {
		from, to *policy.Evaluator
		want     []string
	}{
		"a new mask":           {plain, with(`mask contains "/input"`), []string{"system/log/mask.rego:3 system.log.mask"}},
		"one that is gone":     {with(`mask contains "/input"`), plain, []string{"system/log/mask.rego:3 system.log.mask, which is gone"}},
		"a rule that it reads": {with(members), with(strings.Replace(members, "key/id", "key", 1)), []string{"system/log/mask.rego:5 system.log.members"}},
		"the same":             {with(members), with(members), nil},
	} {
		if got := Masks(e.from, e.to); !slices.Equal(got, e.want) {
			t.Errorf("%s: got %q, want %q", name, got, e.want)
		}
		if got := compareRules(e.from, e.to, policy.Entrypoint); len(got) > 0 {
			t.Errorf("%s: rules of decisions %q", name, got)
		}
	}
	if (Difference{Mask: []string{"a rule"}}).None() {
		t.Error("nothing changes")
	}
}
