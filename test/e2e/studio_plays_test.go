package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
)

// TestAPlayIsKeptAsACheckThatLaterJobsAreHeldTo: the engine plays it again before it is kept.
func TestAPlayIsKeptAsACheckThatLaterJobsAreHeldTo(t *testing.T) {
	axe := axeCore(t)
	s := newService(t, inOneForm(t))
	s.runEngines("process", map[string]any{"chromium": chromiumProgram(t)}, "")
	s.start()
	b := s.signIn(newBrowser(t), "alice")
	b.letScripts()
	key := s.newKey("alice")
	sub := s.generate(key, s.newProject(key), brief)
	s.finishLong(key, sub)
	at := "http://" + s.addr + "/console/studio/" + sub.ProjectID
	b.open(at)
	b.game()
	b.until(`!document.querySelector("[data-keep-play]").disabled`)
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-keep]").closest("details").open = true; undefined`))
	b.fill("[data-keep] [name=name]", "it begins")
	b.do(chromedp.Click(chromedp.CSS("[data-keep-play]")))
	b.until(`document.querySelector("[data-said]").textContent.startsWith("Nothing was played since the game was loaded")`)

	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-game]").scrollIntoView({ block: "center", behavior: "instant" }); undefined`))
	b.settled()                                             // else the pointer finds the frame where it was before
	b.frame().until(`window.svc?.debug().exposes === true`) // the game listens
	middle := value(b, chromedp.Evaluate[[]float64](`(() => { const r = document.querySelector("[data-game]").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`))
	b.do(chromedp.MouseClickXY(middle[0], middle[1]))
	b.do(chromedp.Click(chromedp.CSS("[data-keep-play]")))
	b.untilWithin(slow, `/^(Kept|Not kept)/.test(document.querySelector("[data-said]").textContent)`)
	b.shows("[data-said]", "Kept as checks/it-begins.json: it held")
	b.looked(t, axe, "play")
	b.follow("[data-said] a")
	b.until(`document.querySelector("#text")?.value.includes('"started": 1')`)
	if job := s.finishLong(key, s.generate(key, sub.ProjectID, "faster")); job.Status != api.JobCompleted {
		t.Errorf("%+v", job)
	}
	b.open(at)
	b.until(`document.querySelector('.tree a[href*="it-begins.json"]') !== null`)
}
