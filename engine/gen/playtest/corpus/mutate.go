package corpus

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Mutation breaks a game in one way.
type Mutation struct {
	Name  string
	Rules []string // of which at least one must name it
	// edits are tried in turn; the first that changes something is the mutation.
	edits []edit
	// not are the kinds of games in which it is no fault.
	not []string
}

// edit replaces what a pattern finds in a file.
type edit struct {
	file string
	old  *regexp.Regexp
	with string
}

const (
	main    = "src/main.js"
	session = "src/core/session.js" // of a stock game
	boot    = "src/core/boot.js"
	hud     = "src/core/hud.js"
)

func change(file, old, with string) edit { return edit{file, regexp.MustCompile(old), with} }

// also adds a line to the end of the main module.
func also(line string) edit {
	return change(main, `\s*\z`, "\n"+strings.ReplaceAll(line, "$", "$$")+"\n")
}

// Apply returns the files with the fault, and whether there is a place for it.
func (m Mutation) Apply(kind string, files map[string][]byte) (map[string][]byte, bool) {
	if slices.Contains(m.not, kind) {
		return nil, false
	}
	for _, e := range m.edits {
		old, there := files[e.file]
		if !there {
			continue
		}
		if now := e.old.ReplaceAll(old, []byte(e.with)); string(now) != string(old) {
			files = maps.Clone(files)
			files[e.file] = now
			return files, true
		}
	}
	return nil, false
}

var pointless = []string{"story", "sandbox"} // kinds that need no score

// Mutations are all of them.
var Mutations = []Mutation{
	{Name: "input dead", Rules: []string{"G04", "G05"}, edits: []edit{
		change("src/core/input.js", `addEventListener\('(pointerdown|keydown)'`, `addEventListener('no-$1'`),
		change(main, `(addEventListener|\.on)\('(pointerdown|keydown|keydown-SPACE|click)'`, `$1('no-$2'`),
	}},
	{Name: "input dead in a run", Rules: []string{"G05"}, not: []string{"versus"}, edits: []edit{
		change(session, `mechanic\.step\(ss\.state, own\(input\)\)`, `mechanic.step(ss.state, { pressed: false, jump: false, down: false, x: null, y: null })`),
		change(main, `(if \(s\.phase === 'over'\) return again\(\);)`, "$1\n  if (s.phase === 'play') return;"),
		change(main, `(function (?:answer|go)\(\w+\) \{)`, "$1\n  if (s.phase === 'play') return;"),
	}},
	{Name: "never draws", Rules: []string{"G03", "G04"}, edits: []edit{
		change(boot, `ss\.compose\(list\);\s*return list;`, `ss.compose(list); list.reset(); return list;`),
		change(main, `( draw\(\)|function draw\(\)) \{`, "$1 {\n  return;"),
	}},
	{Name: "one colour", Rules: []string{"G03"}, edits: []edit{
		change(boot, `ss\.compose\(list\);\s*return list;`, `ss.compose(list); list.reset(); list.box(-W, -H, 3 * W, 3 * H, 'ink'); return list;`),
		change(main, `  gl\.clear\(gl\.COLOR_BUFFER_BIT\);`, "  gl.clearColor(0.1, 0.2, 0.3, 1); gl.clear(gl.COLOR_BUFFER_BIT); return;"),
		change(main, `  gl\.render\(scene, camera\);`, "  label.textContent = ''; for (const o of scene.children) o.visible = false; gl.render(scene, camera);"),
		change(main, `(0x|#)(?:[0-9a-f]{6}|[0-9a-f]{3})\b`, `${1}336699`),
	}},
	{Name: "stands still", Rules: []string{"G03", "G05"}, not: []string{"turns", "story", "puzzle"}, edits: []edit{
		change(boot, `ss\.compose\(list\);\s*return list;`, `if (window.kept) return null; ss.compose(list); window.kept = true; return list;`),
		change(main, `setInterval\(`, `void (`),
		change(main, `(?s)\z`, "\nwindow.requestAnimationFrame = () => 0;\nwindow.setInterval = () => 0;\n"),
	}},
	{Name: "no restart", Rules: []string{"G08"}, not: []string{"sandbox"}, edits: []edit{
		change(session, `ss\.phase === 'over' && input\.pressed`, `ss.phase === 'none' && input.pressed`),
		change(main, `function again\(\) \{`, "function again() {\n  return;"),
	}},
	{Name: "restart keeps the score", Rules: []string{"G08"}, not: pointless, edits: []edit{
		change(session, `(ss\.state = mechanic\.create\(\(game.*;)`, "const kept = ss.state.score; $1 ss.state.score = kept;"),
		change(main, `  s\.score = 0;\n`, ""),
	}},
	{Name: "never ends", Rules: []string{"G07"}, not: []string{"sandbox"}, edits: []edit{
		change(session, `if \(ss\.state\.over\) end\(\);`, `if (ss.state.over) ss.state = mechanic.create(game.seed, game.play);`),
		change(main, `function finish\(outcome\) \{`, "function finish(outcome) {\n  if (outcome) return;"),
	}},
	{Name: "end never told", Rules: []string{"G07"}, not: []string{"sandbox"}, edits: []edit{
		change(boot, `svc\.endGame\(`, `void (`),
		change(main, `svc\.endGame\(`, `void (`),
	}},
	{Name: "ends twice", Rules: []string{"G07"}, not: []string{"sandbox"}, edits: []edit{
		change(boot, `(svc\.endGame\([^;]*\);)`, "$1 $1"),
		change(main, `(svc\.endGame\([^;]*\);)`, "$1 $1"),
	}},
	{Name: "ends at its start", Rules: []string{"G07", "G09", "G10"}, not: []string{"sandbox"}, edits: []edit{
		change(boot, `(svc\.track\('start'[^;]*;)`, "$1 svc.endGame({ outcome: 'win', score: 0 });"),
		change(main, `(svc\.track\('start'[^;]*;)`, "$1 finish('win');"),
	}},
	{Name: "throws late", Rules: []string{"G02"}, edits: []edit{also("setTimeout(() => { throw new Error('late'); }, 20000);")}},
	{Name: "throws at the first input", Rules: []string{"G02"}, edits: []edit{
		also("for (const type of ['pointerdown', 'keydown']) window.addEventListener(type, () => { null.x = 1; });"),
	}},
	{Name: "throws at the end", Rules: []string{"G02"}, not: []string{"sandbox"}, edits: []edit{
		change(boot, `(svc\.endGame\()`, "setTimeout(() => { null.x = 1; }); $1"),
		change(main, `(svc\.endGame\()`, "setTimeout(() => { null.x = 1; }); $1"),
	}},
	{Name: "scores by itself", Rules: []string{"G09"}, not: []string{"story", "sandbox", "puzzle", "turns", "versus"}, edits: []edit{
		change(session, `(for \(const e of ss\.state\.events\) \{)`, "if (ss.since % 15 === 0) { ss.state.score += 3; hooks.event(ss, { type: 'gain' }); }\n      $1"),
		also("setInterval(() => { if (s.phase === 'play') gain(3); }, 250);"),
	}},
	{Name: "score never told", Rules: []string{"G06"}, not: pointless, edits: []edit{
		change(boot, `svc\.track\('score', \{ score: s\.state\.score \}\)`, `void 0`),
		change(main, `svc\.track\('score', [^;]*;`, ""),
	}},
	{Name: "score told is another", Rules: []string{"G06"}, not: pointless, edits: []edit{
		change(boot, `svc\.track\('score', \{ score: s\.state\.score \}\)`, `svc.track('score', { score: s.state.score + 7 })`),
		change(main, `svc\.track\('score', \{ score: s\.score \}\)`, `svc.track('score', { score: s.score + 7 })`),
	}},
	{Name: "does not score", Rules: []string{"G06"}, not: pointless, edits: []edit{
		change("src/core/rules.js", `s\.score \+= worth;`, ``),
		change(main, `  s\.score \+= n;`, ""),
	}},
	{Name: "no number in the score", Rules: []string{"G12"}, not: []string{"story"}, edits: []edit{
		change("src/core/rules.js", `s\.score \+= worth;`, `s.score += worth * undefined;`),
		change(main, `s\.score \+= n;`, "s.score += n * undefined;"),
	}},
	{Name: "foreign request", Rules: []string{"G02"}, edits: []edit{also("new Image().src = ['https:', '', 'example.com', 'x.png'].join('/');")}},
	{Name: "console error", Rules: []string{"G02"}, edits: []edit{also("console.error('something is missing');")}},
	{Name: "never ready", Rules: []string{"G02"}, edits: []edit{
		change(boot, `svc\.ready\(`, `void (`),
		change(main, `svc\.ready\(`, `void (`),
	}},
	{Name: "ready too late", Rules: []string{"G02"}, edits: []edit{
		change(boot, `svc\.ready\(`, `((f) => setTimeout(() => svc.ready(f), 15000))(`),
		change(main, `svc\.ready\(`, `((f) => setTimeout(() => svc.ready(f), 15000))(`),
	}},
	{Name: "pause ignored", Rules: []string{"G10"}, edits: []edit{
		change(boot, `addEventListener\('visibilitychange'`, `addEventListener('no-visibilitychange'`),
		change(main, `addEventListener\('visibilitychange'`, `addEventListener('no-visibilitychange'`),
	}},
	{Name: "wrong size", Rules: []string{"G10"}, edits: []edit{
		also("document.head.appendChild(document.createElement('style')).textContent = '#game, #game > *, canvas { width: 1400px !important; height: 900px !important; max-width: none !important }';"),
	}},
	{Name: "score hidden", Rules: []string{"G11"}, not: pointless, edits: []edit{
		change(hud, `say\(s\.score,`, `say('*',`),
		change(main, `String\(s\.score\)`, `'*'`),
		change(main, `'Points: ' \+ s\.score`, `'Points'`),
	}},
	{Name: "leak of listeners", Rules: []string{"G12"}, not: []string{"sandbox"}, edits: []edit{
		change(boot, `(svc\.track\('start'[^;]*;)`, "$1 for (let i = 0; i < 9; i++) window.addEventListener('resize', () => i);"),
		change(main, `(svc\.track\('start'[^;]*;)`, "$1 for (let i = 0; i < 9; i++) window.addEventListener('resize', () => i);"),
	}},
	{Name: "start never told", Rules: []string{"G04"}, edits: []edit{
		change(boot, `svc\.track\('start'[^;]*;`, ``),
		change(main, `svc\.track\('start'[^;]*;`, ``),
	}},
	{Name: "left to chance", Rules: []string{"G05"}, not: []string{"story", "puzzle", "turns"}, edits: []edit{
		change(main, `performance\.now\(\) / \d+`, `crypto.getRandomValues(new Uint8Array(1))[0]`),
	}},
	{Name: "check without cause", Rules: []string{"G13"}, edits: []edit{
		change("checks/starts.json", `"expect": \{.*\} \}`, `"expect": { "score": { "min": 0 } } }`),
		change("checks/first.json", `"expect": \{.*\} \}`, `"expect": { "phase": "ready" } }`),
		change("checks/oven.json", `"ovens": 1`, `"ovens": 0`),
	}},
	{Name: "rule of a check broken", Rules: []string{"G13"}, edits: []edit{
		change("checks/starts.json", `"phase": "play"`, `"phase": "over"`),
		change(main, `gain\(10\);\n  s\.at`, "gain(5);\n  s.at"),
		change(main, `'full'\]\]`, `'stairs']]`),
		change(main, `s\.ovens\+\+`, `s.ovens += 2`),
		change(main, `setTimeout\(reply, 350\)`, `setTimeout(reply, 3500)`),
		change(main, `- 0\.72\) > 0\.08`, `- 0.72) > 0.0001`),
		change(main, `=== 3\) return finish`, `=== 30) return finish`),
		change(main, `finish\('lose'\)`, `finish('draw')`),
	}},
}
