package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/svc-games/svc/api"
)

// TestAFileThatIsLockedStaysAsItIsWhateverAJobIsAskedFor: people change it all the same, and
// a second tab that shows the page of before locks nothing twice.
func TestAFileThatIsLockedStaysAsItIsWhateverAJobIsAskedFor(t *testing.T) {
	axe := axeCore(t)
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	b := s.signIn(br, "alice")
	key := s.newKey("alice")
	sub := s.generate(key, s.newProject(key), brief)
	s.finish(key, sub)
	const file = "?file=src/game.json"
	at := "http://" + s.addr + "/console/studio/" + sub.ProjectID
	second := br.tab()
	second.open(at + file)
	b.letScripts()
	b.open(at + file)
	b.until(`document.querySelector(".cm-content") !== null`)
	text := value(b, chromedp.Evaluate[string](`document.querySelector("#text").value`))
	b.skipGame()
	b.reach("Lock it")
	b.leave(chromedp.KeyEvent(kb.Enter))
	b.shows("main", "Jobs leave the file as it is.")
	b.shows(".tree", "locked")
	b.looked(t, axe, "locked")
	second.follow(`form[action$="/lock"] button`)
	second.shows("main", "Jobs leave the file as it is.")

	again := s.generate(key, sub.ProjectID, "faster")
	if job := s.finish(key, again); job.Status != api.JobFailed {
		t.Errorf("a job that would change it is %+v", job)
	}
	b.open(at + file)
	b.shows(".jobs", "src/game.json is locked")
	if got := value(b, chromedp.Evaluate[string](`document.querySelector("#text").value`)); got != text {
		t.Errorf("the file became %q", got)
	}
	b.write("\n")
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-editor]").requestSubmit(); undefined`))
	b.until(`document.querySelector("[data-saved]").textContent.startsWith("Saved as r")`)
	b.follow(`form[action$="/lock"] button`)
	b.shows("main", "Jobs may change the file.")
	if job := s.finish(key, s.generate(key, sub.ProjectID, "faster")); job.Status != api.JobCompleted {
		t.Errorf("a job that may change it is %+v", job)
	}
}
