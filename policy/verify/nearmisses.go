package verify

import (
	"slices"
	"strings"
	"unicode"

	"github.com/svc-games/svc/policy"
)

// nearConsole are owners that are nearly the user of the console, each with each user.
func nearConsole(extra []TableProject) []candidate {
	var all []candidate
	for _, c := range nearOwners() {
		all = append(all, without(c.user, policy.ViaConsole, c.project))
	}
	for _, project := range extra {
		owner, named := project.OwnerID.(string)
		if !named {
			continue
		}
		for _, other := range near(owner) {
			project.OwnerID = other
			all = append(all, without(owner, policy.ViaConsole, project))
		}
	}
	return all
}

// nearActions are requests that all are for actions which are nearly those of the table.
func nearActions() []candidate {
	var all []candidate
	for _, c := range append(bases()[:2], without("user-1", policy.ViaConsole, tableOwners[0]), without("user-1", policy.ViaAdmin, tableOwners[4])) {
		c.varied = true
		for _, c.spelling = range spellingNames {
			all = append(all, c)
		}
	}
	return all
}

// nearUsers are users and states that a careless comparison takes for others.
func nearUsers(projects []TableProject) []candidate {
	var all []candidate
	for _, project := range projects {
		c := ordinary()
		c.project = project
		for _, user := range near("user-1") {
			c.user = user
			all = append(all, c)
		}
		c.user = "user-1"
		for _, state := range near(policy.KeyActive) {
			c.state = state
			all = append(all, c)
		}
	}
	return all
}

// nearOwners are owners of that kind, each with each user.
func nearOwners() []candidate {
	var all []candidate
	c := ordinary()
	for _, owner := range near("user-1") {
		c.project = TableProject{OwnerID: owner}
		for _, user := range append([]any{"user-1"}, near("user-1")...) {
			c.user = user
			all = append(all, c)
		}
	}
	return all
}

// near returns texts that are nearly v, if it is a text.
func near(v any) []any {
	s, ok := v.(string)
	if !ok || s == "" {
		return nil
	}
	var all []any
	for _, name := range spellingNames {
		if other := spelt(name, s); other != s && other != "" && !slices.Contains(all, any(other)) {
			all = append(all, other)
		}
	}
	return all
}

// spellingNames are the ways to write nearly the same text: longer, shorter, with spaces,
// in another case, with a letter that looks the same.
var spellingNames = []string{"longer", "shorter", "after x", "with a space", "after a space", "in the other case", "with look-alikes"}

// spelt writes a text in one of these ways, and for any other as it is.
func spelt(name, s string) string {
	switch name {
	case "longer":
		return s + "0"
	case "shorter":
		runes := []rune(s)
		return string(runes[:len(runes)-1])
	case "after x":
		return "x" + s
	case "with a space":
		return s + " "
	case "after a space":
		return " " + s
	case "in the other case":
		return strings.Map(func(r rune) rune {
			if unicode.IsUpper(r) {
				return unicode.ToLower(r)
			}
			return unicode.ToUpper(r)
		}, s)
	case "with look-alikes":
		return lookAlikes.Replace(s)
	}
	return s
}

// lookAlikes has Cyrillic letters for Latin ones.
var lookAlikes = strings.NewReplacer("a", "\u0430", "e", "\u0435", "o", "\u043e", "c", "\u0441", "p", "\u0440")
