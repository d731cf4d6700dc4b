package brief

import (
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// makeTitle names a game by one of its mechanic's titles: one with the hero or the
// pickup where the brief names it, as it is written there, else one without.
func makeTitle(s spec.Spec, r Reading, pick func(n int) int) string {
	hero, pickup := r.HeroWord, ""
	if s.Lang == "en" && hero != "" {
		hero = s.Cast.Hero.Noun
	}
	if r.PickupWord != "" && s.Lang == "en" {
		pickup = s.Cast.Pickup.Noun
	}
	var named, plain []string
	for _, title := range titlesOf(s.Mechanic, s.Lang) {
		switch {
		case strings.Contains(title, "{Hero}"):
			if whole := titled(title, "{Hero}", hero); whole != "" {
				named = append(named, whole)
			}
		case strings.Contains(title, "{Pickups}"):
			if whole := titled(title, "{Pickups}", many(pickup)); whole != "" {
				named = append(named, whole)
			}
		case strings.Contains(title, "{Pickup}"):
			if whole := titled(title, "{Pickup}", pickup); whole != "" {
				named = append(named, whole)
			}
		default:
			plain = append(plain, title)
		}
	}
	if len(named) == 0 {
		named = plain
	}
	return Clip(named[pick(len(named))], spec.MaxTitle-1)
}

// many is the plural of an English noun, "" of none.
func many(noun string) string {
	if noun == "" {
		return ""
	}
	return plural(noun)
}

// titled puts a name into a title, unless there is none or the title has it.
func titled(title, place, name string) string {
	rest := strings.ToLower(strings.Replace(title, place, "", 1))
	if name == "" || strings.Contains(rest, strings.ToLower(name)) {
		return ""
	}
	return strings.Replace(title, place, capital(CleanTitle(name)), 1)
}

// titlesOf are a mechanic's titles in a language, those in English where it has
// none.
func titlesOf(mechanic, lang string) []string {
	all := catalog.Mechanics[mechanic].Titles
	if titles := all[lang]; titles != nil {
		return titles
	}
	return all["en"]
}

// isMade tells a title that was made from one that a person gave.
func isMade(s spec.Spec) bool {
	return slices.ContainsFunc(titlesOf(s.Mechanic, s.Lang), func(title string) bool {
		before, after, named := strings.Cut(strings.NewReplacer("{Pickups}", "{Hero}", "{Pickup}", "{Hero}").Replace(title), "{Hero}")
		if !named {
			return s.Title == title
		}
		return strings.HasPrefix(s.Title, before) && strings.HasSuffix(s.Title, after) && len(s.Title) > len(before)+len(after)
	})
}
