package brief

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Content is what a text gives a game to ask: words, or questions as
// "question|right answer|wrong answer|…".
type Content struct {
	Words     []string
	Questions []string
	Tables    []string // times tables, if there are several
	Over      int      // entries beyond the most that a game holds
	// headed tells that the text says that they are a list, loose that it only ends
	// with one: it speaks for no game.
	headed, loose bool
}

// Kinds of content that a mechanic may take.
const (
	wordContent     = "words"
	questionContent = "questions"
)

// maxContentText bounds what of a text is searched for lists, in bytes.
const maxContentText = 64 << 10

const (
	maxAnswer   = 48 // characters
	maxQuestion = 110
	wrongs      = 3 // wrong answers of a question, at the most
)

// Empty reports whether there is no content.
func (c Content) Empty() bool { return len(c.Words)+len(c.Questions)+len(c.Tables) == 0 }

// For returns what a mechanic takes of the content.
func (c Content) For(mechanic string) []string {
	switch catalog.Mechanics[mechanic].Content {
	case wordContent:
		return c.Words
	case questionContent:
		return c.Questions
	case tableContent:
		return c.Tables
	}
	return nil
}

// speakFor adds to the weight of the mechanics that take the content.
func (c Content) speakFor(weights map[string]float64) {
	for name, m := range catalog.Mechanics {
		switch {
		case m.Content == questionContent && (len(c.Questions) > 1 || len(c.Questions) > 0 && c.headed):
			weights[name] += 6
		case m.Content == questionContent && len(c.Questions) > 0:
			weights[name]++ // any text may have one question
		case m.Content == wordContent && len(c.Words) > 0 && !c.loose:
			weights[name] += 3
		}
	}
}

var (
	blockTag = regexp.MustCompile(`(?i)<(?:li|br|p|tr|h[1-6])\b[^<>]{0,200}>|</(?:ul|ol|p|div|h[1-6])>`)
	anyTag   = regexp.MustCompile(`</?[a-zA-Z!][^<>]{0,200}>`)
	// listHead is what stands before a list: "words:", "the words to find are:".
	listHead = regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(?:(?:use|with|from|these|this|the|my|following|mit|den|diesen|diese|die|folgenden?|con|usa|las|estas|los|siguientes|avec|utilise|les|ces|suivants?|list of|liste? (?:der|von|de)) +)*` +
		`(word ?list|words|vocabulary|vocab|wörterliste|woerterliste|wörtern?|woertern?|vokabeln|begriffen?|palabras|vocabulario|mots|vocabulaire|names? of \pL+|namen von \pL+|noms? de \pL+|nombres de \pL+|questions|fragen|preguntas)` +
		`(?: +(?:to|zum|are|sind|para|a|à|son|sont|pour|list|siguientes|suivante?s)(?: +\pL+)?)?\s*[:：]`)
	// bareList is a list without a colon: "with the words cat, dog and mouse".
	bareList = regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(?:(?:the|these|my|den|diesen|die|diese|las|estas|les|ces|with|mit|con|avec) +)+(words|wörtern?|woertern?|palabras|mots) +` +
		`([\pL\pN'’-]+(?:, *[\pL\pN'’-]+)+(?:,? +(?:and|und|y|e|et) +[\pL\pN'’-]+)?)`)
	// lastList is what a text ends with: "und zwar: Haus, Baum und Katze".
	lastList    = regexp.MustCompile(`[:：]\s*([\pL'’-]+(?:, *[\pL'’-]+){2,}(?:,? +(?:and|und|y|e|et) +[\pL'’-]+)?)\s*[.!]?\s*$`)
	labelled    = regexp.MustCompile(`(?i)^\s*(?:q|question|frage|pregunta)\s*\d*\s*:`)
	notContent  = regexp.MustCompile(`(?i)(?:key|other|few|more|own|no|frequently asked) *$`)
	bullet      = regexp.MustCompile(`^\s*(?:[-–—*•·+]\s+|\(?\d{1,3}[.):]\s*|\[[ xX]?\]\s*)`)
	lastAnd     = regexp.MustCompile(`(?i),?\s+(?:and|or|und|oder|y|o|et|ou)\s+([^,;|]+)$`)
	wordSplit   = regexp.MustCompile(`\s*[,;|/•]\s*`)
	sentenceEnd = regexp.MustCompile(`[.!?](?:\s|$)`)
)

// CutContent takes the lists out of a text: those after "words:" or
// "questions:" and their like, and lines that are questions with answers.
func CutContent(text string) (rest string, c Content) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u00a0", " ", "\u202f", " ").Replace(text)
	if len(text) > maxContentText {
		text = strings.ToValidUTF8(text[:maxContentText], "")
	}
	text = anyTag.ReplaceAllString(blockTag.ReplaceAllString(text, "\n"), "")
	if found := listHead.FindStringSubmatchIndex(text); found != nil && !notContent.MatchString(text[:found[2]]) {
		head, body := strings.ToLower(text[found[2]:found[3]]), text[found[1]:]
		var n int
		c.headed = true
		if isQuestionWord(head) {
			n = c.readQuestions(body)
		} else {
			n = c.readWords(body)
		}
		if !c.Empty() {
			return text[:found[0]] + " . " + body[n:], c
		}
		c = Content{}
	}
	if found := bareList.FindStringSubmatchIndex(text); found != nil {
		for _, w := range splitWords(text[found[4]:found[5]]) {
			c.addWord(w)
		}
		if len(c.Words) > 2 {
			return text[:found[0]] + " . " + text[found[1]:], c
		}
	}
	rest, c = cutBareQuestions(text)
	if found := lastList.FindStringSubmatchIndex(text); found != nil && c.Empty() {
		words := Content{loose: true}
		for _, w := range splitWords(text[found[2]:found[3]]) {
			words.addWord(w)
		}
		if len(words.Words) > 2 {
			return text[:found[0]] + " . " + text[found[3]:], words
		}
	}
	return rest, c
}

// cutBareQuestions takes questions with answers that no head announces.
func cutBareQuestions(text string) (string, Content) {
	var c Content
	first, at := -1, 0
	for line := range strings.Lines(text) {
		start := at
		at += len(line)
		_, answers, asked := strings.Cut(line, "?")
		if !labelled.MatchString(line) && (!asked || !strings.Contains(answers, ",")) {
			continue
		}
		if _, after, found := strings.Cut(line, ": "); found && strings.Contains(after, "?") {
			start = at - len(after)
		}
		first = start
		break
	}
	if first < 0 {
		return text, c
	}
	n := c.readQuestions(text[first:])
	if c.Empty() {
		return text, Content{}
	}
	return text[:first] + " . " + text[first+n:], c
}

func isQuestionWord(head string) bool {
	return strings.HasPrefix(head, "question") || head == "fragen" || head == "preguntas"
}

// readWords reads the words that a text begins with, and returns how much of it
// they are: the rest of the line, or the lines of a list.
func (c *Content) readWords(body string) int {
	n := 0
	listed, bulleted := 0, false
	for line := range strings.Lines(body) {
		item := bullet.ReplaceAllString(line, "")
		marked := item != line && n > 0
		item = strings.TrimSpace(item)
		switch {
		case item == "" && listed == 0:
			n += len(line)
			continue
		case item == "", bulleted && !marked, listHead.MatchString(line):
			return n
		case n == 0: // on the line of the head
			if end := sentenceEnd.FindStringIndex(line); end != nil {
				c.addWords(line[:end[0]])
				return end[1]
			}
			c.addWords(item)
			if !strings.HasSuffix(item, ",") && !strings.HasSuffix(item, ";") {
				return len(line)
			}
		case !marked && len([]rune(item)) > 40 && !strings.Contains(item, ","), !marked && strings.HasSuffix(item, ".") && strings.Contains(item, " "):
			return n // a sentence
		default:
			c.addWords(item)
			bulleted = bulleted || marked
		}
		n += len(line)
		listed++
	}
	return n
}

func (c *Content) addWords(text string) {
	for _, w := range splitWords(text) {
		c.addWord(w)
	}
}

// splitWords splits a line into its words: at signs, or at blanks where there are
// none.
func splitWords(text string) []string {
	text = strings.TrimRight(strings.TrimSpace(text), ".!,;")
	if !strings.ContainsAny(text, ",;|/•") {
		if parts := strings.Fields(text); len(parts) > 2 && len(parts) < 200 && !lastAnd.MatchString(text) {
			return parts
		}
		return wordSplit.Split(lastAnd.ReplaceAllString(text, ",$1"), -1)
	}
	return wordSplit.Split(lastAnd.ReplaceAllString(text, ",$1"), -1)
}

func (c *Content) addWord(word string) {
	if word = clean(word, spec.MaxText); word == "" || !strings.ContainsFunc(word, unicode.IsLetter) {
		return
	}
	c.add(&c.Words, word)
}

// add adds an entry that is new, as far as there is room.
func (c *Content) add(list *[]string, entry string) {
	for _, have := range *list {
		if strings.EqualFold(have, entry) {
			return
		}
	}
	if len(*list) == spec.MaxContent {
		c.Over++
		return
	}
	*list = append(*list, entry)
}

// clean returns a text without markup, quotes and control characters, of at most
// n characters.
func clean(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar, strings.ContainsRune("<>{}\\`|", r):
			return -1
		}
		return r
	}, text)
	text = strings.Trim(strings.Join(strings.Fields(text), " "), " \"“”„«»*_.,;")
	if r := []rune(text); len(r) > n {
		text = strings.TrimSpace(string(r[:n]))
	}
	return text
}

// Too many entries are said to be so.
func (c Content) unmet() []string {
	if c.Over == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d entries of the list: a game holds %d", c.Over, spec.MaxContent)}
}

// WithContent returns what a game has with more added, as far as there is room.
func WithContent(have, more []string) []string {
	var c Content
	for _, list := range [][]string{have, more} {
		for _, entry := range list {
			c.add(&c.Words, entry)
		}
	}
	return c.Words
}
