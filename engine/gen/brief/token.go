package brief

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// token is one word of a text.
type token struct {
	raw          string // as written
	word         string // lower case, without accents
	singular     string
	number       int // 0 when it is no number
	negated      bool
	startsClause bool // follows punctuation
	folded       bool // had letters that English lacks
	known        bool // some reader understood it
	inName       bool // part of a name of several words, "flappy bird"
}

// maxText bounds what of a text is read, in bytes: a brief of this length
// says all that a short game can take up.
const maxText = 8 << 10

var (
	wordPattern  = regexp.MustCompile(`[\p{L}\p{N}]+(?:['’][\p{L}]+)?|[.,;:!?\n]`)
	titlePattern = regexp.MustCompile(`\b(?i:(?:call(?:ed)?|name(?:d)?|title(?:d)?|rename)(?:\s+(?:it|the game|this|to))*|title\s*(?:is|:|to))\s*(?:["“«'](.{1,60}?)["”»']|((?:\p{Lu}[\p{L}\p{N}'’-]*)(?:\s+(?:\p{Lu}|\p{N})[\p{L}\p{N}'’-]*){0,4}))`)
	folds        = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ê", "e", "ë", "e",
		"á", "a", "à", "a", "â", "a", "ã", "a", "í", "i", "ì", "i", "î", "i", "ó", "o", "ò", "o", "ô", "o", "ú", "u", "ù", "u",
		"û", "u", "ñ", "n", "ç", "c", "œ", "oe", "’", "'")
	elision     = regexp.MustCompile(`^(?:l|d|j|n|s|c|m|t|qu)'`) // French: l'espace
	numberWords = map[string]int{
		"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twenty": 20,
		"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
		"eins": 1, "zwei": 2, "drei": 3, "vier": 4, "fuenf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwanzig": 20, "dreissig": 30, "sechzig": 60,
		"dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "veinte": 20, "treinta": 30, "sesenta": 60,
		"due": 2, "dois": 2, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "sept": 7, "huit": 8, "neuf": 9, "dix": 10, "vingt": 20, "trente": 30, "soixante": 60,
	}
)

// tokenize splits a text into words.
func tokenize(text string) []token {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	var out []token
	clause, negated := true, 0
	for _, raw := range wordPattern.FindAllString(text, -1) {
		if strings.ContainsAny(raw, ".,;:!?\n") {
			clause, negated = true, 0
			continue
		}
		word := elision.ReplaceAllString(folds.Replace(strings.ToLower(raw)), "")
		t := token{raw: raw, word: word, folded: folds.Replace(strings.ToLower(raw)) != strings.ToLower(raw), singular: singular(word), number: numberWords[word], startsClause: clause, negated: negated > 0}
		if n, err := strconv.Atoi(strings.TrimSuffix(word, "s")); err == nil && n > 0 {
			t.number = n
		}
		clause = false
		negated--
		if negations[word] {
			negated = 2 // "no red birds": both words are meant
		}
		out = append(out, t)
	}
	return out
}

func singular(word string) string {
	switch {
	case len(word) < 4:
	case strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "shes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "uses"):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us"):
		return word[:len(word)-1]
	}
	return word
}

// lookup finds the figure that a word means.
func lookup(t token) (string, figure, bool) {
	if noun, f, ok := figureOf(t.word, t.singular); ok {
		return noun, f, true
	}
	kind := compound(t.word)
	return figureOf(kind, singular(kind))
}

func figureOf(word, one string) (string, figure, bool) {
	for _, w := range []string{
		word, one, strings.TrimSuffix(word, "s"), singulars[word], synonyms[word], synonyms[one], foreignNouns[word], foreignNouns[one],
	} {
		if f, ok := figures[w]; ok {
			return w, f, true
		}
	}
	return "", figure{}, false
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

// themeOf returns the theme that a word names.
func themeOf(word string, foreign bool) (string, bool) {
	if theme, ok := themeWords[word]; ok || !foreign {
		return theme, ok
	}
	theme, ok := foreignThemes[word]
	return theme, ok
}

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

// CleanTitle returns a title without markup and control characters, at most
// 40 characters long.
func CleanTitle(title string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune("<>{}\\`", r) {
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
