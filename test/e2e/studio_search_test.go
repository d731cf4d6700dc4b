package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestATextIsFoundInAllFilesByKeyboardAndShownAtItsLine: what is typed there and not saved stays.
func TestATextIsFoundInAllFilesByKeyboardAndShownAtItsLine(t *testing.T) {
	axe := axeCore(t)
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	s.signIn(br, "alice")
	b := br.tab("beforeunload")
	b.letScripts()
	at := s.emptyProject(b, "alice")
	b.saveFiles(map[string]string{
		"src/enemy.js": strings.Repeat("// nothing here\n", 199) + "export const Gravity = 9;\n",
		"src/hero.js":  "let y = gravity;\n",
	})
	b.open(at)
	b.reach("q")
	b.press("gravity")
	b.leave(chromedp.KeyEvent(kb.Enter))
	const found = `[...document.querySelectorAll(".found a")].map((a) => a.textContent).join()`
	if got := value(b, chromedp.Evaluate[string](found)); got != "src/enemy.js:200,src/hero.js:1" {
		t.Errorf("found in %q", got)
	}
	b.looked(t, axe, "search")
	b.reach("src/enemy.js:200")
	b.leave(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".cm-activeLine")?.textContent === "export const Gravity = 9;" && document.activeElement.matches(".cm-content")`)
	b.until(`(() => {
		const line = document.querySelector(".cm-activeLine").getBoundingClientRect(), view = document.querySelector(".cm-scroller").getBoundingClientRect();
		return line.top >= view.top && line.bottom <= view.bottom;
	})()`)

	b.open(at + "/search?q=nowhere")
	b.shows("main", "No file of the game has this text")
	b.open(at + "/search?q=" + strings.Repeat("x", 201))
	b.shows("[role=alert]", "Not searched: Search for a text of at most 200 bytes")
	other := s.signIn(newBrowser(t), "bob")
	other.open(at + "/search?q=gravity")
	other.shows("main", "You have no such project")
}
