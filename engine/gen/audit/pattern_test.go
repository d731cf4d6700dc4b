package audit

import (
	"slices"
	"testing"
)

func TestPatternIsTriedWhereverItCanMatch(t *testing.T) {
	for expr, want := range map[string][]string{
		`\beval\s*\(|\bnew\s+Function\s*\(`:       {"eval", "Function"},
		`\b(?:local|session)Storage\b`:            {"Storage"},
		`(?i)(?:https?:)?//[a-z0-9-]+\.[a-z]`:     {"//"},
		`(?i)\bLorem ipsum\b`:                     {"lorem ipsum"},
		`(?i)//[^'"]*/(phaser|three)["']`:         {"phaser", "three"},
		`(?i)straße`:                              nil, // its capitals are not one letter each
		`\.(?:pre|post)FX\b|\bBitmapMask\b`:       {"FX", "BitmapMask"},
		`["'](?:click|touch(?:start|end))["']`:    {"click", "touch"},
		`a?b*[cd]`:                                nil,
		`x|`:                                      nil,
		`import\s*\{[^}]*\}\s*from\s*(['"])three`: {"import"},
	} {
		if got := newPattern(expr).words; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
	folded := newPattern(`(?i)ask`)
	for _, text := range []string{"ask", "ASK", "Ask", "aſk", "asK", "AſK"} {
		if !folded.expr.MatchString(text) || !folded.in("x "+text+" y") {
			t.Errorf("%q is not found in %q", folded.expr, text)
		}
	}
	if !folded.may("a TASK force") || folded.may("a sk") {
		t.Error("a pattern is tried where it can't match, or not where it can")
	}
	p := newPattern(`\bgo\s*\(`)
	if p.in("stop()") || !p.in("then go (1)") || p.find("a go(x)") != "go(" || p.replace("go(1)", "stop(") != "stop(1)" || p.replace("x", "y") != "x" {
		t.Error("a pattern finds something else than its expression")
	}
}
