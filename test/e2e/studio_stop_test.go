package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/svc-games/svc/api"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/wait"
)

// TestAJobStopsAfterItsStepAndLeavesWhatItHadWritten: the call of a model that is under way
// ends, none follows, and the person decides what becomes of the draft.
func TestAJobStopsAfterItsStepAndLeavesWhatItHadWritten(t *testing.T) {
	axe := axeCore(t)
	held, asked, let := holding(writes(tool("check", map[string]any{})))
	defer let() // else the provider waits
	provider := fakeprovider.New(t, fakeprovider.InTurn(
		writes(tool("write_file", map[string]any{"path": "src/board.js", "content": "export const half = 'written';\n"})), held,
		fakeprovider.Status(http.StatusInternalServerError, "nobody may ask again"),
	))
	provider.Key = credential
	s := startWithModels(t, inOneForm(t), provider.URL, chromiumProgram(t))
	br := newBrowser(t)
	b := s.signIn(br, "alice")
	b.letScripts()
	key := s.newKey("alice")
	sub := s.submit(key, map[string]any{
		"projectId": s.newProject(key), "prompt": "blocks that fall", "settings": map[string]any{"model": "writer", "gameType": "platform"},
	})
	wait.For(t, "the second step", asked)
	at := "http://" + s.addr + "/console/studio/" + sub.ProjectID
	b.open(at)
	b.until(`document.querySelector("[data-job] [name=when]") !== null`)
	b.looked(t, axe, "working")
	b.leave(chromedp.KeyEvent(".", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.shows("main", "The job ends when its step is done.")
	if job := s.status(key, sub); job.Status != api.JobRunning {
		t.Errorf("in its step the job is %s", job.Status)
	}
	second := br.tab()
	second.open(at)
	second.follow("[data-job] [name=when]")
	second.shows("main", "The job ends when its step is done.")
	let()
	if job := s.finishLong(key, sub); job.Status != api.JobCancelled || job.TIKSpent != tik(2*2) { // the two calls, and no job
		t.Errorf("the job is %s and spent %s", job.Status, job.TIKSpent)
	}
	if n := len(provider.Requests()); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
	const written = `[...document.querySelectorAll("#versions li")].find((version) => version.textContent.includes("what the job had written when it ended"))`
	b.until(written + `?.textContent.includes("unproven")`)
	b.looked(t, axe, "stopped")
	b.do(chromedp.Evaluate[chromedp.Void](written + `.querySelector("form[action$='/restore'] button").focus(); undefined`))
	b.leave(chromedp.KeyEvent(kb.Enter))
	b.shows("main", "The game is as it was then")
	b.open(at + "?file=src/board.js")
	b.until(`document.querySelector("#text")?.value.includes("half = 'written'")`)
}

// TestAJobIsStoppedAtOnceAndTheNextOneBegins: what it had written is there, and the page says
// what was charged.
func TestAJobIsStoppedAtOnceAndTheNextOneBegins(t *testing.T) {
	held, asked, let := holding(writes(tool("check", map[string]any{})))
	defer let() // else the provider waits
	provider := fakeprovider.New(t, fakeprovider.InTurn(
		writes(tool("write_file", map[string]any{"path": "src/board.js", "content": "export const half = 'written';\n"})), held,
		fakeprovider.Status(http.StatusInternalServerError, "broken for the test"),
	))
	provider.Key = credential
	s := startWithModels(t, inOneForm(t), provider.URL, chromiumProgram(t))
	b := s.signIn(newBrowser(t), "alice")
	b.letScripts()
	key := s.newKey("alice")
	asks := map[string]any{"projectId": s.newProject(key), "prompt": "blocks that fall", "settings": map[string]any{"model": "writer", "gameType": "platform"}}
	sub := s.submit(key, asks)
	wait.For(t, "the second step", asked)
	next := s.submit(key, asks)
	at := "http://" + s.addr + "/console/studio/" + sub.ProjectID
	b.open(at)
	b.until(`document.querySelectorAll("[data-job] [name=when]").length === 1`)
	b.follow("[data-job] .danger")
	job := s.finish(key, sub)
	if job.Status != api.JobCancelled || job.TIKSpent <= tik(2) {
		t.Errorf("the job is %s and spent %s", job.Status, job.TIKSpent)
	}
	if later := s.finishLong(key, next); later.StartedAt == nil || later.Status == api.JobCancelled {
		t.Errorf("the next job: %+v", later)
	}
	job = s.status(key, sub) // a call that was broken off is charged last
	// The page loads itself anew at the end of each job: Chromium does not answer who opens it just then.
	b.until(`document.querySelector("[data-job]") === null && performance.getEntriesByType("navigation")[0].loadEventEnd > 0`)
	b.open(at)
	b.until(`[...document.querySelectorAll("#versions li")].some((version) => version.textContent.includes("what the job had written when it ended"))`)
	b.until(fmt.Sprintf(`[...document.querySelectorAll(".jobs li")].some((job) => job.textContent.includes("cancelled") && job.textContent.includes("%s TIK"))`, job.TIKSpent))
}
