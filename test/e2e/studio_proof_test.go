package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/svc-games/svc/test/wait"
)

// TestAVersionThatAPersonSavedIsProvenForFree: it is played as a job would play it, without
// one.
func TestAVersionThatAPersonSavedIsProvenForFree(t *testing.T) {
	f := inOneForm(t)
	axe := axeCore(t)
	s := newService(t, f)
	s.runEngines("process", map[string]any{"chromium": chromiumProgram(t)}, "")
	s.start()
	b := s.signIn(newBrowser(t), "alice")
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
	b.open(at)
	b.game()
	b.shows("#versions li", "by you, unproven")
	// Both ask at once and read the answers themselves: a page that shows one loads itself anew once the version was played.
	answers := value(b, chromedp.Evaluate[[]string](`((form) => Promise.all([1, 2].map(() =>
		fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) }).then((res) => res.text())
	)))(document.querySelector("form[action$='/check']"))`, chromedp.EvalAwaitPromise))
	for _, want := range []string{"r2 is being played", "Not played: A version is being played already"} {
		if !slices.ContainsFunc(answers, func(page string) bool { return strings.Contains(page, want) }) {
			t.Errorf("of two who have a version played at once none reads %q", want)
		}
	}
	const played = `document.querySelector("#versions .check")?.textContent.includes("%s was played, and nothing speaks against it")`
	wait.Until(t, "r2 was played", func() bool {
		b.open(at)
		return value(b, chromedp.Evaluate[bool](fmt.Sprintf(played, "r2")))
	})
	b.shows("#versions li", "by you, proven")

	b.saveFiles(map[string]string{"more.txt": "mine too"})
	b.open(at)
	b.game()
	b.skipGame()
	b.reach("Play r3 to prove it")
	b.leave(chromedp.KeyEvent(kb.Enter))
	b.untilWithin(slow, fmt.Sprintf(played, "r3"))
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
