package audit

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
)

// library returns the library of games.
func library() []byte {
	code, err := kit.Source("page/svc.js")
	if err != nil {
		panic(err)
	}
	return slices.Clone(code)
}

var short = Limits{Bytes: MaxBytes}

func clean() compile.Files {
	return compile.Files{
		"index.html":        []byte(`<meta name="viewport" content="x"><link rel="icon" href="data:,"><script src="lib/svc.js"></script><script src="game.js"></script>`),
		"lib/svc.js":        library(),
		"lib/phaser.min.js": []byte(`eval("framework code is not judged")`),
		"game.js":           []byte(`window.addEventListener("pointerdown", f);`),
	}
}

func TestCleanGamePasses(t *testing.T) {
	if found := Check(clean(), short); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
}

func TestEachRuleCatchesItsOffence(t *testing.T) {
	for name, c := range map[string]struct {
		rule  string
		spoil func(compile.Files)
	}{
		"eval":                 {"A02", func(f compile.Files) { f["src/a.js"] = []byte("eval('1')") }},
		"timer of text":        {"A02", func(f compile.Files) { f["src/a.js"] = []byte("setTimeout('go()', 1)") }},
		"after a comment":      {"A03", func(f compile.Files) { f["src/a.js"] = []byte("// A game.\n/* more */\nfetch('x'); // end") }},
		"text like comment":    {"A03", func(f compile.Files) { f["src/a.js"] = []byte("img.src = ' //example.com/x.png'") }},
		"typed":                {"A02", func(f compile.Files) { f["src/a.ts"] = []byte("const a: number = 1; eval('1')") }},
		"network":              {"A03", func(f compile.Files) { f["src/a.js"] = []byte("fetch('x')") }},
		"external address":     {"A03", func(f compile.Files) { f["src/a.js"] = []byte("img.src = 'https://example.com/x.png'") }},
		"protocol-relative":    {"A03", func(f compile.Files) { f["index.html"] = append(f["index.html"], `<img src="//cdn.example.com/x">`...) }},
		"chance in a mechanic": {"A08", func(f compile.Files) { f["src/mechanics/a.js"] = []byte("x = Math.random()") }},
		"clock in a mechanic":  {"A08", func(f compile.Files) { f["src/mechanics/a.js"] = []byte("t = performance.now()") }},
		"markup from text":     {"A15", func(f compile.Files) { f["src/a.js"] = []byte("e.innerHTML = name") }},
		"no pointer": {"A11", func(f compile.Files) {
			f["game.js"] = []byte(strings.ReplaceAll(string(f["game.js"]), "pointerdown", "keydown"))
		}},
		"storage that may not be there": {"A09", func(f compile.Files) { f["src/a.js"] = []byte("n = window['localStorage'].n") }},
		"what Phaser 4 has not":         {"A20", func(f compile.Files) { f["src/a.js"] = []byte("sprite.preFX.addGlow()") }},
		"changed library":               {"A04", func(f compile.Files) { f["lib/svc.js"] = append(library(), " window.parent.location = 'x'"...) }},
		"page around the page":          {"A04", func(f compile.Files) { f["src/a.js"] = []byte("window.parent.location = 'x'") }},
		"parent page":                   {"A04", func(f compile.Files) { f["src/a.js"] = []byte("window.top.location = 'x'") }},
		"missing script":                {"A05", func(f compile.Files) { delete(f, "game.js"); f["game.js.map"] = nil }},
		"secret":                        {"A25", func(f compile.Files) { f["src/a.js"] = []byte("key = 'sk-0123456789abcdefghij'") }},
	} {
		files := clean()
		c.spoil(files)
		found := Blocking(Check(files, short))
		ok := false
		for _, f := range found {
			ok = ok || f.Rule == c.rule
		}
		if !ok {
			t.Errorf("%s: found %+v, want %s", name, found, c.rule)
		}
	}
}

func TestCommentsAreNotJudged(t *testing.T) {
	files := clean()
	files["src/a.js"] = []byte("// see https://example.com and eval(x)\n/* fetch(y) */\nlet a = 1; // new Function(z)\n")
	if found := Check(files, short); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
}

func TestWhatMayBeAMistakeIsAWarning(t *testing.T) {
	for rule, spoil := range map[string]func(compile.Files){
		"A05": func(f compile.Files) { f["assets/unused.png"] = []byte("\x89PNG") },
		"A14": func(f compile.Files) { f["src/mechanics/a.js"] = []byte("target.addEventListener('x', f)") },
		"A18": func(f compile.Files) { f["src/a.js"] = []byte("while (true) { next(); }") },
		"A19": func(f compile.Files) { f["src/a.js"] = []byte(strings.Repeat("next();\n", maxLines+1)) },
		"A22": func(f compile.Files) { f["src/a.js"] = []byte("title = 'Lorem ipsum'") },
		"A23": func(f compile.Files) { f["index.html"] = []byte(`<script src="lib/svc.js"></script>`) },
		"A24": func(f compile.Files) { f["lib/large.min.js"] = make([]byte, MaxBytes) },
	} {
		files := clean()
		spoil(files)
		found := Check(files, short)
		if len(found) != 1 || found[0].Rule != rule || len(Blocking(found)) != 0 {
			t.Errorf("%s: found %+v", rule, found)
		}
	}
}
