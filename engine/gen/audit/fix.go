package audit

import (
	"path"
	"strings"

	"github.com/svc-games/svc/engine/gen/compile"
)

// fix is a rewrite that is always right.
type fix struct {
	rule, message string
	ext           string // of the files that it is for
	pattern       pattern
	with          string
}

var fixes = []fix{
	{"A13", "a framework from a foreign server became the one that ships with the game", ".html",
		newPattern(`(?i)src="(?:https?:)?//[^"]*/(phaser|pixi|three)(?:\.[a-z.]*)?js[^"]*"`), `src="lib/$1.min.js"`},
	{"A13", "a framework is imported by its name, and comes with the game", ".js",
		newPattern(`(?i)(\bfrom\s*|\bimport\s*)(['"])(?:https?:)?//[^'"]*/(phaser|three)(?:[@./-][^'"]*)?['"]`), "$1$2$3$2"},
	{"A13", "PixiJS is imported by its name, and comes with the game", ".js",
		newPattern(`(?i)(\bfrom\s*|\bimport\s*)(['"])(?:https?:)?//[^'"]*/pixi(?:[@./-][^'"]*)?['"]`), "$1${2}pixi.js$2"},
	{"A13", "a style sheet or font from a foreign server was removed", ".html",
		newPattern(`(?i)<link\b[^>]*href="(?:https?:)?//[^>]*>\s*`), ""},
	{"A23", "a viewport was added", ".html", newPattern(`(?i)(<head[^>]*>)`), "$1\n" + `<meta name="viewport" content="width=device-width, initial-scale=1">`},
	{"A23", "an empty icon was added", ".html", newPattern(`(?i)(<head[^>]*>)`), "$1\n" + `<link rel="icon" href="data:,">`},
	{"A23", "the language was named", ".html", newPattern(`(?i)<html>`), `<html lang="en">`},
	{"A23", "the encoding was named", ".html", newPattern(`(?i)(<head[^>]*>)`), "$1\n" + `<meta charset="utf-8">`},
	{"A20", "a point is a vector in Phaser 4", ".js", newPattern(`\bPhaser\.Geom\.Point\b`), "Phaser.Math.Vector2"},
	{"A20", "a full turn is called TAU in Phaser 4", ".js", newPattern(`\bPhaser\.Math\.PI2\b`), "Phaser.Math.TAU"},
	{"A20", "Phaser 4 leaves sets and maps to the language", ".js", newPattern(`\bPhaser\.Structs?\.(Set|Map)\b`), "$1"},
	{"A26", "Phaser is imported as a whole", ".js", newPattern(`import\s*\{[^}]*\}\s*from\s*(['"])phaser['"]`), "import Phaser from ${1}phaser$1"},
	{"A27", "a script is a classic one, which a folder can load", ".html", newPattern(`<script\s+type="module"`), "<script"},
	{"A27", "a script asks for no other origin, which a folder has not", ".html", newPattern(`(<script\b[^>]*?)(?:\s+(?:crossorigin|integrity)(?:="[^"]*")?)+`), "$1"},
	{"A28", "a mark of the byte order was removed", ".js", newPattern("\\A\uFEFF"), ""},
	{"A28", "a mark of the byte order was removed", ".html", newPattern("\\A\uFEFF"), ""},
	{"A29", "a pause for a debugger was removed", ".js", newPattern(`(?m)^([ \t]*)debugger;?[ \t]*$`), "$1"},
}

// unless keeps a fix from a file that needs none.
var unless = map[string]string{
	"a viewport was added":    `name="viewport"`,
	"an empty icon was added": `rel="icon"`,
	"the encoding was named":  `charset=`,
}

// Fix rewrites what is wrong in a way that leaves no choice, and returns what
// it did. The sources' folder and the pages are looked at.
func Fix(files compile.Files) []Finding {
	var out []Finding
	for _, name := range files.Names() {
		if strings.HasPrefix(name, "lib/") {
			continue
		}
		for _, f := range fixes {
			text := string(files[name])
			if path.Ext(name) != f.ext || unless[f.message] != "" && strings.Contains(text, unless[f.message]) {
				continue
			}
			if fixed := f.pattern.replace(text, f.with); fixed != text {
				files[name] = []byte(fixed)
				out = append(out, Finding{Rule: f.rule, Severity: Warn, File: name, Message: name + ": " + f.message})
			}
		}
		if ext := path.Ext(name); ext != ".js" && ext != ".ts" {
			continue
		}
		for _, r := range rewrites {
			text := string(files[name])
			if fixed := r.do(files, name, text); fixed != text {
				files[name] = []byte(fixed)
				out = append(out, Finding{Rule: r.rule, Severity: Warn, File: name, Message: name + ": " + r.message})
			}
		}
	}
	return out
}
