package verify

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
)

// literals are what the rules of policies compare facts with.
type literals struct {
	texts   map[string]bool
	numbers map[int64]bool
	names   map[string]bool // of members that are not the input's own: attributes
	dynamic bool            // attributes are read by names that are texts
	admin   bool            // attributes of an admin are read
	ofUser  bool            // attributes of the user are
	target  bool            // whom an action is about is read
	reads   policy.Reads
	extra   []TableProject
}

// most and mostPairs bound the literals that are tried, and their pairs; each costs 1 ms, and
// a diff tries both policies. provenPairs are the pairs of a policy that is proven. Where they
// cut, it is said.
const (
	most        = 4000
	mostPairs   = 2000
	provenPairs = 10_000
)

// known are texts that the table has anyway.
var known = func() map[string]bool {
	all := map[string]bool{"": true}
	for _, names := range [][]string{
		{"action", "key", "project", "usage", "id", "userId", "state", "limits", "ownerId", "attributes", "user", "via", "userState", "userAttributes", "scopes", "labels"},
		{"adminAttributes", "target", "keyId", "request", "ip", "time", "method", "userAgent"},
		{"jobsToday", "jobsThisMonth", "runningJobs", "tikThisMonth"},
		{api.LimitJobsPerDay, api.LimitJobsPerMonth, api.LimitMaxConcurrentJobs, api.LimitTIKPerMonth},
		{policy.KeyActive, policy.KeyDisabled, policy.KeyRevoked, policy.UserSuspended, policy.ScopeFull, policy.ScopeRead, policy.ViaConsole, policy.ViaAdmin, "user-1", "user-2", "key_1", "p1"},
	} {
		for _, name := range names {
			all[name] = true
		}
	}
	for _, action := range policy.Actions() {
		all[string(action)] = true
	}
	return all
}()

// literalsOf returns the literals of policies: what is compared, members of sets, names of
// attributes, and what admins' attributes of projects say. What refusals say is none of
// them.
func literalsOf(projects []TableProject, policies ...*policy.Evaluator) literals {
	l := &literals{texts: map[string]bool{}, numbers: map[int64]bool{}, names: map[string]bool{}, extra: projects}
	for _, e := range policies {
		l.reads |= e.Reads()
		for _, module := range e.Compiler().Modules {
			for _, rule := range module.Rules {
				for ; rule != nil; rule = rule.Else {
					l.collect(rule.Head.Value)
					l.collect(rule.Head.Key)
					for _, argument := range rule.Head.Args {
						l.collect(argument)
					}
					l.collect(rule.Body)
				}
			}
		}
	}
	for _, project := range projects {
		for _, text := range project.AdminAttributes {
			l.texts[text] = true
		}
	}
	for text := range l.texts {
		if l.dynamic && attributeName.MatchString(text) {
			l.names[text] = true
		}
	}
	return *l
}

// attributeName is what may be the name of an attribute.
var attributeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

func (l *literals) collect(x any) {
	if term, ok := x.(*ast.Term); ok && term == nil {
		return
	}
	var walker *ast.GenericVisitor
	walker = ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.Term:
			return false
		case *ast.Expr:
			if x.IsCall() { // its operator is no literal
				for _, operand := range x.Operands() {
					walker.Walk(operand)
				}
				return true
			}
		case ast.Call:
			for _, operand := range x[1:] {
				walker.Walk(operand)
			}
			return true
		case ast.Object:
			if x.Get(ast.StringTerm("rule")) != nil { // an answer
				return true
			}
		case ast.Ref:
			l.ref(x)
			return true
		case ast.String:
			l.admin = l.admin || x == "adminAttributes"
			l.ofUser = l.ofUser || x == "userAttributes" || x == "attributes"
			l.dynamic = l.dynamic || slices.Contains(attributesOf, x)
			if !known[string(x)] && strings.ContainsFunc(string(x), wordy) {
				l.texts[string(x)] = true
			}
		case ast.Number:
			if n, err := json.Number(x).Int64(); err == nil {
				l.numbers[n] = true
			}
		}
		return false
	})
	walker.Walk(x)
}

func (l *literals) ref(ref ast.Ref) {
	if ref.HasPrefix(ast.DefaultRootRef) {
		return
	}
	attributes := slices.IndexFunc(ref, func(part *ast.Term) bool {
		name, _ := part.Value.(ast.String)
		return slices.Contains(attributesOf, name)
	})
	if attributes >= 0 && (attributes == len(ref)-1 || !ref[attributes+1].IsGround()) {
		l.dynamic = true
	}
	l.ofUser = l.ofUser || ref.HasPrefix(userAttributes) || ref.HasPrefix(keysUserAttributes)
	l.target = l.target || ref.HasPrefix(inputTarget)
	for _, part := range ref[1:] {
		l.admin = l.admin || part.Equal(ast.StringTerm("adminAttributes"))
		if name, ok := part.Value.(ast.String); ok && !known[string(name)] {
			l.names[string(name)] = true
		}
	}
}

// attributesOf are the members that have texts by names.
var attributesOf = []ast.String{"attributes", "adminAttributes", "userAttributes", "labels"}

// Where the attributes of users are, of those without a key and of a key's, and whom an
// action is about.
var (
	inputTarget        = ast.MustParseRef("input.target")
	userAttributes     = ast.MustParseRef("input.user.attributes")
	keysUserAttributes = ast.MustParseRef("input.key.userAttributes")
)

// wordy tells what may be a part of a name from what separates names.
func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// variation puts a literal into a candidate, at a place of which two variations of a
// pair are not the same.
type variation struct {
	place string
	vary  func(*candidate)
}

// variations are the ways to put literals into facts.
func (l literals) variations(nearly bool) []variation {
	var all []variation
	texts := slices.Sorted(maps.Keys(l.texts))
	values := texts
	if nearly {
		for _, s := range texts {
			for _, other := range near(s) {
				values = append(values, other.(string))
			}
		}
	}
	for _, s := range values {
		all = append(all,
			variation{"user", func(c *candidate) { c.user = s }},
			variation{"owner", func(c *candidate) { c.project.OwnerID = s }},
			variation{"key", func(c *candidate) { c.keyID = s }},
			variation{"project", func(c *candidate) { c.project.id = s }},
			variation{"state", func(c *candidate) { c.state = s }},
			variation{"user's state", func(c *candidate) { c.userState = s }},
			variation{"scopes", func(c *candidate) { c.scopes = []any{s} }})
	}
	for _, name := range slices.Sorted(maps.Keys(l.names)) {
		for _, s := range append([]string{"yes", "true", "", "user-1", "user-10"}, values...) {
			all = append(all, variation{"attribute " + name, func(c *candidate) {
				c.project.Attributes = withMember(c.project.Attributes, name, s)
			}}, variation{"label " + name, func(c *candidate) {
				c.labels = withMember(c.labels, name, s)
			}})
			if l.ofUser {
				all = append(all, variation{"user's attribute " + name, func(c *candidate) {
					c.ofUser = withMember(c.ofUser, name, s)
				}})
			}
			if !l.admin {
				continue
			}
			all = append(all, variation{"admin's attribute " + name, func(c *candidate) {
				c.project.AdminAttributes = withMember(c.project.AdminAttributes, name, s)
			}})
		}
	}
	return append(all, l.amounts()...)
}

// withMember returns a copy of members, which may be nil, with one more.
func withMember[V any](members map[string]V, name string, value V) map[string]V {
	all := make(map[string]V, len(members)+1)
	maps.Copy(all, members)
	all[name] = value
	return all
}

// amounts are the numbers of rules and those beside them, used.
func (l literals) amounts() []variation {
	var all []variation
	for _, n := range slices.Sorted(maps.Keys(l.numbers)) {
		for _, member := range []string{"jobsToday", "jobsThisMonth", "runningJobs", "tikThisMonth"} {
			for _, used := range []int64{n - 1, n, n + 1} {
				all = append(all, variation{member, func(c *candidate) {
					c.used = withMember(c.used, member, any(used))
				}})
			}
		}
	}
	return all
}

// withoutKey are the ways to put literals into what is known of a request without a key.
func (l literals) withoutKey() []variation {
	all := slices.DeleteFunc(l.variations(false), func(v variation) bool {
		return v.place != "user" && v.place != "owner" && v.place != "project" && !strings.HasPrefix(v.place, "attribute ") && !strings.HasPrefix(v.place, "admin's ") && !strings.HasPrefix(v.place, "user's attribute ")
	})
	for _, s := range slices.Sorted(maps.Keys(l.texts)) {
		all = append(all, variation{"way", func(c *candidate) { c.via = s }})
	}
	return all
}

// bases are what literals are put into: one's own project, another's, none, and a key
// that is not alive.
func bases() []candidate {
	own, foreign, none, dead := ordinary(), ordinary(), ordinary(), ordinary()
	foreign.project, none.project, dead.state = tableOwners[1], tableOwners[4], policy.KeyRevoked
	return []candidate{own, foreign, none, dead}
}

// singly are candidates that have one literal each, or one other fact about the request, at
// most a number that can be waited for; cut says that there are more.
func (l literals) singly() (all []candidate, cut bool) {
	ofProjects := append(bases()[:2], without("user-1", policy.ViaConsole, tableOwners[0]))
	for _, project := range l.extra {
		c := ordinary()
		c.project = project
		ofProjects = append(ofProjects, c)
	}
	for _, kind := range []struct {
		variations []variation
		bases      []candidate
	}{
		{l.variations(false), bases()}, {l.variations(true), bases()[:2]},
		{l.withoutKey(), []candidate{without("user-1", policy.ViaConsole, tableOwners[1])}},
		{l.targets(), targeted()[1:8:8]},
		{l.requests(false), ofProjects},
	} {
		for _, v := range kind.variations {
			for _, base := range kind.bases {
				v.vary(&base)
				if base.project.OwnerID == any(absent{}) {
					base.project = tableOwners[4] // what is not there has no attributes
				}
				if len(all) == most {
					return all, true
				}
				all = append(all, base)
			}
		}
	}
	return all, false
}

// ownValues are what facts are by themselves, whatever the rules compare them with; those
// of a user without a key apart.
func ownValues() (withKey, withoutKey []variation) {
	suspended := variation{"user's state", func(c *candidate) { c.userState = policy.UserSuspended }}
	withKey = []variation{suspended}
	for _, scopes := range [][]any{{policy.ScopeRead}, {policy.ScopeFull}, {policy.ScopeRead, policy.ScopeFull}} {
		withKey = append(withKey, variation{"scopes", func(c *candidate) { c.scopes = scopes }})
	}
	for _, state := range []string{policy.KeyDisabled, policy.KeyRevoked} {
		withKey = append(withKey, variation{"state", func(c *candidate) { c.state = state }})
	}
	return withKey, []variation{suspended, {"way", func(c *candidate) { c.via = policy.ViaAdmin }}}
}

// ownInPairs are candidates that have two of them.
func ownInPairs() (all []candidate) {
	withKey, withoutKey := ownValues()
	for _, kind := range []struct {
		variations []variation
		bases      []candidate
	}{
		{withKey, bases()[:2]},
		{withoutKey, []candidate{without("user-1", policy.ViaConsole, tableOwners[0]), without("user-1", policy.ViaConsole, tableOwners[1])}},
	} {
		for i, one := range kind.variations {
			for _, other := range kind.variations[i+1:] {
				if one.place == other.place {
					continue
				}
				for _, c := range kind.bases {
					one.vary(&c)
					other.vary(&c)
					c.varied = true
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// inPairs are candidates that have two, at most a number that can be waited for; cut says
// that there are more. Those with a value of a fact's own come first, as they are few.
func (l literals) inPairs(most int) (all []candidate, cut bool) {
	own, ownWithoutKey := ownValues()
	keyed, keyless := append(l.requests(true), l.variations(false)...), slices.Concat(l.requests(true), l.withoutKey(), l.targets())
	console := []candidate{without("user-1", policy.ViaConsole, tableOwners[0]), without("user-1", policy.ViaConsole, tableOwners[1])}
	for _, kind := range []struct {
		ones, others []variation // nil: each one with those after it
		bases        []candidate
	}{
		{own, own, bases()[:2]}, {ownWithoutKey, ownWithoutKey, console}, {l.targets(), l.withoutKey(), console[:1]}, {own, keyed, bases()[:2]}, {ownWithoutKey, keyless, console}, {keyed, nil, bases()[:2]}, {keyless, nil, console[1:]},
	} {
		for i, one := range kind.ones {
			others := kind.others
			if others == nil {
				others = kind.ones[i+1:]
			}
			into := kind.bases
			if kind.others == nil && strings.HasPrefix(one.place, ofRequest) {
				into = into[:1]
			}
			for _, other := range others {
				if one.place == other.place {
					continue
				}
				for _, c := range into {
					one.vary(&c)
					other.vary(&c)
					if len(all) == most {
						return all, true
					}
					all = append(all, c)
				}
			}
		}
	}
	return all, false
}
