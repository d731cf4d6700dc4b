package gen

import (
	"maps"
	"strings"
	"testing"
)

// spoil replaces a text in a source of the project's game.
func (p *project) spoil(name, old, now string) {
	p.t.Helper()
	text := p.files()[name]
	if !strings.Contains(text, old) {
		p.t.Fatalf("%s has no %q", name, old)
	}
	p.write(name, strings.Replace(text, old, now, 1))
}

func TestAuthoredGameThatDoesNotPassCanStillBeChanged(t *testing.T) {
	for what, now := range map[string]string{
		"the simulation": "tick(s); s.lives = 9;", "the audit": "tick(s); if (s.never) fetch('/x');", "the simulator": "if (s.t > 1) throw new Error('mine'); tick(s);",
	} {
		p := swaying(t)
		p.spoil("game/src/mechanics/gap.js", "tick(s);", now)
		result, rep := p.run("call it Owl")
		if files := p.files(); !result.Changed || len(result.Unmet) != 0 || !strings.Contains(files["game/index.html"], "<title>Owl</title>") || !strings.Contains(files["game/src/mechanics/gap.js"], now) {
			t.Errorf("%s: %+v", what, result)
		}
		if !strings.Contains(warned(rep), "did not before this change") {
			t.Errorf("%s: warned %q", what, warned(rep))
		}
	}
}

func TestModelMakesAnAuthoredGameThatDoesNotPassNoWorse(t *testing.T) {
	const now = "tick(s); s.lives = 9;"
	for what, c := range map[string]struct {
		add  string
		made bool
	}{"as bad": {"s.vy += 0;", true}, "worse": {"s.vy = NaN;", false}, "worse for the audit": {"if (s.never) eval('1');", false}} {
		p := swaying(t)
		p.spoil("game/src/mechanics/gap.js", "tick(s);", now)
		before := p.files()
		s := p.gen.(*embedded).agents.(*sage)
		s.reading, s.asked, s.calls = `{"wishes":[],"unmet":["another fall"]}`, nil, [][2]string{alter(t, now, now+" "+c.add), handedIn}
		result, _ := p.runWith(wisely("let it fall another way"))
		if result.Changed != c.made || !c.made && !maps.Equal(before, p.files()) {
			t.Errorf("%s: %+v", what, result)
		}
	}
}

func TestModelMendsAnAuthoredGameThatDoesNotBuild(t *testing.T) {
	p := swaying(t)
	p.spoil("game/src/mechanics/gap.js", "tick(s);", "tick(s;")
	s := p.gen.(*embedded).agents.(*sage)
	s.reading, s.asked, s.calls = `{"wishes":[],"unmet":["fix the error"]}`, nil, [][2]string{alter(t, "tick(s;", "tick(s);"), handedIn}
	result, _ := p.runWith(wisely("fix the error"))
	if files := p.files(); !result.Changed || len(result.Unmet) != 0 || !strings.Contains(files["game/game.js"], "s.t * 9") {
		t.Errorf("%+v", result)
	}
	if said := s.asked[0].Messages[0].Text(); !strings.Contains(said, "it can't be played: ") {
		t.Errorf("the model was told %q", said)
	}
}

func TestFollowUpRewritesNoSourceThatSomeoneWrote(t *testing.T) {
	p := swaying(t)
	p.spoil("game/src/mechanics/gap.js", "tick(s);", "tick(s);\n  debugger;\n")
	p.spoil("game/index.html", `<link rel="icon"`, `<link rel="mine"`)
	if err := p.root.Mkdir("game/more", 0o755); err != nil {
		t.Fatal(err)
	}
	p.write("game/more/style.css", "body { margin: 1px }")
	p.spoil("game/index.html", "</head>", "<link rel=\"stylesheet\" href=\"more/style.css\"></head>")
	before := p.files()
	result, rep := p.run("make it a bit faster")
	after := p.files()
	if !result.Changed || strings.Contains(warned(rep), "does not pass") {
		t.Errorf("%+v, warned %q", result, warned(rep))
	}
	for _, name := range []string{"game/src/mechanics/gap.js", "game/index.html", "game/more/style.css"} {
		if before[name] != after[name] {
			t.Errorf("%s is another", name)
		}
	}
}
