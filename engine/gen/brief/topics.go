package brief

import (
	"strings"

	"github.com/svc-games/svc/engine/gen/catalog"
)

// topics are lists of words that the generator has, by language and by the names
// that a brief calls them.
var topics = func() map[string]map[string][]string {
	out := map[string]map[string][]string{}
	names := map[string][]string{}
	for _, l := range readLines("words/topics.txt") {
		what := strings.Fields(l[0])
		lang := what[1]
		if len(what) > 2 {
			names[what[0]+lang] = strings.Fields(l[1])
			continue
		}
		if out[lang] == nil {
			out[lang] = map[string][]string{}
		}
		for _, name := range names[what[0]+lang] {
			out[lang][name] = strings.Split(strings.TrimSpace(l[1]), ", ")
		}
	}
	return out
}()

// readTopic takes a list of words that a game of words is asked for by its topic,
// "hangman with animals", unless the text has words of its own.
func (r *Reading) readTopic(tokens []token) {
	if !r.Content.Empty() || catalog.Mechanics[heaviest(r.Mechanics)].Content != wordContent {
		return
	}
	for i := range tokens {
		if list := topics[r.Lang][tokens[i].word]; list != nil && !tokens[i].negated {
			tokens[i].known = true
			r.Content.Words = list
			r.because(tokens[i].word, "the words")
			return
		}
	}
}
