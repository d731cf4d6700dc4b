package playtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/long"
)

// cheat is a game that no mutation makes: it pretends, or breaks where nobody looks
// who plays for a moment.
type cheat struct {
	rule  string
	edits []string          // what is replaced in the sound game, and by what, in turn
	files map[string]string // beside it
	short bool              // it is judged in the short run as well
}

const starts = "if (s.phase !== 'play') { begin(); return; }"

var cheats = map[string]cheat{
	"points for the start":          {rule: "G08", edits: []string{"svc.track('start', {});", "svc.track('start', {}); for (let i = 0; i < 5; i++) gain();"}},
	"a screen that lies":            {rule: "G11", short: true, edits: []string{"fillText(String(s.score)", "fillText('00'"}},
	"a run of a second":             {rule: "G07", short: true, edits: []string{"if (s.t > 20) end();", "if (s.t > 1) end();"}},
	"a check that waits":            {rule: "G13", files: map[string]string{"checks/a.json": `{"inputs": [{"at": 5, "tap": true}], "expect": {"score": {"max": 3}}}`}},
	"a check of nothing":            {rule: "G13", files: map[string]string{"checks/a.json": `{"inputs": [{"at": 5, "tap": true}], "expect": {}}`}},
	"frozen after twenty seconds":   {rule: "G03", short: true, edits: []string{"if (s.t > 20) end();", "if (s.t > 20) return;"}},
	"a button that nobody sees":     {rule: "G04", short: true, edits: []string{starts, "if (s.phase !== 'play') return;", "let last", "const b = document.body.appendChild(document.createElement('button'));\nb.style.cssText = 'position:absolute;left:0;top:0;width:60px;height:60px;opacity:0';\nb.onclick = () => begin();\nlet last"}},
	"a place that is no number":     {rule: "G12", edits: []string{"s.bar += dt;", "s.bar += dt;\n    s.x = s.t > 2 ? NaN : 1;"}},
	"memory that is kept":           {rule: "G12", short: true, edits: []string{"const now", "(window.kept = window.kept || []).push(new Array(5000).fill(last));\n  const now"}},
	"elements that are kept":        {rule: "G12", edits: []string{"const now", "for (let i = 0; i < 200; i++) (window.kept = window.kept || []).push(document.createElement('div'));\n  const now"}},
	"opened anew to begin again":    {rule: "G08", edits: []string{"if (s.phase === 'over') s.restarts++;", "if (s.phase === 'over') { location.reload(); return; }"}},
	"a score in words":              {rule: "G12", edits: []string{"{ score: s.score }); };\nconst end", "{ score: String(s.score) }); };\nconst end"}},
	"a message that must be closed": {rule: "G02", edits: []string{"s.phase = 'over';", "s.phase = 'over'; alert('Over');"}},
	"a tap that wins":               {rule: "G09", edits: []string{"if (s.bar > 0.7) gain(); else if (--s.lives <= 0) end();", "s.score = 99; gain(); if (s.t > 4) end();"}},
}

func TestCheatsAreNamed(t *testing.T) {
	b := testBrowser(t)
	for name, c := range cheats {
		if !c.short && !long.Asked() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			script := sound
			for i := 0; i < len(c.edits); i += 2 {
				edited := strings.Replace(script, c.edits[i], c.edits[i+1], 1)
				if edited == script {
					t.Fatalf("%q is not in the game", c.edits[i])
				}
				script = edited
			}
			files := gameFiles(script)
			for name, content := range c.files {
				files[name] = []byte(content)
			}
			r := playGame(t, b, Game{Files: files})
			t.Logf("%v: %s", r.Took, r)
			if !slices.Contains(r.Rules(), c.rule) {
				t.Errorf("%s does not name it", c.rule)
			}
		})
	}
}
