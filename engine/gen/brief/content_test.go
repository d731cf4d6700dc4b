package brief

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/svc-games/svc/engine/gen/spec"
)

func TestListsOfWordsAreContent(t *testing.T) {
	for text, want := range map[string]string{
		"A typing game. Words: cat, dog, house":                                    "cat dog house",
		"Hangman with these words: cat, dog and ice cream. The hero is a frog.":    "cat|dog|ice cream",
		"Hangman\nwords:\n- cat\n- dog\n- mouse\n\nThe hero is a frog":             "cat dog mouse",
		"Hangman\nwords:\n1. cat\n2) dog\n3. mouse":                                "cat dog mouse",
		"Galgenmännchen mit Wörtern: Hund, Katze, Maus":                            "Hund Katze Maus",
		"Galgenmännchen mit den Wörtern Hund, Katze und Maus":                      "Hund Katze Maus",
		"Juego del ahorcado, palabras: gato, perro, casa":                          "gato perro casa",
		"Jeu du pendu avec les mots : chat, chien et maison":                       "chat chien maison",
		"Jeu du pendu avec les mots\u00a0: chat, chien":                            "chat chien",
		"Typing game, words: cat dog house":                                        "cat dog house",
		"Typing game, vocabulary: cat; dog; house!":                                "cat dog house",
		"Hangman. Words:<ul><li>cat</li><li><b>dog</b></li></ul>":                  "cat dog",
		"Typing game\nWords:\ncat\ndog\nhouse\n\nMake it fast":                     "cat dog house",
		"Typing game with the words apple, banana and cherry falling down":         "apple banana cherry",
		"Typing game for kids. Words to type: sun, moon,\nstar\nMake it in space.": "sun moon star",
		"Words: cat, dog, house":                                                   "cat dog house",
		"Typing game. Words: cat, Cat, dog,,, <script>alert(1)</script>,\x00bird":  "cat dog alert(1) bird",
		"Hangman, Wörter: Straße, Mädchen, Fußball":                                "Straße Mädchen Fußball",
	} {
		sep := " "
		if strings.Contains(want, "|") {
			sep = "|"
		}
		s := Read(text).Write(Order{ProjectID: "p", Seed: 1})
		if got := strings.Join(s.Content, sep); got != want {
			t.Errorf("%q: %s of %q, want %q", text, s.Mechanic, got, want)
		}
		if err := s.Check(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestListsOfQuestionsAreContent(t *testing.T) {
	const france, italy = "Capital of France?|Paris|Rome|Berlin", "Capital of Italy?|Rome|Paris|Madrid"
	for text, want := range map[string]string{
		"A quiz. Questions:\nCapital of France? Paris, Rome, Berlin\nCapital of Italy? Rome, Paris, Madrid":                              france + "\n" + italy,
		"A quiz. Questions: Capital of France? Paris, Rome, Berlin; Capital of Italy? Rome, Paris, Madrid":                               france + "\n" + italy,
		"Make a quiz: Capital of France? Paris, Rome, Berlin. Capital of Italy? Rome, Paris or Madrid.":                                  france + "\n" + italy,
		"A quiz\nquestions:\n1. Capital of France? Rome, Paris*, Berlin\n2. Capital of Italy? Paris, Rome (correct), Madrid":             france + "\n" + italy,
		"Quiz\nQuestions:\n- Capital of France?\n  a) Rome\n  b) Paris *\n  c) Berlin\n\n- Capital of Italy?\n* Rome\n- Paris\n- Madrid": france + "\n" + italy,
		"Quiz\nQ: Capital of France?\nA: Paris, Rome, Berlin\nQ: Capital of Italy?\nA: Rome, Paris, Madrid":                              france + "\n" + italy,
		"Quiz. Questions:\nCapital of France? | Paris | Rome | Berlin\nCapital of Italy?|Rome|Paris|Madrid":                              france + "\n" + italy,
		"Quiz. Questions:\nQ: 2+2? A: 4\nQ: 3+3? A: 6\nQ: 4+4? A: 8":                                                                     "2+2?|4|6|8\n3+3?|6|8|4\n4+4?|8|4|6",
		"Ein Quiz. Fragen:\nWie heißt die Hauptstadt? Berlin, Bonn\nWie viele Beine? 8,6,10":                                             "Wie heißt die Hauptstadt?|Berlin|Bonn\nWie viele Beine?|8|6|10",
		"Un juego de preguntas. Preguntas: ¿Capital de Francia? París, Roma; ¿Capital de Italia? Roma, París":                            "¿Capital de Francia?|París|Roma\n¿Capital de Italia?|Roma|París",
		"Un quiz. Questions :\nCapitale de la France ? Paris, Rome\nCapitale de l'Italie ? Rome, Paris":                                  "Capitale de la France ?|Paris|Rome\nCapitale de l'Italie ?|Rome|Paris",
		"Quiz, questions:\nHow many people live there? 1,000, 2,000, 3,000\nWho? <b>Me</b>, <i>you</i>":                                  "How many people live there?|1,000|2,000|3,000\nWho?|Me|you",
	} {
		s := Read(text).Write(Order{ProjectID: "p", Seed: 1})
		if got := strings.Join(s.Content, "\n"); s.Mechanic != "quiz" || got != want {
			t.Errorf("%q: %s of\n%s\nwant\n%s", text, s.Mechanic, got, want)
		}
	}
}

func TestContentIsNeitherFiguresNorUnmet(t *testing.T) {
	r := Read("Hangman in space with a robot. Words: volcano, frigate, shark, zyzzyva")
	if r.Hero != "robot" || r.Theme != "space" || r.Hazard == "shark" || len(r.Unmet) > 0 {
		t.Errorf("hero %s, theme %s, hazard %s, unmet %q", r.Hero, r.Theme, r.Hazard, r.Unmet)
	}
	r = Read("Ein Quiz mit diesen Fragen: Was fliegt? Rakete, Haus; Was schwimmt? Hai, Auto")
	if r.Hero != "" || r.Theme != "" || r.Lang != "de" || len(r.Unmet) > 0 {
		t.Errorf("hero %s, theme %s, in %s, unmet %q", r.Hero, r.Theme, r.Lang, r.Unmet)
	}
}

func TestWhatIsNoContentIsReadAsBefore(t *testing.T) {
	for _, text := range []string{
		"A frog jumps over logs. In other words: a hopping game", "A frog. Can it jump fast? Yes, very, please.", "A quiz", "A cat hops. Key words: fun, fast, red",
	} {
		r := Read(text)
		if s := r.Write(Order{ProjectID: "p", Seed: 1}); len(s.Content) > 0 {
			t.Errorf("%q: %q", text, s.Content)
		}
	}
	if r := Read("A snake game with an apple. Words: snake, apple"); r.Write(Order{}).Mechanic != "snake" || r.Pickup != "apple" {
		t.Errorf("%+v", r)
	}
}

func TestHostileListsAreBounded(t *testing.T) {
	for name, text := range map[string]string{
		"many words": "Hangman. Words: " + strings.Repeat("abc%, ", 6000), "one word": "Hangman. Words: " + strings.Repeat("a", 32000),
		"commas": "Words:" + strings.Repeat(",", 32000), "marks": "Questions:" + strings.Repeat("?", 32000), "tags": "Words: " + strings.Repeat("<b", 16000),
		"bars": "Questions: " + strings.Repeat("a|", 16000), "lines": "Words:\n" + strings.Repeat("- \n", 10000), "heads": strings.Repeat("words:\n", 4500),
		"numbered": "Words: " + func() string {
			var b strings.Builder
			for i := range 3000 {
				b.WriteString("w" + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + ", ")
			}
			return b.String()
		}(),
		"questions": "Quiz\n" + strings.Repeat("What? yes, no, maybe <script>\n", 1100), "nonsense": "Questions: ? , ? | \x00 \u202e ?,?",
	} {
		r := Read(text)
		for _, s := range []spec.Spec{r.Write(Order{ProjectID: "p", Seed: 1}), r.Write(Order{ProjectID: "p", Seed: 1, Format: spec.Platform})} {
			if err := s.Check(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if slices.ContainsFunc(r.Unmet, func(u string) bool { return utf8.RuneCountInString(u) > 120 }) {
			t.Errorf("%s: unmet %q", name, r.Unmet)
		}
	}
}
