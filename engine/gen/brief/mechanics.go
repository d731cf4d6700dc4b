package brief

import "github.com/svc-games/svc/engine/gen/catalog"

// Words of the catalog that belong to every language: the names of famous games.
const anyLanguage = "any"

// spoken are the mechanics that a phrase speaks for, by language.
var spoken = func() map[string]map[string]map[string]float64 {
	out := map[string]map[string]map[string]float64{}
	for name, m := range catalog.Mechanics {
		for lang, words := range m.Words {
			if out[lang] == nil {
				out[lang] = map[string]map[string]float64{}
			}
			for phrase, weight := range words {
				if out[lang][phrase] == nil {
					out[lang][phrase] = map[string]float64{}
				}
				out[lang][phrase][name] = weight
			}
		}
	}
	return out
}()

// missing are the kinds that there are not, by language and name.
var missing = func() map[string]map[string]string {
	out := map[string]map[string]string{}
	for kind, m := range catalog.Missings {
		for lang, names := range m.Words {
			if out[lang] == nil {
				out[lang] = map[string]string{}
			}
			for _, name := range names {
				out[lang][name] = kind
			}
		}
	}
	return out
}()

// missingOf returns the kind that a phrase names and that there is not, "" for
// none.
func (r *Reading) missingOf(phrase string) string {
	for _, lang := range r.languages {
		if kind := missing[lang][phrase]; kind != "" {
			return kind
		}
	}
	return ""
}

// mechanicsOf returns the mechanics that a phrase speaks for.
func (r *Reading) mechanicsOf(phrase string) (map[string]float64, bool) {
	for _, lang := range r.languages {
		if weights, ok := spoken[lang][phrase]; ok {
			return weights, true
		}
	}
	return nil, false
}

func (r *Reading) isMechanicWord(word string) bool {
	_, ok := r.mechanicsOf(word)
	return ok
}

// names reports whether a phrase names a kind of game in a language.
func names(phrase, lang string) bool {
	_, ok := spoken[lang][phrase]
	return ok || missing[lang][phrase] != ""
}
