package brief

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svc-games/svc/engine/gen/spec"
)

// question is one that is being read.
type question struct {
	text    string
	answers []string // the right one first, or where right says
	right   int
	marked  bool // right was said, not only taken for the first
}

var (
	askLabel    = regexp.MustCompile(`(?i)^\s*(?:q|question|frage|f|p|pregunta)\s*\d*\s*[:.)]\s*`)
	answerLabel = regexp.MustCompile(`(?i)(?:^|\s)(?:a|answers?|antwort(?:en)?|r|respuestas?|réponses?|correct(?: answer)?|right(?: answer)?|richtige? antwort)\s*[:=]\s*`)
	wrongLabel  = regexp.MustCompile(`(?i)(?:^|[\s(])(?:wrong(?: answers?)?|falsch(?:e antworten)?|incorrectas?|falsas?|fausses?|faux)\s*[:=]\s*`)
	option      = regexp.MustCompile(`^\s*(?:[-–—•·+]\s+|\(?[a-fA-F1-6][.)]\s+|\[[ ]?\]\s*)`)
	rightMark   = regexp.MustCompile(`(?i)^\s*(?:\*+|✓|✔|✅|\[x\])\s*|\s*(?:\*+|✓|✔|✅|\((?:correct|right|true|richtig|korrekt|correct[ao]|verdader[ao]|juste|vrai|bonne(?: réponse)?|correcte)\))\s*$`)
	commaSpace  = regexp.MustCompile(`\s*(?:, +|[;|]|\s/\s)\s*`)
	comma       = regexp.MustCompile(`\s*[,;|/]\s*`)
	breakOf     = regexp.MustCompile(`[.;!]\s+|\n`)
)

// readQuestions reads the questions that a text begins with, and returns how
// much of it they are.
func (c *Content) readQuestions(body string) int {
	var all []question
	n, end, apart := 0, 0, false
	for line := range strings.Lines(body) {
		n += len(line)
		if len(all) > 4*spec.MaxContent {
			break
		}
		text := strings.TrimSpace(line)
		if text == "" {
			apart = true
			continue
		}
		if !readLine(&all, text, apart) {
			break
		}
		end, apart = n, false
	}
	if end == 0 {
		return 0
	}
	c.addQuestions(all)
	return end
}

// readLine reads a line of a list of questions: a question with or without
// answers, several of them, or answers of the last one. apart tells that a blank
// line is before it.
func readLine(all *[]question, line string, apart bool) bool {
	text := askLabel.ReplaceAllString(bullet.ReplaceAllString(line, ""), "")
	if parts := strings.Split(text, "|"); len(parts) > 2 && !rightMark.MatchString(line) {
		*all = append(*all, question{text: parts[0], answers: trimmed(parts[1:])})
		return true
	}
	switch {
	case strings.Contains(text, "?"):
		readAsked(all, text)
		return true
	case askLabel.MatchString(line):
		ask, answer := cutAnswer(text)
		*all = append(*all, question{text: ask, answers: answer})
		return true
	case len(*all) == 0:
		return false
	}
	last := &(*all)[len(*all)-1]
	if found := wrongLabel.FindStringIndex(text); found != nil {
		last.answers = append(last.answers, splitAnswers(text[found[1]:])...)
		return true
	}
	if found := answerLabel.FindStringIndex(line); found != nil && found[0] == 0 && !option.MatchString(line) {
		last.give(splitAnswers(line[found[1]:]))
		return true
	}
	if option.MatchString(line) || rightMark.MatchString(line) || !apart && len(last.answers) == 0 && utf8.RuneCountInString(line) <= maxAnswer {
		last.offer(option.ReplaceAllString(line, ""))
		return true
	}
	return false
}

// readAsked reads a text with question marks: "Capital of France? Paris, Rome.
// Capital of Italy? Rome, Paris".
func readAsked(all *[]question, text string) {
	parts := strings.Split(text, "?")
	ask := parts[0]
	for i, part := range parts[1:] {
		answers, next := part, ""
		if i < len(parts)-2 {
			if found := breakOf.FindAllStringIndex(part, -1); found != nil {
				last := found[len(found)-1]
				answers, next = part[:last[0]], part[last[1]:]
			}
		}
		q := question{text: ask + "?"}
		if wrong := wrongLabel.FindStringIndex(answers); wrong != nil {
			q.give(splitAnswers(answerLabel.ReplaceAllString(answers[:wrong[0]], " ")))
			q.answers = append(q.answers, splitAnswers(answers[wrong[1]:])...)
		} else {
			q.give(splitAnswers(answerLabel.ReplaceAllString(answers, " ")))
		}
		*all = append(*all, q)
		ask = askLabel.ReplaceAllString(bullet.ReplaceAllString(next, ""), "")
	}
}

// cutAnswer splits "capital of France A: Paris".
func cutAnswer(text string) (ask string, answers []string) {
	found := answerLabel.FindStringIndex(text)
	if found == nil {
		return text, nil
	}
	return text[:found[0]], splitAnswers(text[found[1]:])
}

// give sets the answers of which the first is right, unless one is marked.
func (q *question) give(answers []string) {
	for _, a := range answers {
		q.offer(a)
	}
}

func (q *question) offer(answer string) {
	if rightMark.MatchString(answer) && !q.marked {
		q.right, q.marked = len(q.answers), true
	}
	q.answers = append(q.answers, rightMark.ReplaceAllString(answer, ""))
}

// splitAnswers splits a line of answers. A comma between digits is theirs where
// others are followed by a blank.
func splitAnswers(text string) []string {
	text = strings.TrimSpace(text)
	text = strings.Trim(text, "-–—=>:( ")
	if !strings.Contains(text, "(") {
		text = strings.TrimRight(text, ")")
	}
	text = strings.TrimRight(text, ".;")
	if commaSpace.MatchString(text) {
		text = lastAnd.ReplaceAllString(text, ", $1")
		return trimmed(commaSpace.Split(text, -1))
	}
	return trimmed(comma.Split(text, -1))
}

func trimmed(parts []string) []string {
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// addQuestions adds those that have an answer; where they have no wrong ones,
// those of other questions are wrong.
func (c *Content) addQuestions(all []question) {
	right := make([]string, len(all))
	for i, q := range all {
		if q.right < len(q.answers) {
			right[i] = clean(q.answers[q.right], maxAnswer)
		}
	}
	for i, q := range all {
		text := clean(q.text, maxQuestion)
		if text == "" || right[i] == "" {
			continue
		}
		parts := []string{text, right[i]}
		for k, a := range q.answers {
			if a = clean(a, maxAnswer); k != q.right && a != "" && !slices.Contains(parts[1:], a) {
				parts = append(parts, a)
			}
		}
		for k := 1; len(q.answers) == 1 && k < len(all) && len(parts) < 2+wrongs; k++ {
			if other := right[(i+k)%len(all)]; other != "" && !slices.Contains(parts[1:], other) {
				parts = append(parts, other)
			}
		}
		parts = parts[:min(len(parts), 2+wrongs)]
		for len(parts) > 3 && utf8.RuneCountInString(strings.Join(parts, "|")) > spec.MaxText {
			parts = parts[:len(parts)-1]
		}
		if entry := strings.Join(parts, "|"); len(parts) > 2 && utf8.RuneCountInString(entry) <= spec.MaxText {
			c.add(&c.Questions, entry)
		}
	}
}
