package gen

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/test/long"
)

// chromium is the pool of the one browser that the tests of this package share:
// starting one takes as much as playing a game in it.
var chromium = playtest.NewPool("")

func TestMain(m *testing.M) {
	debug.SetGCPercent(300) // as in the engine
	code := m.Run()
	chromium.Close()
	os.Exit(code)
}

// browser returns the Chromium that the tests share. Without one the test is
// skipped, in CI it fails.
func browser(t *testing.T) *playtest.Browser {
	t.Helper()
	b, release, err := chromium.Get()
	if errors.Is(err, playtest.ErrNoBrowser) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { release(false) })
	return b
}

// inBrowser is the real generator with the browser that the tests share, but for the
// simulation.
func inBrowser(t *testing.T) *embedded {
	t.Helper()
	browser(t) // skips where there is none
	g := withBrowser(t, "/nonexistent/chromium").(*embedded)
	g.browser = chromium
	return g
}

// realGame makes a game with the real framework and returns its page.
func realGame(t *testing.T, text string) string {
	t.Helper()
	return gameOf(t, Request{Prompt: text})
}

// gameOf makes the game of a request with the real frameworks.
func gameOf(t *testing.T, req Request) string {
	t.Helper()
	g, err := New(Options{Frameworks: frameworksDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	g.(*embedded).simulate = unplayed // the browser plays it
	p := newProject(t, g)
	p.runWith(req)
	return "file://" + filepath.ToSlash(filepath.Join(p.dir, "game", "index.html"))
}

func open(t *testing.T, b *playtest.Browser, url string, width, height int) *playtest.Page {
	t.Helper()
	page, err := b.Open(t.Context(), url, width, height)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(page.Close)
	return page
}

// shoot takes a picture, keeps it in test/output for people to look at, and
// returns it.
func shoot(t *testing.T, page *playtest.Page, name string) image.Image {
	t.Helper()
	data, err := page.Screenshot()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join("..", "..", "test", "output", "games")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".jpg"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// colours counts the colours of a picture, at five bits a channel.
func colours(img image.Image) int {
	seen := map[[3]uint32]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y += 2 {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x += 2 {
			r, g, b, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r >> 11, g >> 11, b >> 11}] = true
		}
	}
	return len(seen)
}

// differing is the share of the pixels in which two pictures differ.
func differing(a, b image.Image) float64 {
	n, all := 0, 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y += 2 {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x += 2 {
			all++
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			if math.Abs(float64(r1)-float64(r2))+math.Abs(float64(g1)-float64(g2))+math.Abs(float64(b1)-float64(b2)) > 3000 {
				n++
			}
		}
	}
	return float64(n) / float64(all)
}

func run(t *testing.T, page *playtest.Page, policy string, frames int) playtest.State {
	t.Helper()
	s, err := page.Run(policy, frames)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tap(t *testing.T, page *playtest.Page) {
	t.Helper()
	if err := page.Tap(240, 400); err != nil {
		t.Fatal(err)
	}
}

func TestEveryGamePlaysFromItsFolderInABrowser(t *testing.T) {
	b := browser(t)
	all := eachRequest()
	// The simulation plays all of them to their end; here, where it takes as long
	// as all the rest, one in six until the long run.
	const toItsEnd = 6
	for i, mechanic := range slices.Sorted(maps.Keys(all)) {
		t.Run(mechanic, func(t *testing.T) {
			w, h := catalog.Field(spec.Spec{Mechanic: mechanic, Format: spec.Short})
			req := all[mechanic]
			if slices.Contains([]string{"platformer", "maze", "breakout"}, mechanic) {
				req.Prompt += ", one level" // the other levels are the simulation's
			}
			page := open(t, b, gameOf(t, req), w, h)
			if s := run(t, page, "idle", 20); s.Phase != "ready" {
				t.Fatalf("after loading the phase is %q", s.Phase)
			}
			ready := shoot(t, page, mechanic+"-1-ready")
			if n := colours(ready); n < 30 {
				t.Errorf("the ready screen has %d colours", n)
			}
			tap(t, page)
			if started := run(t, page, "idle", 4); started.Phase != "play" {
				t.Fatalf("after a tap the phase is %q", started.Phase)
			}
			if d := differing(ready, shoot(t, page, mechanic+"-2-started")); d < 0.05 {
				t.Errorf("the tap changed only %.1f %% of the picture", d*100)
			}
			playing := run(t, page, "skilled", 60*9)
			shoot(t, page, mechanic+"-3-playing")
			if playing.Score < 1 {
				t.Errorf("nine seconds of skilled play score %v", playing.Score)
			}
			checkHUD(t, playing)
			if said := page.Console(); len(said) > 0 {
				t.Errorf("the console says %q", said)
			}
			if i%toItsEnd != toItsEnd-1 && !long.Asked() {
				return
			}
			over := playing
			if over.Phase == "play" {
				policy := "idle"
				if catalog.Mechanics[mechanic].Wide {
					policy = "skilled" // only these need no one to lose
				}
				over = run(t, page, policy, 60*240)
			}
			if over.Phase != "over" || over.Lives > 0 && over.Outcome == "lose" {
				t.Fatalf("later: %+v", over)
			}
			run(t, page, "idle", 40)
			shoot(t, page, mechanic+"-4-over")
			tap(t, page)
			again := run(t, page, "idle", 2)
			if again.Phase != "play" || again.Restarts != 1 || again.Score != 0 || again.T > 0.5 || again.Lives < 1 {
				t.Errorf("after a restart: %+v", again)
			}
			if said := page.Console(); len(said) > 0 {
				t.Errorf("the console says %q", said)
			}
		})
	}
}

func TestOtherRenderersShowTheSameGame(t *testing.T) {
	b := browser(t)
	for _, renderer := range []string{"pixi.js", "a plain canvas"} {
		page := open(t, b, realGame(t, briefs["orbit"]+", with "+renderer), 480, 720)
		run(t, page, "idle", 4)
		tap(t, page)
		playing := run(t, page, "skilled", 60*6)
		img := shoot(t, page, "renderer-"+strings.Fields(renderer)[0])
		if playing.Phase != "play" || playing.Score < 1 || colours(img) < 30 {
			t.Errorf("%s: %+v, %d colours", renderer, playing, colours(img))
		}
		if said := page.Console(); len(said) > 0 {
			t.Errorf("%s: the console says %q", renderer, said)
		}
	}
}

func TestTwoPlayersTakeTurnsOnTheSameWorld(t *testing.T) {
	page := open(t, browser(t), realGame(t, briefs["dial"]+", two players"), 480, 720)
	tap(t, page)
	first := run(t, page, "skilled", 60*50)
	if first.Phase != "next" || first.Turn != 0 {
		t.Fatalf("after the first player's run: %+v", first)
	}
	run(t, page, "idle", 40)
	shoot(t, page, "two-players-next")
	tap(t, page)
	second := run(t, page, "idle", 60*50)
	if second.Phase != "over" || second.Turn != 1 || second.Seed != first.Seed {
		t.Fatalf("after the second player's run: %+v", second)
	}
	run(t, page, "idle", 40)
	shoot(t, page, "two-players-over")
	if !slices.ContainsFunc(run(t, page, "idle", 1).HUD, func(b playtest.Box) bool { return b.Role == "outcome" && b.Text == "Player 1 wins!" }) {
		t.Error("the winner is not named")
	}
}

// checkHUD checks that the score is on the screen, right, and inside it.
func checkHUD(t *testing.T, s playtest.State) {
	t.Helper()
	found := false
	for _, box := range s.HUD {
		if box.X < 0 || box.Y < 0 || box.X+box.W > s.Field.W || box.Y+box.H > s.Field.H {
			t.Errorf("%s %q is not all on the screen: %+v", box.Role, box.Text, box)
		}
		found = found || box.Role == "score"
	}
	if !found {
		t.Error("the score is not shown")
	}
}

func TestGamesFitEveryWindow(t *testing.T) {
	b := browser(t)
	url := realGame(t, briefs["gap"])
	for _, size := range [][2]int{{360, 640}, {412, 915}, {1280, 720}, {240, 320}} {
		page := open(t, b, url, size[0], size[1])
		type box struct{ X, Y, W, H, ScrollW, ScrollH float64 }
		got, err := playtest.Eval[box](page, `(() => { const r = document.querySelector('canvas').getBoundingClientRect(); const e = document.documentElement; return {X: r.x, Y: r.y, W: r.width, H: r.height, ScrollW: e.scrollWidth, ScrollH: e.scrollHeight}; })()`)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.W/got.H-480.0/720) > 0.02 || got.X < -1 || got.Y < -1 || got.X+got.W > float64(size[0])+1 || got.Y+got.H > float64(size[1])+1 {
			t.Errorf("in %v the game is at %+v", size, got)
		}
		if got.ScrollW > float64(size[0]) || got.ScrollH > float64(size[1]) {
			t.Errorf("in %v the page scrolls: %+v", size, got)
		}
		if got.H < float64(size[1])*0.9 && got.W < float64(size[0])*0.9 {
			t.Errorf("in %v the game fills too little: %+v", size, got)
		}
	}
}

func TestWideGameIsTallAndLegibleOnAPhone(t *testing.T) {
	b := browser(t)
	url := gameOf(t, eachRequest()["platformer"])
	for size, wide := range map[[2]int]float64{{360, 640}: 480, {390, 844}: 480, {640, 360}: 960, {960, 540}: 960} {
		page := open(t, b, url, size[0], size[1])
		ready := run(t, page, "idle", 30)
		tap(t, page)
		playing := run(t, page, "idle", 30)
		pixels, err := playtest.Eval[float64](page, `document.querySelector('canvas').getBoundingClientRect().width`)
		if err != nil || playing.Field.W != wide {
			t.Errorf("at %v the field is %v wide (%v)", size, playing.Field.W, err)
		}
		for _, text := range slices.Concat(ready.HUD, playing.HUD) {
			if shown := text.Size * pixels / wide; wide == 480 && shown < 12 {
				t.Errorf("at %v %q is %.1f pixels high", size, text.Text, shown)
			}
		}
		shoot(t, page, fmt.Sprintf("platformer-%dx%d", size[0], size[1]))
	}
}

// press is what a finger does to the page.
func press(t *testing.T, page *playtest.Page, event string) {
	t.Helper()
	script := `document.querySelector('canvas').dispatchEvent(new PointerEvent('` + event + `', {bubbles: true, cancelable: true, isPrimary: true, pointerId: 7, pointerType: 'touch', clientX: 240, clientY: 400}))`
	if _, err := playtest.Eval[bool](page, script); err != nil {
		t.Fatal(err)
	}
}

func TestPressThatBeginsARunIsNoMoveInIt(t *testing.T) {
	page := open(t, browser(t), realGame(t, briefs["bridge"]), 480, 720)
	press(t, page, "pointerdown")
	begun := run(t, page, "idle", 12) // as long as a finger stays
	press(t, page, "pointerup")
	if begun.Phase != "play" {
		t.Fatalf("after a press the phase is %q", begun.Phase)
	}
	if later := run(t, page, "idle", 120); later.Lives != begun.Lives {
		t.Errorf("the press laid a bridge: %d of %d lives are left", later.Lives, begun.Lives)
	}
	press(t, page, "pointerdown")
	run(t, page, "idle", 12)
	press(t, page, "pointerup")
	if later := run(t, page, "idle", 120); later.Lives == begun.Lives && later.Score == 0 {
		t.Errorf("the next press does nothing: %+v", later)
	}
}

func TestHeldGameStandsStillAndGoesOnWithAPress(t *testing.T) {
	page := open(t, browser(t), realGame(t, briefs["gap"]), 480, 720)
	tap(t, page)
	for name, hold := range map[string]func(){
		"its button": func() {
			if err := page.Tap(36, 118); err != nil {
				t.Fatal(err)
			}
		},
		"a key": func() {
			if _, err := playtest.Eval[bool](page, `window.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', cancelable: true}))`); err != nil {
				t.Fatal(err)
			}
		},
		"another tab": func() {
			if _, err := playtest.Eval[bool](page, `Object.defineProperty(document, 'hidden', {value: true, configurable: true}), document.dispatchEvent(new Event('visibilitychange')) && delete document.hidden`); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			running := run(t, page, "idle", 6)
			hold()
			held := run(t, page, "idle", 300)
			shoot(t, page, "held")
			if !held.Paused || held.Phase != "play" || held.T-running.T > 0.2 || held.Lives != running.Lives {
				t.Fatalf("from %+v to %+v", running, held)
			}
			checkHUD(t, held)
			tap(t, page)
			if on := run(t, page, "idle", 12); on.Paused || on.T <= held.T {
				t.Errorf("after a press: %+v", on)
			}
		})
	}
}

func TestKeysPlayToo(t *testing.T) {
	page := open(t, browser(t), realGame(t, briefs["lane"]), 480, 720)
	if _, err := playtest.Eval[bool](page, `window.dispatchEvent(new KeyboardEvent('keydown', {key: ' ', cancelable: true}))`); err != nil {
		t.Fatal(err)
	}
	if s := run(t, page, "idle", 12); s.Phase != "play" {
		t.Errorf("after the space bar the phase is %q", s.Phase)
	}
}
