package verify

import (
	"maps"
	"slices"

	"github.com/svc-games/svc/policy"
)

// targeted are users without a key and what they ask about: their own key, another's, one
// that is not there, another user.
func targeted() []candidate {
	var all []candidate
	for _, via := range []any{policy.ViaConsole, policy.ViaAdmin} {
		for _, target := range []map[string]any{
			{"userId": "user-1", "keyId": "key_1", "state": policy.UserActive}, {"userId": "user-2", "keyId": "key_2", "state": policy.UserActive},
			{"keyId": "key_2"}, {"userId": "user-2", "state": policy.UserSuspended},
		} {
			c := without("user-1", via, tableOwners[4])
			c.target = target
			all = append(all, c)
		}
	}
	return all
}

// targets are the ways to vary whom an action is about, where a policy reads it.
func (l literals) targets() []variation {
	if !l.target {
		return nil
	}
	var all []variation
	vary := func(name string, value any) {
		all = append(all, variation{"target's " + name, func(c *candidate) { c.target = withMember(c.target, name, value) }})
	}
	texts := slices.Sorted(maps.Keys(l.texts))
	for _, s := range slices.Concat(near("user-1"), anyOf(texts)) {
		vary("userId", s)
	}
	for _, s := range texts {
		vary("keyId", s)
	}
	vary("state", policy.UserSuspended)
	for _, name := range slices.Sorted(maps.Keys(l.names)) {
		for _, s := range append([]string{"yes", "true", "", "user-1", "user-10"}, texts...) {
			all = append(all, variation{"target's attribute " + name, func(c *candidate) {
				attributes, _ := c.target["attributes"].(map[string]string)
				c.target = withMember(c.target, "attributes", any(withMember(attributes, name, s)))
			}})
		}
	}
	return all
}

func anyOf(texts []string) []any {
	all := make([]any, len(texts))
	for i, s := range texts {
		all[i] = s
	}
	return all
}
