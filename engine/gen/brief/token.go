package brief

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/svc-games/svc/api"
)

// token is one word of a text.
type token struct {
	raw          string // as written
	word         string // lower case, without accents
	singular     string
	number       int // 0 when it is no number
	negated      bool
	startsClause bool // follows punctuation
	opens        bool // a sentence
	folded       bool // had letters that English lacks
	known        bool // some reader understood it
	afterColon   bool
	ofBoss       bool // says who the boss is, and nothing else
	audience     bool // a game is for them
	inName       bool // part of a name of several words, "flappy bird"
	tuned        bool // sets a tunable of the mechanic's own, or what it asks
}

// MaxText bounds what of a text is read, in bytes: more than the longest prompt has.
const MaxText = 4 * api.MaxPrompt

var (
	wordPattern  = regexp.MustCompile(`[\p{L}\p{N}]+(?:['’][\p{L}]+)?|[.,;:!?\n]`)
	titlePattern = regexp.MustCompile(`\b(?i:(?:call(?:ed)?|name(?:d)?|title(?:d)?|rename)(?:\s+(?:it|the game|this|to))*|title\s*(?:is|:|to)|titre\s*(?:est|:|en|par|soit)|t[ií]tulo\s*(?:es|:|a|por|sea)|titel\s*(?:ist|:|in|auf|soll|lautet|zu)|(?:nenne?|llám(?:alo|ale)|appelle[- ]le)(?:\s+(?:es|das spiel|el juego|le jeu))?)\s*(?:["“«'](.{1,60}?)["”»']|((?:\p{Lu}[\p{L}\p{N}'’-]*)(?:\s+(?:\p{Lu}|\p{N})[\p{L}\p{N}'’-]*){0,4}))`)
	folds        = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ê", "e", "ë", "e",
		"á", "a", "à", "a", "â", "a", "ã", "a", "í", "i", "ì", "i", "î", "i", "ï", "i", "ó", "o", "ò", "o", "ô", "o", "ú", "u", "ù", "u",
		"û", "u", "ñ", "n", "ç", "c", "œ", "oe", "’", "'")
	elision = regexp.MustCompile(`^(?:l|d|j|n|s|c|m|t|qu)'`) // French: l'espace
)

// tokenize splits a text into words.
func tokenize(text string) []token {
	if len(text) > MaxText {
		text = strings.ToValidUTF8(text[:MaxText], "")
	}
	var out []token
	clause, opens, colon := true, true, false
	for _, raw := range wordPattern.FindAllString(text, -1) {
		if strings.ContainsAny(raw, ".,;:!?\n") {
			clause, opens, colon = true, opens || strings.ContainsAny(raw, ".;!?\n"), raw == ":"
			continue
		}
		word := elision.ReplaceAllString(folds.Replace(strings.ToLower(raw)), "")
		t := token{raw: raw, word: word, folded: folds.Replace(strings.ToLower(raw)) != strings.ToLower(raw), singular: singular(word), startsClause: clause, opens: opens, afterColon: colon}
		if n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSuffix(word, "s"), "er")); err == nil && n > 0 {
			t.number = n
		}
		clause, opens, colon = false, false, false
		out = append(out, t)
	}
	return out
}

func singular(word string) string {
	switch {
	case len(word) < 4:
	case strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "shes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "uses"):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us"):
		return word[:len(word)-1]
	}
	return word
}

// negate marks the words that are denied, and reads numbers.
func (l *lexicon) negate(tokens []token) {
	negated := 0
	for i := range tokens {
		t := &tokens[i]
		if t.startsClause {
			negated = 0
		}
		t.negated = negated > 0
		negated--
		if l.is("verb negate", t.word) {
			negated = 2 // "no red birds": both words are meant
		}
		if n, ok := l.means["number"][t.word]; ok {
			t.number = int(number(n))
		}
	}
}

// address marks those that a game is for, "kids" or "for my son": they are no
// figures.
func (r *Reading) address(tokens []token) {
	l := r.words
	for i := range tokens {
		t := &tokens[i]
		word := strings.TrimSuffix(t.word, "'s")
		t.audience = l.is("audience always", word) && (i == 0 || !l.isRole(tokens[i-1].word))
		if t.startsClause && i+1 < len(tokens) && r.isMechanicWord(tokens[i+1].word) {
			t.audience = false // "kids run"
		}
		// "My students should practise".
		t.audience = t.audience || l.is("audience for", word) && i > 0 && l.is("verb mine", tokens[i-1].word) && i+1 < len(tokens) && l.is("verb wish", tokens[i+1].word)
		for j := i - 1; j >= max(0, i-5) && l.is("audience for", word) && !t.audience && !tokens[j+1].startsClause && !l.isRole(tokens[j].word) && !l.isNoun(tokens[j].word); j-- {
			t.audience = l.is("verb for", tokens[j].word)
			if t.audience {
				between := tokens[j+1 : i]
				for k := range between {
					between[k].known = true
				}
			}
		}
		t.known = t.known || t.audience
	}
}

func (l *lexicon) isRole(word string) bool {
	return l.is("verb collect", word) && !l.is("verb for", word) || l.is("verb avoid", word) || l.is("verb shoot", word)
}

// lookup finds the figure that a word means.
func (l *lexicon) lookup(t token) (string, figure, bool) {
	if t.audience {
		return "", figure{}, false
	}
	if noun, f, ok := l.figureOf(t.word, t.singular); ok {
		return noun, f, true
	}
	kind := l.compound(t.word)
	return l.figureOf(kind, singular(kind))
}

func (l *lexicon) figureOf(word, one string) (string, figure, bool) {
	nouns := l.means["noun"]
	for _, w := range []string{nouns[word], word, one, strings.TrimSuffix(word, "s"), singulars[word], nouns[one]} {
		if f, ok := figures[w]; ok {
			return w, f, true
		}
	}
	like := l.likeness(word, one)
	f, ok := figures[like]
	return like, f, ok
}

// likeness is the figure that stands for what none looks like, "" for all others: a seal
// for an otter.
func (l *lexicon) likeness(word, one string) string {
	return cmp.Or(l.means["like"][word], l.means["like"][one])
}

// usedAsNumber tells a heart that is a life from one that is collected.
func (t token) usedAsNumber(tokens []token, i int) bool {
	return t.known && i > 0 && tokens[i-1].number != 0 && t.singular == "heart"
}

// singulars are the plurals that follow no rule, the other way round.
var singulars = func() map[string]string {
	m := map[string]string{}
	for one, many := range plurals {
		m[many] = one
	}
	return m
}()

// cutTitle takes a title out of a text: called "Zoom", name it Zoom.
func cutTitle(text string) (rest, title string) {
	m := titlePattern.FindStringSubmatchIndex(text)
	if m == nil {
		return text, ""
	}
	for g := 2; g < len(m); g += 2 {
		if m[g] >= 0 {
			title = text[m[g]:m[g+1]]
		}
	}
	return text[:m[0]] + " . " + text[m[1]:], CleanTitle(title)
}

// CleanTitle returns a title without markup, control characters and such as turn
// text round, at most 40 characters long.
func CleanTitle(title string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune("<>{}\\`", r) {
			return -1
		}
		return r
	}, title)
	return Clip(strings.Join(strings.Fields(clean), " "), 39)
}

// Clip shortens s to n characters and an ellipsis.
func Clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return strings.TrimSpace(string(r[:n])) + "…"
	}
	return s
}

func joined(tokens []token) string {
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.word
	}
	return strings.Join(words, " ")
}
