package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/svc-games/svc/test/wait"
)

// browser is a headless Chromium with a profile of its own.
type browser struct {
	t   *testing.T
	ctx context.Context
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	exe, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("%v: make deps installs what the tests need", err)
	}
	temp, err := os.MkdirTemp("", "web") // short: a socket's path has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	ctx, cancel := wait.Within(context.Background(), 2*slow)
	t.Cleanup(cancel)
	alloc, cancel := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(exe),
		chromedp.WSURLReadTimeout(slow),
		chromedp.Env("TMPDIR="+temp), // a killed Chromium leaves folders there
		chromedp.NoSandbox,           // root, in a container, has no user namespace to sandbox in
		chromedp.Flag("mute-audio", true),
		chromedp.Flag("disable-blink-features", "AutomationControlled"), // what a machine plays is not counted
		chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"),
	)...)
	t.Cleanup(cancel)
	bctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	if err := chromedp.Do(bctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("starting chromium: %v", err)
	}
	return &browser{t: t, ctx: bctx}
}

// tab is a tab of a browser. Tabs share cookies.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu   sync.Mutex // guards said
	said []string
}

// tab opens a tab. An error that its console tells of fails the test in the
// end, but for resources that fail and what the test expects.
func (b *browser) tab(expected ...string) *tab {
	b.t.Helper()
	expected = append(expected, "Failed to load resource")
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	tab := &tab{t: b.t, ctx: ctx}
	// Of several tabs one has the focus, which chance tells; keys do nothing in the others.
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		b.t.Fatal(err)
	}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			expects := func(text string) bool { return strings.Contains(m.Text, text) }
			if (m.IsException() || m.Type == chromedp.ConsoleError) && !slices.ContainsFunc(expected, expects) {
				tab.mu.Lock()
				tab.said = append(tab.said, m.Text)
				tab.mu.Unlock()
			}
		}
	}()
	b.t.Cleanup(func() {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		if len(tab.said) > 0 {
			b.t.Errorf("the browser's console says %q", tab.said)
		}
	})
	return tab
}

// do runs steps.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// ask runs a step for its value.
func value[T any](b *tab, a chromedp.Action[T]) T {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, a)
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

// open goes to an address, and asks again for what Chromium does not answer: it loses a
// navigation that meets the page's own.
func (b *tab) open(url string) {
	b.t.Helper()
	for range 3 {
		ctx, cancel := wait.Within(b.ctx, wait.Patience/3)
		err := chromedp.Do(ctx, chromedp.Navigate(url))
		unanswered := ctx.Err() != nil
		cancel()
		if err == nil {
			return
		}
		if !unanswered {
			b.t.Fatalf("open %s: %v", url, err)
		}
		b.t.Logf("Chromium did not answer who opened %s", url)
	}
	b.t.Fatalf("opened in vain: %s", url)
}

// follow clicks what leads to another page and waits for it.
func (b *tab) follow(css string) {
	b.t.Helper()
	b.leave(chromedp.Click(chromedp.CSS(css)))
}

// leave does what leads to another page and waits for it.
func (b *tab) leave(step chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	value(b, chromedp.WaitEvent(page.LoadEventFired, nil, step))
}

// fill replaces what a field holds, by the keyboard. chromedp's own SendKeys reads a
// node's attributes while an event may change them.
func (b *tab) fill(css, text string) {
	b.t.Helper()
	b.do(chromedp.Focus(chromedp.CSS(css)))
	b.until(fmt.Sprintf("document.activeElement === document.querySelector(%q) && (document.activeElement.select(), true)", css))
	b.do(chromedp.KeyEvent(kb.Backspace + text))
}

// press presses keys, one after another.
func (b *tab) press(keys string) { b.t.Helper(); b.do(chromedp.KeyEvent(keys)) }

// reach presses the tab key until what has the focus reads so, or has that name.
func (b *tab) reach(text string) {
	b.t.Helper()
	b.reaches(fmt.Sprintf(`(document.activeElement.textContent.trim() || document.activeElement.name) === %q`, text))
}

// reaches presses the tab key until a JavaScript expression is true.
func (b *tab) reaches(expression string) {
	b.t.Helper()
	var way []string
	for range 120 {
		b.press(kb.Tab)
		at := value(b, chromedp.Evaluate[string](fmt.Sprintf(hasFocus, expression)))
		if at == "" {
			return
		}
		way = append(way, at)
	}
	b.t.Fatalf("the tab key does not lead to where %s, but to %q of the page %s", expression, way, value(b, chromedp.Evaluate[json.RawMessage](stateOfPage)))
}

// hasFocus is "" where an expression is true, else what has the focus.
const hasFocus = `(%s) ? "" : document.activeElement.outerHTML.slice(0, 60)`

// attribute returns an attribute of an element. chromedp's own AttributeValue reads
// it as SendKeys does.
func (b *tab) attribute(css, name string) string {
	b.t.Helper()
	var got string
	b.holds(fmt.Sprintf("document.querySelector(%q)?.getAttribute(%q) ?? null", css, name), &got)
	return got
}

// game waits for the studio's page of a project with a game and without a job: one
// with a job loads itself anew at the job's end.
func (b *tab) game() {
	b.t.Helper()
	b.until(`document.querySelector("[data-game]") !== null && document.querySelector("[data-events]") === null &&
		performance.getEntriesByType("navigation")[0].loadEventEnd > 0`)
}

// skipGame leads past the game with the keyboard: what has the focus in a frame that
// is still loading is nothing that a tab key leaves.
func (b *tab) skipGame() {
	b.t.Helper()
	b.reach("Skip the game")
	b.press(kb.Enter)
}

// text is what an element shows, once it is visible. chromedp's own Text may wait for ever
// for what a page has that loaded itself anew meanwhile.
func (b *tab) text(css string) string {
	b.t.Helper()
	var got string
	b.holds(fmt.Sprintf("((e) => e?.checkVisibility() ? e.innerText : null)(document.querySelector(%q))", css), &got)
	return got
}

// shows fails the test unless an element shows a text.
func (b *tab) shows(css, text string) {
	b.t.Helper()
	if got := b.text(css); !strings.Contains(got, text) {
		b.t.Errorf("%s shows %q, want %q", css, got, text)
	}
}

// until waits for a JavaScript expression to be true, on whichever page the tab
// shows by then.
func (b *tab) until(expression string) {
	b.t.Helper()
	b.untilWithin(wait.Patience, expression)
}

// untilWithin is until for what takes its time.
func (b *tab) untilWithin(limit time.Duration, expression string) {
	b.t.Helper()
	b.holdsWithin(limit, fmt.Sprintf("!!(%s) || null", expression), new(bool))
}

// holds waits for a JavaScript expression to be other than null and returns it: what
// is asked in two steps may be of two pages.
func (b *tab) holds(expression string, got any) {
	b.t.Helper()
	b.holdsWithin(wait.Patience, expression, got)
}

func (b *tab) holdsWithin(limit time.Duration, expression string, got any) {
	b.t.Helper()
	ctx, cancel := wait.Within(b.ctx, limit)
	defer cancel()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		// A page that is just being left can't answer, or its answer is lost with it.
		if raw, err := evaluated(ctx, expression); err == nil && len(raw) > 0 && string(raw) != "null" {
			if err := json.Unmarshal(raw, got); err != nil {
				b.t.Fatal(err)
			}
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			state, err := evaluated(b.ctx, stateOfPage)
			b.t.Fatalf("waited in vain for %s\nof the page %s, %v", expression, state, err)
		}
	}
}

// stateOfPage is what a test that fails says of its page.
const stateOfPage = `({
	at: location.href, state: document.readyState, visible: document.visibilityState,
	frames: [...document.querySelectorAll("iframe")].map((frame) => frame.src),
	loaded: performance.getEntriesByType("navigation")[0].toJSON(),
	last: performance.getEntriesByType("resource").slice(-5).map(({ name, startTime, responseEnd }) => ({ name, startTime, responseEnd })),
	text: document.querySelector("main")?.textContent.replace(/\s+/g, " ").slice(0, 2000),
})`

// evaluated asks the page once, of the tab as it is now.
func evaluated(ctx context.Context, expression string) (json.RawMessage, error) {
	ctx, cancel := wait.Within(ctx, wait.Patience/6)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[json.RawMessage](expression))
}

// look sets the window's size and the reader's preference of colours.
func (b *tab) look(width, height int64, scheme string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// shot keeps a picture of the whole page as test output.
func (b *tab) shot(name string) {
	b.t.Helper()
	raw := value(b, chromedp.FullScreenshot(90))
	dir := filepath.Join(root(b.t), "test", "output")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "console-"+name+".jpg"), raw, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
