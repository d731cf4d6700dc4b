package puppets

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
)

// Fault is one that a puppet makes on its way to the finished game.
type Fault struct {
	Name     string
	Puppet   string // whose
	Old, New string // what it writes other in src/main.js
	// Rules are those of the judge or the audit of which one must name it; none where
	// the compiler does.
	Rules []string
	// Says is what must be said of it, a part of a finding.
	Says string

	cut bool // nothing is written other: an answer is cut
}

// Cut is the fault of an answer that ends within a file.
var Cut = Fault{Name: "cut write", Puppet: "snake", cut: true}

// Faults are those that the verdict must name before a puppet mends them.
var Faults = []Fault{
	{Name: "syntax error", Puppet: "snake", Old: "function turn(s, way) {", New: "function turn(s, way {", Says: "src/main.js"},
	{Name: "exception after 20 s", Puppet: "defence", Old: "  walk(s);", New: "  walk(s);\n  if (s.t === 1200) s.mill.x = 1;", Rules: []string{"G02"}},
	{
		Name: "black screen", Puppet: "snake", Rules: []string{"G03", "G05"}, Old: "function draw(g, s, phase) {",
		New: "function draw(g, s, phase) {\n  g.fillStyle = '#000';\n  g.fillRect(0, 0, 480, 720);\n  return;",
	},
	{
		Name: "no restart", Puppet: "snake", Rules: []string{"G08"}, Says: `check "a wall ends it, and it begins again at 0"`, Old: "  const body = [10, 11, 12]",
		New: "  if (create.kept) return create.kept;\n  setTimeout(() => { create.kept = s; });\n  const s = first(pause);\n  return s;\n}\n\nfunction first(pause) {\n  const seed = 1;\n  const body = [10, 11, 12]",
	},
	{Name: "network call", Puppet: "typing", Old: "  sfx('hit');", New: "  sfx('hit');\n  fetch('/scores?n=' + s.score);", Rules: []string{"A03"}},
	{Name: "endless loop", Puppet: "snake", Old: "  s.wait = 0;", New: "  s.wait = 0;\n  for (let i = 0; i < 4; i += s.wait) s.score += 0;", Rules: []string{"G02"}},
	{Name: "wrong Phaser API", Puppet: "pinball", Old: "  shown.ball = scene.add.circle(0, 0, R, 0xf8f9fa)", New: "  shown.ball = scene.game.add.graphics(0, 0).beginFill(0xf8f9fa).drawCircle(0, 0, R)", Rules: []string{"G02"}},
	{
		Name: "cheating hook", Puppet: "snake", Rules: []string{"G06"}, Old: "import about from './game.json';",
		New: "import about from './game.json';\nimport { expose } from './kit/kit.js';\nsetTimeout(() => expose(() => ({ score: 99, outcome: 'win' })), 200);",
	},
	{Name: "score without play", Puppet: "snake", Old: "  if (++s.wait < s.pause) return;", New: "  s.score += 1;\n  if (++s.wait < s.pause) return;", Rules: []string{"G09"}},
	{Name: "end at the start", Puppet: "memory", Old: "  const i = chosen(s, input);", New: "  s.outcome = 'win';\n  const i = chosen(s, input);", Rules: []string{"G07"}},
}

// In returns the files of a game with the fault in them.
func (f Fault) In(files map[string][]byte) (map[string][]byte, error) {
	was := files["src/main.js"]
	if bytes.Count(was, []byte(f.Old)) != 1 {
		return nil, fmt.Errorf("%q is not once in src/main.js of %s", f.Old, f.Puppet)
	}
	out := maps.Clone(files)
	out["src/main.js"] = bytes.Replace(was, []byte(f.Old), []byte(f.New), 1)
	return out, nil
}

// names reports whether a verdict names the fault.
func (f Fault) names(verdict string) bool {
	for line := range strings.Lines(verdict) {
		for _, rule := range f.Rules {
			if strings.HasPrefix(strings.TrimLeft(line, "- "), rule) {
				return true
			}
		}
		if f.Says != "" && strings.Contains(line, f.Says) {
			return true
		}
	}
	return false
}
