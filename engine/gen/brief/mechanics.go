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

// languagesOf are those whose words count in a text of a language; all, where
// it may be any.
func languagesOf(lang string, foreign bool) []string {
	switch {
	case !foreign:
		return []string{"en", anyLanguage}
	case lang == "en":
		return append(catalog.Languages(), anyLanguage)
	}
	return []string{lang, "en", anyLanguage}
}

// mechanicsOf returns the mechanics that a phrase speaks for.
func mechanicsOf(phrase string, languages []string) (map[string]float64, bool) {
	for _, lang := range languages {
		if weights, ok := spoken[lang][phrase]; ok {
			return weights, true
		}
	}
	return nil, false
}

func (r *Reading) isMechanicWord(word string) bool {
	_, ok := mechanicsOf(word, r.languages)
	return ok
}
