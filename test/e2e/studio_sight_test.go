package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// media has the pages be shown to a reader whose system says so.
func (b *tab) media(feature, value string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// TestTheStudioIsSeenInForcedColoursAndStandsStillForWhoAsks: what a ground says elsewhere is
// said by a line there, and nothing moves by itself but the caret.
func TestTheStudioIsSeenInForcedColoursAndStandsStillForWhoAsks(t *testing.T) {
	s := start(t, inOneForm(t))
	b := s.signIn(newBrowser(t), "alice")
	at := s.emptyProject(b, "alice")
	b.saveFiles(map[string]string{
		"index.html": `<!doctype html><title>x</title><canvas></canvas><script src="game.js"></script>`,
		"game.js":    "let a = 1;\n",
	})
	b.look(1280, 800, "light")
	b.media("forced-colors", "active")
	b.open(at + "?file=game.js")
	b.until(`matchMedia("(forced-colors: active)").matches && !document.querySelector("[data-mute]").disabled && document.querySelector(".cm-content") !== null`)
	none := func(what, elements string) {
		t.Helper()
		if found := value(b, chromedp.Evaluate[[]string](`(() => {
			const seen = (css) => [...document.querySelectorAll(css)].filter((one) => one.checkVisibility() && !one.disabled);
			const line = (style, width) => style !== "none" && parseFloat(width) > 0;
			return `+elements+`.map((one) => one.outerHTML.slice(0, 100));
		})()`)); len(found) > 0 {
			t.Errorf("%s: %q", what, found)
		}
	}
	none("no line around it", `seen("main :is(.button, input, select, textarea, .card, .cm-editor)").filter((one) => {
		const { borderTopStyle, borderTopWidth } = getComputedStyle(one);
		return !line(borderTopStyle, borderTopWidth);
	})`)
	b.press(kb.Tab) // from here on what has the focus shows it
	none("the focus is not seen there", `seen("main :is(a[href], button, input, select, textarea, summary)").filter((one) => {
		one.focus();
		const { outlineStyle, outlineWidth } = getComputedStyle(one);
		return document.activeElement === one && !line(outlineStyle, outlineWidth);
	})`)
	b.do(chromedp.Click(chromedp.CSS("[data-mute]")))
	b.until(`document.querySelector("[data-mute]").ariaPressed === "true"`)
	none("what is pressed looks like what is not", `[...document.querySelectorAll("[data-mute]")].filter((one) =>
		getComputedStyle(one).borderTopWidth === getComputedStyle(document.querySelector("[data-hold]")).borderTopWidth)`)
	b.do(chromedp.Focus(chromedp.CSS(".cm-content")))
	b.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.until(`document.querySelector(".cm-selectionBackground") !== null && getComputedStyle(document.querySelector(".cm-editor")).outlineStyle === "solid"`)
	none("what is selected is not seen", `[...document.querySelectorAll(".cm-selectionBackground")].filter((one) =>
		!line(getComputedStyle(one).outlineStyle, getComputedStyle(one).outlineWidth))`)
	b.shot("studio-forced-colours")

	const moves = `[...document.querySelectorAll("*")].filter((one) => {
		const { transitionDuration, scrollBehavior } = getComputedStyle(one);
		return transitionDuration.split(", ").some((s) => parseFloat(s) > 0) || scrollBehavior === "smooth";
	}).length + document.getAnimations().filter(({ effect }) => !effect.target.closest(".cm-cursorLayer")).length`
	for preference, still := range map[string]bool{"no-preference": false, "reduce": true} {
		b.media("prefers-reduced-motion", preference)
		b.open(at + "?file=game.js")
		b.until(`document.querySelector(".cm-content") !== null`)
		b.settled()
		if n := value(b, chromedp.Evaluate[int](moves)); (n == 0) != still {
			t.Errorf("with %s %d elements move", preference, n)
		}
	}
}
