// Package audit checks the files of a game without running them: what must be
// there, and what must not.
package audit

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
)

// Severity says whether a finding keeps a game from being delivered.
type Severity string

// The severities.
const (
	Block Severity = "block"
	Warn  Severity = "warn"
)

// Finding is one thing that is wrong.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Message  string   `json:"message"`
}

// Sizes above which a game is too large to load quickly.
const (
	MaxBytes = 5 << 20  // a short one
	MaxLong  = 15 << 20 // any other
)

// Limits are what a game's format asks of it.
type Limits struct{ Bytes int }

var (
	evalPattern    = newPattern(`\beval\s*\(|\bnew\s+Function\s*\(|\bset(?:Timeout|Interval)\s*\(\s*['"\x60]`)
	networkPattern = newPattern(`\bfetch\s*\(|\bXMLHttpRequest\b|\bWebSocket\b|\bEventSource\b|\bsendBeacon\b|\bimportScripts\b`)
	urlPattern     = newPattern(`(?i)(?:https?:)?//[a-z0-9-]+\.[a-z]`)
	framePattern   = newPattern(`\bdocument\.cookie\b|\b(?:window|self|globalThis)\.(?:top|parent|opener|open|frameElement)\b|\bpostMessage\b`)
	sourcePattern  = regexp.MustCompile(`(?:src|href)="([^"]+)"`)
	chancePattern  = newPattern(`\bMath\.random\s*\(|\bDate\.now\s*\(|\bnew\s+Date\b|\bperformance\.now\s*\(|\bcrypto\.`)
	markupPattern  = newPattern(`\.(?:innerHTML|outerHTML)\s*=|\bdocument\.write\s*\(|\binsertAdjacentHTML\s*\(`)
	endlessPattern = newPattern(`\bwhile\s*\(\s*(?:true|1)\s*\)|\bfor\s*\(\s*;\s*;\s*\)`)
	touchPattern   = newPattern(`["'\x60](?:pointer(?:down|up)|mouse(?:down|up)|touchstart|click)["'\x60]`)
	listenPattern  = newPattern(`\baddEventListener\s*\(`)
	fillerPattern  = newPattern(`(?i)\blorem ipsum\b|\byour (?:text|title|name) here\b`)
	secretPattern  = newPattern(`\bsk-[A-Za-z0-9]{16,}|\bBEGIN [A-Z ]*PRIVATE KEY\b`)
)

// mechanics is the folder of what is simulated.
const mechanics = "src/mechanics/"

// adder takes a finding.
type adder func(rule string, s Severity, file, format string, args ...any)

// Check returns the findings for a complete set of files, blocking ones first.
func Check(files compile.Files, l Limits) []Finding {
	var out []Finding
	add := adder(func(rule string, s Severity, file, format string, args ...any) {
		out = append(out, Finding{rule, s, file, fmt.Sprintf(format, args...)})
	})
	for _, name := range files.Names() {
		if written(name) && !isLibrary(name, files[name]) {
			checkFile(add, name, files[name])
		}
	}
	checkAssets(add, files)
	checkPage(add, files)
	checkScript(add, string(files[compile.Script]))
	if n := files.Bytes(); n > l.Bytes {
		add("A24", Warn, "", "the game is %d bytes large", n)
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return strings.Compare(string(a.Severity), string(b.Severity)) })
	return out
}

func checkFile(add adder, name string, content []byte) {
	code := string(content)
	if path.Ext(name) == ".js" || path.Ext(name) == ".ts" {
		code = build.Uncommented(name, code)
	}
	if m := urlPattern.find(code); m != "" {
		add("A03", Block, name, "it names the external address %q", m)
	}
	if m := evalPattern.find(code); m != "" {
		add("A02", Block, name, "it runs text as code: %s", m)
	}
	if m := networkPattern.find(code); m != "" && name != "lib/svc.js" {
		add("A03", Block, name, "it uses the network: %s", m)
	}
	if m := framePattern.find(code); m != "" {
		add("A04", Block, name, "it reaches beyond its page: %s", m)
	}
	if m := chancePattern.find(code); m != "" && strings.HasPrefix(name, mechanics) {
		add("A08", Block, name, "a mechanic must follow from its seed and its steps alone: %s", m)
	}
	if m := markupPattern.find(code); m != "" {
		add("A15", Block, name, "it makes markup of text: %s", m)
	}
	if secretPattern.in(code) {
		add("A25", Block, name, "it holds something that looks like a secret")
	}
	if strings.HasPrefix(name, "src/") {
		if m := endlessPattern.find(code); m != "" {
			add("A18", Warn, name, "this may never end: %s", m)
		}
		checkSource(add, name, code, content)
	}
}

func checkPage(add adder, files compile.Files) {
	page := string(files["index.html"])
	for _, m := range sourcePattern.FindAllStringSubmatch(page, -1) {
		if strings.HasPrefix(m[1], "data:") {
			continue
		}
		if _, ok := files[m[1]]; !ok {
			add("A05", Block, "index.html", "it loads %s, which is not there", m[1])
		}
	}
	if !strings.Contains(page, `name="viewport"`) || !strings.Contains(page, `rel="icon"`) {
		add("A23", Warn, "index.html", "it lacks a viewport or an icon")
	}
}

// checkScript looks at what the game's sources became.
func checkScript(add adder, script string) {
	if !touchPattern.in(script) {
		add("A11", Block, compile.Script, "it answers to no pointer, mouse or finger")
	}
}

// isLibrary reports whether a file is the library svc of this release, byte for
// byte. It talks to the page that embeds the game, which no game may; a changed
// copy is judged like the game's own code.
func isLibrary(name string, content []byte) bool {
	library, err := kit.Source("page/svc.js")
	return err == nil && name == "lib/svc.js" && bytes.Equal(content, library)
}

// written reports whether a file is ours to judge: not a framework, not a
// licence, not a text for people.
func written(name string) bool {
	if strings.HasPrefix(name, "lib/") {
		return name == "lib/svc.js"
	}
	return slices.Contains([]string{".js", ".ts", ".html"}, path.Ext(name))
}

// Blocking returns the findings that keep a game from being delivered.
func Blocking(findings []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Severity != Block })
}
