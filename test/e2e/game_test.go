package e2e

import (
	"archive/zip"
	"bytes"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/test/wait"
)

// minute is a minute of game time in frames: the longest a short game lasts.
const minute = 60 * 60

// openGame opens an unpacked game as its player does.
func openGame(t *testing.T, dir string) *playtest.Page {
	t.Helper()
	ctx, cancel := wait.Within(t.Context(), slow)
	t.Cleanup(cancel)
	browser, err := playtest.Start(ctx, "")
	if err != nil {
		t.Fatalf("%v: make deps installs what the tests need", err)
	}
	t.Cleanup(browser.Close)
	page, err := browser.Open(ctx, "file://"+filepath.Join(dir, "index.html"), 480, 720)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(page.Close)
	return page
}

func runPage(t *testing.T, page *playtest.Page, policy string, frames int) playtest.State {
	t.Helper()
	state, err := page.Run(policy, frames)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// changes reports whether the page soon looks otherwise than it did. Frames are
// shown some time after they are drawn, on a busy machine.
func changes(t *testing.T, page *playtest.Page, was []byte, name string) bool {
	t.Helper()
	for range 60 {
		if !bytes.Equal(was, shot(t, page, name)) {
			return true
		}
		runPage(t, page, "idle", 1)
	}
	return false
}

// opensFromItsFolder opens an author's game as who has unpacked its ZIP does: it draws,
// starts at a key, moves, and its console is silent.
func opensFromItsFolder(t *testing.T, dir string) {
	t.Helper()
	b := newBrowser(t).tab()
	b.look(480, 720, "light")
	b.open("file://" + filepath.Join(dir, "index.html"))
	holds := func(what, expression string) {
		t.Helper()
		wait.Until(t, what, func() bool { return value(b, chromedp.Evaluate[bool](expression)) })
	}
	holds("the game is ready", "svc.debug().ready && svc.debug().exposes")
	shown := func() []byte { return value(b, chromedp.FullScreenshot(90)) }
	wait.Until(t, "the game is drawn", func() bool { return colours(t, shown()) >= 4 })
	ready := shown()
	b.press(" ")
	holds("play has started", "svc.debug().buffered.some((e) => e.name === 'start')")
	wait.Until(t, "play is seen", func() bool { return !bytes.Equal(ready, shown()) })
	b.shot("authored")
}

func TestDownloadedGamePlaysInABrowser(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("demo")
	sub := s.submit(key, map[string]any{"projectId": s.newProject(key), "prompt": brief})
	s.finish(key, sub)
	page := openGame(t, unpack(t, s.download(key, sub)))
	ready := shot(t, page, "ready")
	if n := colours(t, ready); n < 8 {
		t.Errorf("the canvas shows %d colours", n)
	}
	play := func(policy string, frames int) playtest.State { t.Helper(); return runPage(t, page, policy, frames) }
	if err := page.Tap(240, 360); err != nil {
		t.Fatal(err)
	}
	if state := play("idle", 1); state.Phase != "play" {
		t.Errorf("after the first tap the phase is %s", state.Phase)
	}
	if !changes(t, page, ready, "tapped") {
		t.Error("the tap changed nothing on the canvas")
	}
	if state := play("skilled", 20*60); state.Score < 1 {
		t.Errorf("20 seconds of skilled play score %v", state.Score)
	}
	shot(t, page, "played")
	state := play("idle", minute)
	if state.Phase != "over" {
		t.Fatalf("after a minute without a tap the phase is %s", state.Phase)
	}
	over := shot(t, page, "over")
	play("idle", 60)
	if err := page.Tap(240, 360); err != nil {
		t.Fatal(err)
	}
	if state = play("idle", 1); state.Phase != "play" || state.Score != 0 || state.Restarts != 1 {
		t.Errorf("after a tap on the end the state is %+v", state)
	}
	if !changes(t, page, over, "restarted") {
		t.Error("the restart changed nothing on the canvas")
	}
	if said := page.Console(); len(said) > 0 {
		t.Errorf("the console says %q", said)
	}
}

// shot takes a picture of the page and keeps it as test output.
func shot(t *testing.T, page *playtest.Page, name string) []byte {
	t.Helper()
	raw, err := page.Screenshot()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root(t), "test", "output")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "e2e-"+name+".jpg"), raw, 0o644); err != nil {
		t.Fatal(err)
	}
	return raw
}

// colours counts the colours of a picture, five bits a channel.
func colours(t *testing.T, raw []byte) int {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint32]bool{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 4 {
		for x := b.Min.X; x < b.Max.X; x += 4 {
			r, g, bl, _ := img.At(x, y).RGBA()
			seen[r>>11<<10|g>>11<<5|bl>>11] = true
		}
	}
	return len(seen)
}

func unpack(t *testing.T, archive *zip.Reader) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, archive); err != nil {
		t.Fatal(err)
	}
	return dir
}
