package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestAVersionThatAPersonSavedIsProvenForFree: it is played as a job would play it, without
// one.
func TestAVersionThatAPersonSavedIsProvenForFree(t *testing.T) {
	f := inOneForm(t)
	axe := axeCore(t)
	s := newService(t, f)
	s.runEngines("process", map[string]any{"chromium": chromiumProgram(t)}, "")
	s.start()
	br := newBrowser(t)
	b := s.signIn(br, "alice")
	key := s.newKey("alice")
	sub := s.generate(key, s.newProject(key), brief)
	job := s.finishLong(key, sub)
	at := "http://" + s.addr + "/console/studio/" + sub.ProjectID
	b.letScripts()
	b.open(at)
	b.game()
	if value(b, chromedp.Evaluate[bool](`document.querySelector("form[action$='/check']") !== null`)) {
		t.Error("a version that a job has proven is offered to be proven")
	}
	b.saveFiles(map[string]string{"notes.txt": "mine"})
	second := br.tab()
	for _, tab := range []*tab{b, second} {
		tab.open(at)
		tab.game()
		tab.shows("#versions li", "by you, unproven")
	}
	b.skipGame()
	b.reach("Play r2 to prove it")
	b.leave(chromedp.KeyEvent(kb.Enter))
	b.shows("#versions", "r2 is being played")
	// Read as it is answered: the page that shows it loads itself anew once the version was played.
	said := value(second, chromedp.Evaluate[string](`((form) => fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) }).then((res) => res.text()))(
		document.querySelector("form[action$='/check']"))`, chromedp.EvalAwaitPromise))
	if !strings.Contains(said, "Not played: A version is being played already") {
		t.Errorf("who has it played a second time reads %s", said)
	}
	b.untilWithin(slow, `document.querySelector("#versions .check")?.textContent.includes("r2 was played, and nothing speaks against it")`)
	b.shows("#versions li", "by you, proven")
	b.looked(t, axe, "proven")

	b.change("src/main.js", `text => "throw new Error(\"broken by hand\");\n" + text`)
	b.open(at)
	b.follow(`form[action$="/check"] button`)
	b.untilWithin(slow, `document.querySelector("#versions .check ul")?.textContent.includes("broken by hand")`)
	b.looked(t, axe, "against")
	if n := value(b, chromedp.Evaluate[int](`document.querySelectorAll(".jobs li time").length`)); n != 1 || s.status(key, sub).TIKSpent != job.TIKSpent {
		t.Errorf("playing was charged: there are %d jobs", n)
	}
}
