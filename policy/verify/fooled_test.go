package verify

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
)

// edited returns the shipped policy with one text of one file replaced.
func edited(t *testing.T, file, old, new string) bundle.Snapshot {
	t.Helper()
	src, err := bundle.ReadDir(policy.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(src[file]), old) {
		t.Fatalf("%s does not contain %q", file, old)
	}
	src[file] = []byte(strings.Replace(string(src[file]), old, new, 1))
	return src
}

const (
	authzFile   = "svc/authz/authz.rego"
	projectFile = "svc/project/project.rego"
	keyFile     = "svc/key/key.rego"
	limitsFile  = "svc/limits/limits.rego"
	reasonsFile = "svc/reasons/reasons.rego"

	ownerRule   = "input.project.ownerId == input.key.userId"
	consoleRule = "input.project.ownerId == input.user.id"
	stateRule   = `input.key.state == "active"`
)

// moreAllow is the rule allow with one more way.
func moreAllow(condition string) string {
	return "\nallow if {\n\tkey.active\n\t" + strings.ReplaceAll(condition, "; ", "\n\t") + "\n}\n\n# METADATA\n# title: Refusal"
}

// TestDiffShowsEachEditThatOnceFooledIt has the edits of a reviewer that the table
// showed nothing of: near misses, literals, attributes that no project has, single limits.
func TestDiffShowsEachEditThatOnceFooledIt(t *testing.T) {
	const refusal = "\n# METADATA\n# title: Refusal"
	for name, e := range map[string]struct{ file, old, new string }{
		"owner by startswith":          {projectFile, ownerRule, "startswith(input.project.ownerId, input.key.userId)"},
		"user by startswith":           {projectFile, ownerRule, "startswith(input.key.userId, input.project.ownerId)"},
		"owner by contains":            {projectFile, ownerRule, "contains(input.project.ownerId, input.key.userId)"},
		"owner by endswith":            {projectFile, ownerRule, "endswith(input.project.ownerId, input.key.userId)"},
		"owner by trim_space":          {projectFile, ownerRule, "trim_space(input.project.ownerId) == input.key.userId"},
		"user by trim_space":           {projectFile, ownerRule, "input.project.ownerId == trim_space(input.key.userId)"},
		"owner by lower":               {projectFile, ownerRule, "lower(input.project.ownerId) == lower(input.key.userId)"},
		"console owner by trim_space":  {projectFile, consoleRule, "trim_space(input.project.ownerId) == input.user.id"},
		"action by lower":              {authzFile, "\tinput.action == \"generate\"\n\tkey.active", "\tlower(input.action) == \"generate\"\n\tkey.active"},
		"console action by trim_space": {authzFile, "input.action in {\"console.read\"", "trim_space(input.action) in {\"console.read\""},
		"admin action by startswith":   {authzFile, "input.action in {\"admin.read\", \"admin.write\"}", "startswith(input.action, \"admin.\")"},
		"state by trim_space":          {keyFile, stateRule, `trim_space(input.key.state) == "active"`},
		"state by startswith":          {keyFile, stateRule, `startswith(input.key.state, "active")`},
		"bob":                          {authzFile, refusal, moreAllow(`input.key.userId == "bob"; input.action in {"status", "files", "events"}`)},
		"whoever is called bob-…":      {authzFile, refusal, moreAllow(`startswith(input.key.userId, "bob-"); input.action == "files"`)},
		"one of a set":                 {authzFile, refusal, moreAllow(`input.key.userId in {"ann", "bob"}; input.action == "files"`)},
		"a project's id":               {authzFile, refusal, moreAllow(`input.project.id == "0123456789abcdef01234567"; input.action == "files"`)},
		"a key's id":                   {authzFile, refusal, moreAllow(`input.key.id == "key_7"; input.action == "files"`)},
		"an attribute":                 {authzFile, refusal, moreAllow(`input.project.attributes.public == "yes"; input.action == "files"`)},
		"an attribute by its name":     {authzFile, refusal, moreAllow(`object.get(input.project.attributes, "public", "") == "all"; input.action == "files"`)},
		"a user's attribute":           {authzFile, refusal, moreAllow(`input.key.userAttributes.plan == "school"; input.action == "files"`)},
		"a user's, by its name":        {authzFile, refusal, moreAllow(`object.get(input.key, ["userAttributes", "plan"], "") == "school"; input.action == "files"`)},
		"a user's in the console":      {projectFile, "input.project.ownerId == input.user.id", `input.user.attributes.staff == "yes"`},
		"keys of a team":               {authzFile, refusal, "\nallow if {\n\tuser.via == \"console\"\n\tinput.action == \"keys.others.read\"\n\tinput.target.attributes.team == input.user.attributes.leads\n}\n" + refusal},
		"a user and an attribute":      {authzFile, refusal, moreAllow(`input.key.userId == "bob"; input.project.attributes.team == "red"; input.action == "files"`)},
		"an address":                   {authzFile, refusal, moreAllow(`net.cidr_contains("198.51.100.0/24", input.request.ip); input.action == "files"`)},
		"the small hours":              {authzFile, refusal, moreAllow(`split(input.request.time, "T")[1] < "00:30"; input.action == "files"`)},
		"no limit of TIK":              {limitsFile, "exceeded contains \"tikPerMonth\" if not below(input.usage.tikThisMonth, input.key.limits.tikPerMonth)\n", ""},
		"one job a month more":         {limitsFile, "not below(input.usage.jobsThisMonth, input.key.limits.jobsPerMonth)", "not below(input.usage.jobsThisMonth - 1, input.key.limits.jobsPerMonth)"},
		"one running job more":         {limitsFile, "not below(input.usage.runningJobs, input.key.limits.maxConcurrentJobs)", "not below(input.usage.runningJobs - 1, input.key.limits.maxConcurrentJobs)"},
		"no key is unlimited":          {limitsFile, "below(_, limit) if is_null(limit)\n", ""},
		"a limit that one may go past": {limitsFile, "\tusage < limit", "\tusage != limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := Diff(t.Context(), policy.Embedded(), edited(t, e.file, e.old, e.new))
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Changes) == 0 || !d.Conditional() || d.None() {
				t.Errorf("%d rows, conditions\n%s", len(d.Changes), conditionLines(d))
			}
			if nearly := strings.Contains(name, "console") || strings.Contains(name, "action"); nearly && !allowsMore(d) {
				t.Errorf("no row shows what is allowed: %s", strings.Join(d.Summary(), "\n"))
			}
		})
	}
}

// allowsMore reports whether a request is allowed that was refused.
func allowsMore(d Difference) bool {
	return slices.ContainsFunc(d.Changes, func(c Change) bool { return !strings.HasPrefix(c.Old, "200") && strings.HasPrefix(c.New, "200") })
}

// TestAFactsOwnValueIsTriedWithALiteral: these are no literals of the table's own.
func TestAFactsOwnValueIsTriedWithALiteral(t *testing.T) {
	const refusal = "\n# METADATA\n# title: Refusal"
	more := func(condition string) string {
		return "\nallow if {\n\t" + strings.ReplaceAll(condition, "; ", "\n\t") + "\n}\n"
	}
	rules := ""
	wanted := map[string]string{ // the keys and actions of rows
		"active scopes=[read]":    `"read" in input.key.scopes; input.key.userId == "bob"; input.action == "generate"`,
		"active userState=suspen": `input.key.userState == "suspended"; input.key.userId == "bob"; input.action == "files"`,
		"- via=console userState": `input.user.state == "suspended"; input.user.id == "bob"; input.action == "files"`,
		"disabled label wall=yes": `input.key.state == "disabled"; input.key.labels.wall == "yes"; input.action == "files"`,
		"active scopes=[full]":    `input.key.scopes == ["full"]; input.project.id == "p9"; input.action == "preview"`,
		"- via=admin":             `input.user.via == "admin"; input.project.attributes.open == "yes"; input.action == "files"`,
	}
	// Two of a fact's own, beside no literal.
	wanted["active userState=suspended scopes=[read]"] = `input.key.userState == "suspended"; input.key.scopes == ["read"]; input.action == "cancel"`
	wanted["- via=admin userState=suspended"] = `input.user.via == "admin"; input.user.state == "suspended"; input.action == "cancel"`
	for _, condition := range wanted {
		rules += more(condition)
	}
	d, err := Diff(t.Context(), policy.Embedded(), edited(t, authzFile, refusal, rules+refusal))
	if err != nil {
		t.Fatal(err)
	}
	for key, condition := range wanted {
		if !slices.ContainsFunc(d.Changes, func(c Change) bool {
			return strings.HasPrefix(c.Key, key) && strings.HasPrefix(c.New, "200") && strings.HasSuffix(condition, fmt.Sprintf("%q", c.Action))
		}) {
			t.Errorf("no row shows %s", condition)
		}
	}
}

// TestWhatIsCutIsSaid has a policy with more literals than are tried.
func TestWhatIsCutIsSaid(t *testing.T) {
	var names []string
	for n := range 150 {
		names = append(names, fmt.Sprintf("%q", fmt.Sprint("user", n)))
	}
	to := changed(t, `input.action == "status"`, "input.action == \"status\"\n\tnot input.key.userId in {"+strings.Join(names, ", ")+"}")
	literals, singly := literalsOf(nil, evaluatorOf(t, to)).singly()
	pairs, inPairs := literalsOf(nil, evaluatorOf(t, to)).inPairs(mostPairs)
	if !singly || !inPairs || len(literals) != most || len(pairs) != mostPairs {
		t.Errorf("%d rows with a literal, cut %t; %d with two, cut %t", len(literals), singly, len(pairs), inPairs)
	}
	p, err := readPair(to, to)
	if err != nil {
		t.Fatal(err)
	}
	if _, cut, err := p.tables(t.Context(), 2, true); err != nil || !slices.Equal(cut, []string{cutSingly, cutInPairs}) {
		t.Errorf("said of a diff: %v, %v", cut, err)
	}
	v := &verifier{ctx: t.Context(), src: to, evaluator: evaluatorOf(t, to)}
	if summary, _ := v.table(); !strings.Contains(summary, cutSingly) {
		t.Errorf("said of a verification: %s", summary)
	}
}

func evaluatorOf(t *testing.T, src fs.FS) *policy.Evaluator {
	t.Helper()
	e, err := policy.NewEvaluator(src)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestConditionsThatReadAlikeAreNotTakenForEqual has pairs of rules that differ in which
// variable, or in whose member, they look at; no row shows either.
func TestConditionsThatReadAlikeAreNotTakenForEqual(t *testing.T) {
	const refusal = "\n# METADATA\n# title: Refusal"
	const rare = `input.project.id == "p9"; input.project.attributes.team == "red"; input.usage.jobsToday == 7; `
	for name, pair := range map[string][2]string{
		"key or value":           {`every k, v in input.project.attributes { k != v; v == "a" }`, `every k, v in input.project.attributes { k != v; k == "a" }`},
		"which of two variables": {`some a, b in input.project.attributes; a == "a"`, `some a, b in input.project.attributes; b == "a"`},
		"in a comprehension":     {`count([v | some k, v in input.project.attributes; k == "a"]) == 1`, `count([v | some k, v in input.project.attributes; v == "a"]) == 1`},
		"a dot in a name":        {`input.project.attributes["a.b"] == input.key.labels.c`, `input.project.attributes.a.b == input.key.labels.c`},
		"input or rule":          {`count(input.limits.exceeded) == 0`, `count(limits.exceeded) == 0`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sides [2]bundle.Snapshot
			for i, condition := range pair {
				sides[i] = edited(t, authzFile, refusal, moreAllow(rare+condition))
			}
			conditions, err := compareConditions(t.Context(), sides[0], sides[1])
			if err != nil {
				t.Fatal(err)
			}
			d := Difference{Conditions: conditions}
			var old, now string
			for _, c := range conditions {
				switch c.In {
				case Old:
					old += c.Text
				case New:
					now += c.Text
				}
			}
			if d.None() || old == now {
				t.Errorf("conditions\n%s", conditionLines(d))
			}
		})
	}
}

func conditionLines(d Difference) string {
	var lines []string
	for _, c := range d.Conditions {
		lines = append(lines, c.String())
	}
	return strings.Join(lines, "\n")
}

// TestConditionsShowWhatNoRowReaches: nobody tries every combination of three.
func TestConditionsShowWhatNoRowReaches(t *testing.T) {
	condition := `input.key.userId == "bob"; input.project.id == "p9"; input.project.attributes.team == "red"; input.usage.jobsToday == 7`
	d, err := Diff(t.Context(), policy.Embedded(), edited(t, authzFile, "\n# METADATA\n# title: Refusal", moreAllow(condition)))
	if err != nil {
		t.Fatal(err)
	}
	const want = `+ data.key.active, key.userId == "bob", project.attributes.team == "red", project.id == "p9", usage.jobsToday == 7`
	if len(d.Changes) != 0 || !d.Conditional() || !strings.Contains(conditionLines(d)+"\n", want+"\n") {
		t.Errorf("%v, conditions\n%s", d.Summary(), conditionLines(d))
	}
}

// TestConditionsNameRulesOnce: each rule with a value of its own is a name in conditions and
// has its definition below, so that a line is as long as the rule that it stems from; what
// changes in such a rule is shown there alone.
func TestConditionsNameRulesOnce(t *testing.T) {
	all, err := compareConditions(t.Context(), policy.Embedded(), edited(t, keyFile, stateRule, `input.key.state in {"active", "resting"}`))
	if err != nil {
		t.Fatal(err)
	}
	defined, changed := map[string]int{}, []string{}
	for _, c := range all {
		name, _, isDefinition := strings.Cut(c.Text, whereMark)
		if isDefinition {
			defined[name]++
		}
		if c.In != Both {
			changed = append(changed, c.String())
		}
		if words := strings.Count(c.Text, "is_string(key.userId)"); words > 0 && !strings.HasPrefix(c.Text, "data.key.active"+whereMark) || len(c.Text) > 400 {
			t.Errorf("a line says what a rule does: %s", c.Text)
		}
	}
	if defined["data.key.active"] != 2 || len(changed) != 2 || !strings.HasPrefix(changed[0], "- data.key.active holds if") ||
		!strings.HasPrefix(changed[1], "+ data.key.active holds if") || !strings.Contains(changed[1], `"resting"`) {
		t.Errorf("defined %v, changed\n%s", defined, strings.Join(changed, "\n"))
	}
}

// TestAnActionThatNoRuleAllowsIsRefusedAsSuch: the refusal names no limit, which the
// action has not.
func TestAnActionThatNoRuleAllowsIsRefusedAsSuch(t *testing.T) {
	e, err := policy.NewEvaluator(edited(t, authzFile, "\t\t\"files\",\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	in := Poll()
	in.Action = policy.ActionFiles
	if d, err := e.Decide(t.Context(), in); err != nil || d.Status != 403 || d.Rule != "denied" {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestRulesThatNoRowReachesAreNamed(t *testing.T) {
	for name, e := range map[string]struct{ file, old, new, want string }{
		"another message for some": {authzFile, "refusal := problem if {\n\tnot user.via\n",
			"refusal := reasons.denied if {\n\tinput.key.userId == \"bob\"\n\tinput.project.id == \"p9\"\n\tinput.usage.runningJobs == 7\n} else := problem if {\n\tnot user.via\n",
			"svc.authz.refusal"},
		"a permission beside allow": {authzFile, "} else := object.union(refusal",
			"} else := {\"allow\": true, \"status\": 200, \"error\": \"\", \"limits\": limits.effective, \"rule\": \"more\"} if {\n\tinput.key.userId == \"bob\"\n\tinput.project.id == \"p9\"\n\tinput.usage.runningJobs == 7\n} else := object.union(refusal",
			"svc.authz.decision"},
	} {
		d, err := Diff(t.Context(), policy.Embedded(), edited(t, e.file, e.old, e.new))
		if err != nil {
			t.Fatal(err)
		}
		if d.None() || !strings.Contains(strings.Join(d.Rules, "\n"), e.want) {
			t.Errorf("%s: %v", name, d.Rules)
		}
	}
}

func TestWritingTheSameInOtherWordsIsNoDifference(t *testing.T) {
	for name, e := range map[string]struct{ file, old, new string }{
		"nothing":             {keyFile, "", ""},
		"another order":       {authzFile, "\tinput.action == \"generate\"\n\tkey.active\n", "\tkey.active\n\tinput.action == \"generate\"\n"},
		"a comment":           {keyFile, "# title: Key", "# title: The key"},
		"a test in words":     {"svc/key/key_test.rego", "dead :=", "dead :="},
		"a doubled condition": {authzFile, "\tlimits.within\n", "\tlimits.within\n\tkey.active\n"},
	} {
		d, err := Diff(t.Context(), policy.Embedded(), edited(t, e.file, e.old, e.new))
		if err != nil {
			t.Fatal(err)
		}
		if !d.None() {
			t.Errorf("%s: %v, %v, conditions\n%s", name, d.Summary(), d.Rules, conditionLines(d))
		}
	}
}
