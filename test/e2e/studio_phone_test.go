package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// fitsAPhone fails the test where the page is wider than the screen, or has what is to be
// touched and is smaller than a finger.
func (b *tab) fitsAPhone() {
	b.t.Helper()
	wrong := value(b, chromedp.Evaluate[[]string](`(() => {
		const wrong = [];
		if (document.documentElement.scrollWidth > 360) wrong.push("the page is " + document.documentElement.scrollWidth + " wide");
		const all = "button, summary, select, textarea, input:not([type=hidden]), a.button, .tabs a, .tree a, .links a, .jobs a";
		for (const target of document.querySelector("main").querySelectorAll(all)) {
			if (!target.checkVisibility() || target.closest(".cm-editor")) continue;
			const { width, height } = (target.type === "checkbox" ? target.closest("label") : target).getBoundingClientRect();
			if (width < 44 || height < 44) wrong.push((target.textContent.trim() || target.name) + ": " + width + " × " + height);
		}
		return wrong;
	})()`))
	if len(wrong) > 0 {
		b.t.Errorf("on a phone: %q", wrong)
	}
}

// TestAGameIsMadePlayedChangedAndTakenBackOnAPhone: by touch, at 360 by 640.
func TestAGameIsMadePlayedChangedAndTakenBackOnAPhone(t *testing.T) {
	s := start(t, inOneForm(t))
	b := s.signIn(newBrowser(t), "alice")
	b.do(chromedp.EmulateViewport(360, 640, chromedp.EmulateMobile, chromedp.EmulateTouch))
	tap := func(css string) { t.Helper(); b.do(chromedp.Tap(chromedp.CSS(css))) }
	part := func(id string) {
		t.Helper()
		tap(fmt.Sprintf(`.tabs a[href="#%s"]`, id))
		b.until(fmt.Sprintf(`[...document.querySelectorAll(".pane")].filter((p) => p.offsetParent).map((p) => p.id).join() === %q`, id))
		b.fitsAPhone()
		b.shot("studio-phone-" + id)
	}
	b.open("http://" + s.addr + "/console/studio")
	b.fitsAPhone()
	tap("#prompt")
	b.press(brief)
	tap("form[data-brief] button")
	b.game()
	part("chat")
	part("game")
	b.until(`!document.querySelector("[data-hold]").disabled`)
	tap("[data-game]")
	tap("[data-hold]")
	b.until(`document.querySelector("[data-frame]").textContent.startsWith("Held at step")`)
	part("code")
	b.leave(chromedp.Tap(chromedp.CSS(`.tree a[href*="README.txt"]`)))
	b.until(`document.querySelector(".cm-content")?.checkVisibility()`)
	b.fitsAPhone()
	tap(".cm-scroller") // the content may be wider than the screen
	b.until(`document.activeElement.matches(".cm-content")`)
	b.press("by thumb")
	tap("[data-editor] button:not([name])")
	b.until(`document.querySelector("[data-saved]").textContent.startsWith("Saved as r2")`)
	part("versions")
	b.leave(chromedp.Tap(chromedp.CSS(`#versions form[action$="/restore"] button`)))
	b.shows("main", "The game is as it was then")
	b.fitsAPhone()
}
