// Package change reads a follow-up request as operations on a GameSpec: each
// clause of the text is one wish, which is either done or named as unmet.
package change

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Help says what can be changed.
const Help = "I can make it faster or slower, easier or harder, longer or shorter; change lives, levels, colours, mood, size, gravity and how much there is to avoid; add or remove a second player, a boss, power-ups and combos; swap hero, hazards, pickups, theme, title, language, renderer or the whole mechanic; and what is the kind's own, such as rows, rounds, or how enemies move."

// Outcome is a changed spec with what was done and what was not.
type Outcome struct {
	Spec  spec.Spec
	Did   []string // each change with its old and new value
	Unmet []string // clauses that no operation took, or could carry out
	// AtBounds tells that all that is unmet was understood.
	AtBounds bool
}

// result is what an operation made of a clause: it did something, or
// understood it and could not, or the clause was not its own.
type result struct {
	did, unmet string
	alone      bool   // no other operation takes the clause
	tuned      bool   // its words are about the mechanic's own tunables
	scaled     string // the tunable that it moved, and which way
}

// results are what became of the parts of a clause.
type results struct{ did, unmet []result }

func (all *results) add(r result) {
	if r.did != "" {
		all.did = append(all.did, r)
	} else {
		all.unmet = append(all.unmet, r)
	}
}

func done(format string, args ...any) result { return result{did: fmt.Sprintf(format, args...)} }

// bound is the result for a wish that was understood but can't be met.
func bound(format string, args ...any) result { return result{unmet: fmt.Sprintf(format, args...)} }

// operation tries to take one clause.
type operation func(s *spec.Spec, c clause) result

// operations in the order in which they may take a clause; several may take
// the same one ("a bigger, pink hero").
var operations = []operation{
	retitle, translate, stage, safety, table, feeling, parameters, gather, behaviour, swapMechanic, missing, steady, sound, rerender, boss, rules, speed, difficulty, lives, duration, size, amount, gravity, recast, retheme, recolor, collectibles, question,
}

// clause is one wish.
type clause struct {
	raw     string
	text    string // lower case
	reading brief.Reading
	tuned   bool // the mechanic's own tunables took it
}

func wishOf(raw string) clause { return clause{raw: raw, text: lower(raw), reading: brief.Read(raw)} }

var apostrophes = strings.NewReplacer("’", "'", "ʼ", "'", "´", "'", "`", "'")

// lower is a text in lower case, with the apostrophes of a typewriter.
func lower(text string) string { return apostrophes.Replace(strings.ToLower(text)) }

var (
	separators = regexp.MustCompile(`(?i)[.,;!?\n]+|(?:^|\s)(?:and|then|but|also|und|aber|et|y|pero)(?:\s|$)`)
	// subordinate goes with what is before it: "nothing happens, when I tap".
	subordinate = regexp.MustCompile(`(?i)^,\s*(?:when|if|wenn|sobald|cuando|quand)\s`)
	quoted      = regexp.MustCompile(`["“«][^"”»]*["”»]`)
)

// maxClauses bounds how many wishes a request may have.
const maxClauses = 100

// Limit says why a game must not become what a spec says, "" when it may.
type Limit func(spec.Spec) (why string)

// Apply carries out a request. What limit refuses of it is undone and named as
// unmet; nil refuses nothing.
func Apply(s spec.Spec, request string, limit Limit) Outcome {
	out := Outcome{Spec: s, AtBounds: true}
	request = content(&out, request, limit)
	var refused []string
	scaled := map[string]bool{}
	list := clauses(request)
	if more := len(list) - maxClauses; more > 0 {
		out.Unmet = append(out.Unmet, fmt.Sprintf("the last %d wishes: %d can be carried out at once", more, maxClauses))
		list = list[:maxClauses]
	}
	for _, raw := range list {
		c := wishOf(raw)
		if len(list) == 1 { // as it was written, before names were rewritten
			raw = strings.Trim(request, " \t\r\n.,;!?")
		}
		if forbidPattern.MatchString(c.text) && !steadyPattern.MatchString(c.text) && !said(&challenge, c.text) {
			out.Unmet = append(out.Unmet, brief.Clip(raw, 80)+": it stays as it is")
			continue
		}
		var unmet []string
		did := false
		for _, op := range operations {
			before := out.Spec
			r := op(&out.Spec, c)
			// Its words name a game or a level, not figures or colours.
			whole := r.alone || strings.HasPrefix(r.did, "the mechanic") || strings.HasPrefix(r.did, "level ") || strings.HasPrefix(r.did, "language ") || levelOf(out.Spec, c) > 0 && r.unmet != ""
			if r.scaled != "" && scaled[r.scaled] { // "too fast, I can't keep up" is one complaint
				out.Spec, did, r = before, true, result{}
			}
			scaled[r.scaled] = true
			if r.did != "" && limit != nil {
				if why := limit(out.Spec); why != "" {
					out.Spec, r = before, bound("%s", why)
				}
			}
			if r.did != "" {
				out.Did = append(out.Did, r.did)
				did = true
			}
			if r.unmet != "" {
				unmet = append(unmet, r.unmet)
			}
			if whole {
				break
			}
			c.tuned = c.tuned || r.tuned
		}
		switch {
		case !did && declines(s, c): // what is wanted instead is another clause's
			refused = append(refused, brief.Clip(raw, 80))
		case len(unmet) > 0 && !did:
			out.Unmet = append(out.Unmet, brief.Clip(raw, 60)+": "+strings.Join(unmet, ", "))
		case !did && !polite(c) && !filler(c):
			if what := brief.Clip(raw, 80); !slices.Contains(out.Unmet, what) {
				out.Unmet = append(out.Unmet, what)
			}
			out.AtBounds = false
		}
	}
	if len(refused) > 0 && out.Spec.Mechanic == s.Mechanic {
		for _, what := range refused {
			out.Unmet = append(out.Unmet, what+": say which game you want instead")
		}
	}
	if len(out.Did)+len(out.Unmet) == 0 && slices.ContainsFunc(list, func(raw string) bool { return !polite(clause{text: lower(raw)}) }) {
		out.Unmet, out.AtBounds = []string{brief.Clip(request, 80)}, false
	}
	return out
}

// declines reports whether a clause says that the game is not the kind that was
// wanted: "not snake".
func declines(s spec.Spec, c clause) bool {
	return declinePattern.MatchString(c.text) && (mentions(c.text, s.Mechanic) || mentions(c.text, s.Cast.Hero.Noun) && s.Cast.Hero.Noun == s.Mechanic)
}

// clauses splits a request, but not inside quotation marks.
func clauses(request string) []string {
	request = outside(request, brief.Rewrite)
	marks := quoted.FindAllStringIndex(request, -1)
	var out []string
	from := 0
	add := func(to int) {
		if part := strings.TrimSpace(request[from:to]); part != "" {
			out = append(out, part)
		}
	}
	for _, at := range separators.FindAllStringIndex(request, -1) {
		if subordinate.MatchString(request[at[0]:]) || listsTables(request, at) || slices.ContainsFunc(marks, func(m []int) bool { return at[0] >= m[0] && at[1] <= m[1] }) {
			continue
		}
		add(at[0])
		from = at[1]
	}
	add(len(request))
	return out
}

// Numbers of times tables, which are one wish: "the 7 and 8 times tables".
var (
	tablesPattern = words(`times`, `tables?`, `reihen?`, `einmaleins`, `tablas?`)
	numberEnds    = regexp.MustCompile(`\d(?:er|s)?-?$`)
	numberBegins  = regexp.MustCompile(`^\s*(?:\pL{1,3} ){0,2}\d`)
)

// listsTables reports whether a separator stands between two numbers of such a list.
func listsTables(request string, at []int) bool {
	return tablesPattern.MatchString(strings.ToLower(request)) && numberEnds.MatchString(request[max(0, at[0]-4):at[0]]) && numberBegins.MatchString(request[at[1]:min(len(request), at[1]+16)])
}

// outside applies f to what is not in quotation marks.
func outside(text string, f func(string) string) string {
	var out strings.Builder
	from := 0
	for _, m := range quoted.FindAllStringIndex(text, -1) {
		out.WriteString(f(text[from:m[0]]) + text[m[0]:m[1]])
		from = m[1]
	}
	return out.String() + f(text[from:])
}

// filler reports whether a clause asks for nothing ("and so on").
func filler(c clause) bool {
	return len(c.reading.Unmet) == 0 && c.reading.Empty() && !asking.MatchString(c.text) && !morePattern.MatchString(c.text) && !lessPattern.MatchString(c.text)
}

var asking = regexp.MustCompile(`\b(?:add|make|change|remove|give|put|use|turn|more|less|fewer|undo|back)\b`)
