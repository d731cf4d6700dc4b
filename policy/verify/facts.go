package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/policy"
)

// candidate is the facts of a row, before they are OPA's.
type candidate struct {
	state, user any
	keyID       string // "" is that of all keys
	via         any    // of the user without a key; nil: there is none
	project     TableProject
	usage       string
	used        map[string]any // members of usage that are something else
	userState   any            // of the user, with or without a key; absent{}: there is none
	scopes      any            // of the key; nil: there are none
	labels      map[string]string
	ofUser      map[string]string // attributes of the user, with or without a key
	target      map[string]any    // whom the action is about; nil: nobody
	request     map[string]any    // members of the request that are not the usual ones
	noRequest   bool              // nothing is known of it
	reads       policy.Reads      // of the policies: without any there is no usual request
	spelling    string            // of each action, in the words of spellings
	varied      bool              // not one of a product
	since       int               // which table first has it, see Facts
}

// ordinary is a submission that the shipped policy allows: what other facts are varied on.
func ordinary() candidate {
	return candidate{state: policy.KeyActive, user: "user-1", userState: absent{}, project: tableOwners[0], usage: tableUsages[0]}
}

// without is a user without a key.
func without(user, via any, project TableProject) candidate {
	return candidate{state: absent{}, user: user, userState: absent{}, via: via, project: project, usage: text(nil), varied: true}
}

// keyless has each user without a key with each project, one who has a key, too, and
// what is nearly such a user.
func keyless(projects []TableProject) []candidate {
	var all []candidate
	for _, project := range projects {
		for _, user := range tableUsers {
			for _, via := range []string{policy.ViaConsole, policy.ViaAdmin, ""} {
				all = append(all, without(user, via, project))
			}
		}
		both := ordinary()
		both.project, both.via, both.varied = project, policy.ViaConsole, true
		all = append(all, both)
	}
	for _, via := range near(policy.ViaConsole) {
		all = append(all, without("user-1", via, tableOwners[0]))
	}
	for _, user := range near("user-1") {
		all = append(all, without(user, policy.ViaConsole, tableOwners[0]))
	}
	for _, project := range projects[len(tableOwners):] {
		for _, user := range near("user-1") {
			all = append(all, without(user, policy.ViaConsole, project))
		}
	}
	return all
}

// suspended are requests of users with each state, and with what is nearly active.
func suspended() []candidate {
	var all []candidate
	add := func(states []any, requests ...candidate) {
		for _, c := range requests {
			for _, c.userState = range states {
				c.varied = true
				all = append(all, c)
			}
		}
	}
	requests := append(bases(), without("user-1", policy.ViaConsole, tableOwners[0]), without("user-1", policy.ViaConsole, tableOwners[1]),
		without("user-1", policy.ViaAdmin, tableOwners[4]))
	add([]any{policy.UserSuspended, policy.UserActive}, requests...)
	add(append(near(policy.UserActive), "", nil), ordinary(), without("user-1", policy.ViaConsole, tableOwners[0]))
	return all
}

// scoped are requests with keys of each scope, and with what is nearly one.
func scoped() []candidate {
	var all []candidate
	for _, scopes := range []any{
		[]any{policy.ScopeFull}, []any{policy.ScopeRead}, []any{policy.ScopeRead, policy.ScopeFull}, []any{}, []any{""}, policy.ScopeFull,
	} {
		for _, c := range bases() {
			c.scopes, c.varied = scopes, true
			all = append(all, c)
		}
	}
	for _, scope := range append(near(policy.ScopeFull), near(policy.ScopeRead)...) {
		c := ordinary()
		c.scopes, c.varied = []any{scope}, true
		all = append(all, c)
	}
	both := ordinary() // the user's state is more important
	both.scopes, both.userState, both.varied = []any{policy.ScopeRead}, policy.UserSuspended, true
	return append(all, both)
}

// granted are requests for projects that have attributes of an admin.
func granted() []candidate {
	var all []candidate
	for _, c := range bases()[:2] {
		c.project.AdminAttributes = map[string]string{"readers": "user-1"}
		all = append(all, c)
	}
	return all
}

// combinations are the rows of a table of policies that read so much of requests: each
// fact with each other, then what is nearly an allowed fact, more, and the extra
// projects.
func combinations(reads policy.Reads, more []candidate, extra []TableProject) []candidate {
	near := slices.Concat(nearUsers(tableOwners[:2]), nearOwners(), requested(), granted(), more)
	for i := range near {
		near[i].varied = true
	}
	last := nearUsers(extra)
	for i := range last {
		last[i].varied = true
	}
	all := slices.Concat(product(tableOwners), near, product(extra), last, keyless(slices.Concat(tableOwners, extra)), suspended(), scoped())
	for since, later := range [][]candidate{slices.Concat(nearConsole(extra), nearActions()), targeted(), ownInPairs()} {
		for _, c := range later {
			c.since = since + 1
			all = append(all, c)
		}
	}
	for i := range all {
		all[i].reads = reads
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(c candidate) bool {
		c.since = 0 // it may be there already
		text := fmt.Sprintf("%#v", c)
		defer func() { seen[text] = true }()
		return seen[text]
	})
}

// product has each key with each use of it, and one's own key with each limit alone.
func product(projects []TableProject) []candidate {
	var all []candidate
	for _, project := range projects {
		for _, usage := range tableUsages {
			for _, user := range tableUsers {
				for _, state := range tableStates {
					all = append(all, candidate{state: state, user: user, userState: absent{}, project: project, usage: usage})
				}
			}
			all = append(all, candidate{state: absent{}, user: absent{}, userState: absent{}, project: project, usage: usage})
		}
		for _, usage := range limitUsages {
			c := ordinary()
			c.project, c.usage = project, usage
			all = append(all, c)
		}
	}
	return all
}

// facts are those of a row of the table.
func (c candidate) facts() (Facts, error) {
	f := Facts{Key: text(c.state), User: text(c.user), Owner: c.project.text(), Usage: c.usage, spelling: c.spelling, varied: c.varied, since: c.since}
	f.later = c.userState != any(absent{}) || c.scopes != nil || c.labels != nil || c.ofUser != nil || c.request != nil || c.noRequest || c.project.AdminAttributes != nil
	if c.keyID != "" {
		f.Key += " id=" + text(c.keyID)
	}
	if c.via != nil {
		f.Key += " via=" + text(c.via)
	}
	if c.userState != any(absent{}) {
		f.Key += " userState=" + text(c.userState)
	}
	if c.scopes != nil {
		f.Key += " scopes=" + list(c.scopes)
	}
	f.Key += members(" label ", c.labels) + members(" user's ", c.ofUser) + members(" target's ", c.target) + members(" ", c.request)
	if c.noRequest {
		f.Key += " no request"
	}
	if c.spelling != "" {
		f.Key += " action " + c.spelling
	}
	for _, name := range slices.Sorted(maps.Keys(c.used)) {
		f.Usage += fmt.Sprintf(" %s=%v", name, c.used[name])
	}
	for _, member := range []struct {
		to   *ast.Value
		from any
	}{{&f.key, c.key()}, {&f.project, c.project.facts()}, {&f.usage, c.usages()}} {
		value, err := ast.InterfaceToValue(member.from)
		if err != nil {
			return Facts{}, fmt.Errorf("making the table: %w", err)
		}
		*member.to = value
	}
	for _, member := range []struct {
		to   *ast.Value
		from map[string]any
	}{{&f.request, c.requestFacts()}, {&f.target, c.target}, {&f.without, c.withoutKey()}} {
		if member.from == nil {
			continue
		}
		value, err := ast.InterfaceToValue(member.from)
		if err != nil {
			return Facts{}, fmt.Errorf("making the table: %w", err)
		}
		*member.to = value
	}
	return f, nil
}

// withoutKey is the user without a key, nil for none.
func (c candidate) withoutKey() map[string]any {
	if c.via == nil {
		return nil
	}
	user := map[string]any{"id": c.user, "via": c.via}
	if c.userState != any(absent{}) {
		user["state"] = c.userState
	}
	if c.ofUser != nil {
		user["attributes"] = c.ofUser
	}
	return user
}

// list writes scopes: a list of them, or what stands there instead.
func list(scopes any) string {
	names, ok := scopes.([]any)
	if !ok {
		return text(scopes)
	}
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = text(name)
	}
	return "[" + strings.Join(words, ",") + "]"
}

func (c candidate) key() any {
	if c.state == any(absent{}) {
		return nil
	}
	key := map[string]any{"id": "key_1", "userId": c.user, "state": c.state}
	if c.keyID != "" {
		key["id"] = c.keyID
	}
	if c.userState != any(absent{}) {
		key["userState"] = c.userState
	}
	if c.scopes != nil {
		key["scopes"] = c.scopes
	}
	if c.labels != nil {
		key["labels"] = c.labels
	}
	if c.ofUser != nil {
		key["userAttributes"] = c.ofUser
	}
	switch c.usage {
	case "no limits":
		key["limits"] = nil
	case "unlimited":
		key["limits"] = map[string]any{"jobsPerDay": nil, "jobsPerMonth": nil, "maxConcurrentJobs": nil, "tikPerMonth": nil}
	default:
		key["limits"] = map[string]any{"jobsPerDay": 5, "jobsPerMonth": 50, "maxConcurrentJobs": 2, "tikPerMonth": 100}
	}
	return key
}

func (c candidate) usages() any {
	used := func(today, month, running, tik any) map[string]any {
		all := map[string]any{"jobsToday": today, "jobsThisMonth": month, "runningJobs": running, "tikThisMonth": tik}
		maps.Copy(all, c.used)
		return all
	}
	switch c.usage {
	case "below", "no limits":
		return used(4, 49, 1, 99)
	case "day reached":
		return used(5, 49, 1, 99)
	case "month reached":
		return used(4, 50, 1, 99)
	case "running reached":
		return used(4, 49, 2, 99)
	case "TIK reached":
		return used(4, 49, 1, 100)
	case "all reached":
		return used(5, 50, 2, 100)
	case "all passed", "unlimited":
		return used(6, 51, 3, 101)
	case "malformed":
		return used("0", nil, true, []any{})
	}
	return nil
}

func (p TableProject) facts() any {
	if p.OwnerID == any(absent{}) {
		return nil
	}
	id := p.id
	id = cmp.Or(id, "p1")
	members := map[string]any{"id": id, "ownerId": p.OwnerID, "attributes": p.Attributes}
	if len(p.AdminAttributes) > 0 {
		members["adminAttributes"] = p.AdminAttributes
	}
	return members
}

func (p TableProject) text() string {
	words := text(p.OwnerID)
	if p.id != "" {
		words += " id=" + text(p.id)
	}
	return words + members(" ", p.Attributes) + members(" admin.", p.AdminAttributes)
}

// members writes names and values in order, each after what stands before all.
func members[V any](before string, values map[string]V) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out.WriteString(before + name + "=" + text(values[name]))
	}
	return out.String()
}
