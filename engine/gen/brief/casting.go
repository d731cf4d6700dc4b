package brief

import (
	"maps"
	"slices"
)

// Nouns returns the nouns of the lexicon that can play a role ("hero",
// "hazard" or "pickup"), sorted.
func Nouns(role string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(figures)), func(noun string) bool {
		f := figures[noun]
		switch role {
		case "hero":
			return f.body == ""
		case "hazard":
			return f.hazard == "" && !f.hostile
		}
		return f.pickup == ""
	})
}
