package playtest

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/test/wait"
)

// sound is a game that passes: a bar fills, taps in the right moment score,
// and those who miss it five times lose.
const sound = `
const c = document.querySelector('canvas').getContext('2d');
let last = performance.now();
const s = { phase: 'ready', score: 0, lives: 3, t: 0, restarts: 0, best: 0, bar: 0 };
const svc = window.svc;
const begin = () => {
  last = performance.now();
  Object.assign(s, { phase: 'play', score: 0, lives: 3, t: 0, bar: 0 });
  svc.track('start', {});
};
const gain = () => { s.score++; svc.track('score', { score: s.score }); };
const end = () => { s.phase = 'over'; s.best = Math.max(s.best, s.score); svc.endGame({ outcome: 'lose', score: s.score }); };
window.addEventListener('pointerdown', () => {
  if (s.phase === 'over') s.restarts++;
  if (s.phase !== 'play') { begin(); return; }
  if (s.bar > 0.7) gain(); else if (--s.lives <= 0) end();
  s.bar = 0;
});
function draw() {
  const g = c.createLinearGradient(0, 0, 480, 720);
  for (let i = 0; i <= 8; i++) g.addColorStop(i / 8, 'hsl(' + i * 40 + ',70%,50%)');
  c.fillStyle = g;
  c.fillRect(0, 0, 480, 720);
  c.fillStyle = '#123';
  c.fillRect(180, 30, 120, 90);
  c.fillStyle = '#fff';
  c.fillRect(40, 600, 400 * s.bar, 40);
  c.font = 'bold 48px sans-serif';
  c.fillText(String(s.score), 220, 90);
}
function frame() {
  const now = performance.now();
  const dt = Math.round((now - last) * 0.06) / 60; // whole steps
  last = now;
  if (s.phase === 'play') {
    s.t += dt;
    s.bar += dt;
    if (s.bar > 1) { s.bar = 0; if (--s.lives <= 0) end(); }
    if (s.t > 20) end();
  }
  if (!window.__svc_blind) draw();
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
window.__svc_state = () => Object.assign({}, s, {
  field: { w: 480, h: 720 }, controls: 'tap', level: 1, turn: 0, seed: 1, outcome: '', sprites: [],
  hud: [{ role: 'score', text: String(s.score), size: 48, x: 200, y: 50, w: 80, h: 48 }],
});
svc.expose(() => s, window.__svc_state);
svc.ready(() => 0);
`

func gameFiles(script string) map[string][]byte {
	library, err := kit.Source("page/svc.js")
	if err != nil {
		panic(err) // it is embedded
	}
	return map[string][]byte{
		"index.html":     []byte(`<!doctype html><link rel="icon" href="data:,"><style>body{margin:0}canvas{display:block;width:min(100vw,66vh)}</style><canvas width="480" height="720"></canvas><script src="lib/svc.js"></script><script src="game.js"></script>`),
		"game.js":        []byte(script),
		"lib/svc.js":     library,
		"test/player.js": []byte("export const act = (s) => ({ tap: s.bar > 0.8 });"),
	}
}

// chromium is the pool of the one browser that the tests share: starting one takes
// as much as playing a game in it.
var chromium = NewPool("")

func TestMain(m *testing.M) {
	code := m.Run()
	chromium.Close()
	os.Exit(code)
}

// testBrowser returns the Chromium that the tests share. Without one the test is
// skipped, in CI it fails.
func testBrowser(t *testing.T) *Browser {
	t.Helper()
	b, release, err := chromium.Get()
	if errors.Is(err, ErrNoBrowser) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { release(false) })
	return b
}

func play(t *testing.T, b *Browser, script string, shots bool) Report {
	t.Helper()
	return playGame(t, b, Game{Files: gameFiles(script), Shots: shots})
}

func playGame(t *testing.T, b *Browser, g Game) Report {
	t.Helper()
	g.Width, g.Height, g.Short, g.Limit = 480, 720, true, 20
	r, err := b.Play(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// seated opens a game in one seat, ready to be played.
func seated(t *testing.T, b *Browser, script string) *seat {
	t.Helper()
	judge, err := judgeScript()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.newSeat(t.Context(), &Game{Files: gameFiles(script), Width: 480, Height: 720}, judge)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if opened, err := s.load(1); err != nil || opened.Ready < 0 {
		t.Fatalf("it is not ready: %+v, %v", opened, err)
	}
	return s
}

// A game is played, and a picture of each of its moments taken and looked at.
func TestSoundGamePassesAndIsMeasured(t *testing.T) {
	r := playGame(t, testBrowser(t), Game{Files: gameFiles(sound), Shots: true})
	// How soon it is ready says as much about the machine.
	failed := slices.DeleteFunc(r.Failed(false), func(c Check) bool { return c.Rule == "P04" })
	if len(failed) > 0 {
		t.Errorf("failed %+v", failed)
	}
	if r.Score < 5 || r.SkillRatio <= 1.5 || len(r.Shots) != 5 || r.Ready <= 0 {
		t.Errorf("score %v, ratio %v, %d pictures, ready after %v", r.Score, r.SkillRatio, len(r.Shots), r.Ready)
	}
	var moments []string
	for _, shot := range r.Shots {
		moments = append(moments, shot.Moment)
	}
	if want := []string{"ready", "early", "mid", "over", "again"}; !slices.Equal(moments, want) {
		t.Errorf("pictures of %q", moments)
	}
	for _, rule := range []string{"G02", "G03", "G04", "G05", "G06", "G07", "G08", "G09", "G10", "G11", "G12", "P15", "P16", "V03"} {
		if !slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Rule == rule }) {
			t.Errorf("%s was not checked", rule)
		}
	}
}

// Faults that do not hide one another are in one game: each is named by its rule, in
// these words.
func TestEachCheckCatchesItsFault(t *testing.T) {
	b := testBrowser(t)
	const hero = "sprites: [{ name: 'hero', x: 240, y: 360, size: 80 }]"
	type fault struct{ rule, says, old, new string }
	for name, faults := range map[string][]fault{
		"scripts": {
			{"G02", "reading 'x'", "const gain = () => { s.score++;", "const gain = () => { s.score++; undefined.x;"},
			{"G02", "wss://example.com", "let last", "try { new WebSocket('wss://example.com'); } catch (e) { console.error(e); }\nlet last"},
			{"G02", "eval", "let last", "setTimeout(() => { eval('1'); });\nlet last"},
		},
		"blank screen":         {{"G03", "colours", "if (!window.__svc_blind) draw();", ""}},
		"taps without cause":   {{"G05", "", "if (s.bar > 0.7) gain(); else if (--s.lives <= 0) end();\n  s.bar = 0;", ""}},
		"a tap starts nothing": {{"G04", "", "if (s.phase !== 'play') { begin(); return; }", "if (s.phase !== 'play') return;"}},
		"texts": {
			{"G11", "not on the screen", "role: 'score', text: String(s.score)", "role: 'score', text: 'x'"},
			{"P15", "texts outside: score", "x: 200, y: 50", "x: 450, y: 50"},
			{"P16", "too small: score", "size: 48, x", "size: 12, x"},
			{"V01", "the hero is", "sprites: []", strings.Replace(hero, "80", "8", 1)},
		},
		"figures": {
			{"P15", "on top of each other: score and lives", "h: 48 }]", "h: 48 }, { role: 'lives', text: '3', size: 48, x: 210, y: 60, w: 80, h: 48 }]"},
			{"V02", "outside of the field", "sprites: []", strings.Replace(hero, "240", "900", 1)},
			{"V03", "score (", "c.fillStyle = '#fff';", "c.fillStyle = '#234';"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			script := sound
			for _, f := range faults {
				broken := strings.Replace(script, f.old, f.new, 1)
				if broken == script {
					t.Fatalf("%q is not in the game", f.old)
				}
				script = broken
			}
			failed := play(t, b, script, name == "figures").Failed(false)
			for _, f := range faults {
				if !slices.ContainsFunc(failed, func(c Check) bool { return c.Rule == f.rule && strings.Contains(c.Note, f.says) }) {
					t.Errorf("%s did not fail by %q; failed: %+v", f.rule, f.says, failed)
				}
			}
		})
	}
}

func TestGameThatAnswersOnlyToTapsInTheRightPlaceReacts(t *testing.T) {
	script := strings.Replace(sound, "('pointerdown', () => {", "('pointerdown', (e) => {\n  if (s.phase === 'play' && e.clientY < 600) return;", 1)
	files := gameFiles(script)
	files[playerFile] = []byte("export const act = (s) => ({ tap: s.bar > 0.8, x: 240, y: 650 });")
	r := playGame(t, testBrowser(t), Game{Files: files})
	if failed := r.Failed(true); len(failed) > 0 {
		t.Errorf("failed %+v", failed)
	}
}

func TestGameFindsNothingThatAnotherOneKept(t *testing.T) {
	b := testBrowser(t)
	script := strings.Replace(sound, "let last", "if (localStorage.getItem('kept')) undefined.x; else localStorage.setItem('kept', 'yes');\nlet last", 1)
	for range 2 {
		if opened, err := seated(t, b, script).tell(); err != nil || len(opened.Faults) > 0 {
			t.Errorf("it complains: %+v, %v", opened.Faults, err)
		}
	}
}

func TestEveryMomentIsLookedAt(t *testing.T) {
	moments := map[string]string{
		"ready": "s.phase === 'ready'", "early": "s.restarts === 0 && s.phase === 'play' && s.t < 0.5", "mid": "s.t > 6 && s.t < 12", "over": "s.phase === 'over'", "again": "s.restarts > 0 && s.phase === 'play' && s.t < 1",
	}
	// A text is too small while a moment lasts, and names it.
	var small strings.Builder
	for moment, when := range moments {
		small.WriteString(".concat(" + when + " ? [{ role: 'in-" + moment + "', text: 'x', size: 9, x: 10, y: 10, w: 9, h: 9 }] : [])")
	}
	r := play(t, testBrowser(t), strings.Replace(sound, "h: 48 }],", "h: 48 }]"+small.String()+",", 1), true)
	for moment := range moments {
		if !slices.ContainsFunc(r.Failed(false), func(f Check) bool {
			return f.Rule == "P16" && strings.HasPrefix(f.Note, moment+":") && strings.Contains(f.Note, "in-"+moment)
		}) {
			t.Errorf("%s: failed %+v", moment, r.Failed(false))
		}
	}
}

func TestGameWithTextsWithoutNumberIsJudgedByAFew(t *testing.T) {
	const crowd = "{ role: 'hint', text: 'x', size: 48, x: 10, y: 10, w: 9, h: 9 }"
	script := strings.Replace(sound, "h: 48 }],", "h: 48 }].concat(Array(2000).fill("+crowd+")),", 1)
	r := play(t, testBrowser(t), script, true)
	failed := r.Failed(true)
	if !slices.ContainsFunc(failed, func(f Check) bool { return f.Rule == "P15" && strings.Contains(f.Note, "2001 texts") }) {
		t.Errorf("failed %d checks, none for the number of texts", len(failed))
	}
	// Each pair of texts that overlap would be named.
	if n := len(r.String()); n > 256<<10 {
		t.Errorf("the report has %d bytes", n)
	}
}

func TestConsoleThatAGameFillsIsKeptInPart(t *testing.T) {
	b := testBrowser(t)
	flood := "for (let i = 0; i < 500; i++) console.error(i + 'ä'.repeat(5000));\nlet last"
	page := seated(t, b, strings.Replace(sound, "let last", flood, 1))
	wait.Until(t, "the console is full", func() bool {
		if _, err := page.play("", 2, "never"); err != nil {
			t.Fatal(err)
		}
		return len(page.Console()) == maxSaid
	})
	said := page.Console()
	if len(said) != maxSaid || !strings.HasPrefix(said[0], "error: 0ä") {
		t.Fatalf("%d messages are kept", len(said))
	}
	for _, text := range said {
		if len(text) > maxWord+len("…") || !utf8.ValidString(text) {
			t.Fatalf("one of %d bytes is kept: %q", len(text), text)
		}
	}
}

func TestGameThatHangsWhileItIsPlayedIsNotPlayable(t *testing.T) {
	b := testBrowser(t)
	hangs := strings.Replace(sound, "s.bar += dt;", "s.bar += dt; while (s.t > 3) s.bar = 0;", 1)
	if hangs == sound {
		t.Fatal("the game does not hang")
	}
	b.hang = time.Second // what comes late for another reason hangs as well
	defer func() { b.hang = hangTime }()
	failed := play(t, b, hangs, false).Failed(true)
	if !slices.ContainsFunc(failed, func(f Check) bool { return f.Rule == "G02" && strings.Contains(f.Note, "hangs") }) {
		t.Errorf("failed %+v", failed)
	}
	// The browser is there for the next game.
	b.hang = hangTime
	if failed := play(t, b, sound, false).Failed(true); len(failed) > 0 {
		t.Errorf("the next game failed %+v", failed)
	}
}

func TestGameThatNeverGetsReadyIsNotPlayable(t *testing.T) {
	b := testBrowser(t)
	b.boot = 30
	defer func() { b.boot = bootFrames }()
	r := play(t, b, strings.Replace(sound, "svc.ready(", "void (", 1), false)
	failed := r.Failed(true)
	if len(failed) != 1 || failed[0].Rule != "G02" || !strings.Contains(failed[0].Note, "30 frames") {
		t.Errorf("failed %+v", failed)
	}
}

func TestGameThatBlindPlayWinsIsNoticed(t *testing.T) {
	script := strings.Replace(sound, "if (s.bar > 0.7) gain(); else if (--s.lives <= 0) end();", "gain();", 1)
	r := playGame(t, testBrowser(t), Game{Files: gameFiles(script)})
	if !slices.ContainsFunc(r.Failed(false), func(f Check) bool { return f.Rule == "G09" }) {
		t.Errorf("the ratio is %.2f, and G09 did not fail", r.SkillRatio)
	}
}

func TestPlayEndsSoonAfterItsContext(t *testing.T) {
	b := testBrowser(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Play(ctx, Game{Files: gameFiles(sound), Width: 480, Height: 720}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPoolKeepsItsBrowserUntilItFails(t *testing.T) {
	path, err := Find()
	if err != nil {
		testBrowser(t) // skips, or fails
	}
	p := NewPool(path)
	defer p.Close()
	first, release, err := p.Get()
	if err != nil {
		t.Fatal(err)
	}
	release(false)
	second, release, err := p.Get()
	if err != nil || second != first {
		t.Fatalf("another browser was started (%v)", err)
	}
	release(true)
	third, release, err := p.Get()
	if err != nil || third == first {
		t.Fatalf("a browser that failed was given away again (%v)", err)
	}
	release(false)
}

func TestPoolSaysThatThereIsNoBrowser(t *testing.T) {
	if _, _, err := NewPool("/nonexistent/chromium").Get(); err == nil {
		t.Error("a browser that is not there was started")
	}
}
