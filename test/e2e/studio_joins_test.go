package e2e

import (
	"io"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/wait"
)

// TestWhatIsSavedWhileAJobWorksJoinsItsGame: a file that the job leaves, other lines of one
// that it changes, and the same line, of which the person's stays. The job's files are what was
// proven, and the version with both is unproven until it was played.
func TestWhatIsSavedWhileAJobWorksJoinsItsGame(t *testing.T) {
	held, asked, let := holding(writes(tool("done", map[string]any{"summary": "Other words."})))
	defer let() // else the provider waits
	edit := func(path, was, is string) fakeprovider.ToolCall {
		return tool("edit_file", map[string]any{"path": path, "edits": []any{map[string]any{"old": was, "new": is}}})
	}
	provider := fakeprovider.New(t, fakeprovider.InTurn(
		writes(blocks(t)...), writes(tool("check", map[string]any{})), writes(tool("done", map[string]any{"summary": "Blocks fall."})),
		writes(edit("src/board.js", "// The board of falling blocks:", "// The model's board:"), edit("src/main.js", "a direction that is held", "a direction, says the model")), held,
	))
	provider.Key = credential
	s := startWithModels(t, inOneForm(t), provider.URL, chromiumProgram(t))
	b := s.signIn(newBrowser(t), "alice")
	b.letScripts()
	key := s.newKey("alice")
	asks := map[string]any{"projectId": s.newProject(key), "prompt": "blocks that fall", "settings": map[string]any{"model": "writer", "gameType": "platform"}}
	sub := s.submit(key, asks)
	if job := s.finishLong(key, sub); job.Status != api.JobCompleted {
		t.Fatalf("%+v", job.Failure)
	}
	asks["prompt"] = "other words"
	sub = s.submit(key, asks)
	wait.For(t, "the step after the edits", asked)
	b.open("http://" + s.addr + "/console/studio/" + sub.ProjectID)
	b.until(`document.querySelector("[data-job] progress") !== null`)
	b.saveFiles(map[string]string{"notes.txt": "mine"})
	b.change("src/board.js", `text => text.replace("in which a piece comes to lie", "where a piece of mine lies")`)
	b.change("src/main.js", `text => text.replace("a direction that is held", "a direction, say I")`)
	b.do(chromedp.Focus(chromedp.CSS("#prompt"))) // who uses the page stays on it
	let()
	if job := s.finishLong(key, sub); job.Status != api.JobCompleted {
		t.Fatalf("%+v", job.Failure)
	}
	b.untilWithin(slow, `fetch("/console/studio/`+sub.ProjectID+`/state", { headers: { Accept: "application/json" } }).then((res) => res.json()).then((state) => { window.joined = state.revisions[0]?.author === "user"; }) && window.joined`)
	b.open("http://" + s.addr + "/console/studio/" + sub.ProjectID)
	b.game()
	b.shows("#versions li", "Saved while a job worked: notes.txt, src/board.js, src/main.js. The job changed the same lines of src/main.js: its own are in r2")
	b.shows("#versions li", "unproven")
	text := func(path string) string {
		t.Helper()
		return value(b, chromedp.Evaluate[string](`fetch("/console/studio/`+sub.ProjectID+`/file?path=`+path+`").then((res) => res.text())`, chromedp.EvalAwaitPromise))
	}
	for path, holds := range map[string][]string{
		"notes.txt": {"mine"}, "src/main.js": {"a direction, say I"}, "src/board.js": {"// The model's board:", "where a piece of mine lies"},
	} {
		for _, one := range holds {
			if got := text(path); !strings.Contains(got, one) {
				t.Errorf("%s lacks %q: %s", path, one, got)
			}
		}
	}
	files := s.download(key, sub)
	for path, lacks := range map[string]string{"src/main.js": "say I", "src/board.js": "of mine"} {
		f, err := files.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(f); err != nil || !strings.Contains(string(data), "odel") || strings.Contains(string(data), lacks) {
			t.Errorf("the job's %s is not what was proven: %v %s", path, err, data)
		}
	}
	b.follow(`form[action$="/check"] button`)
	b.untilWithin(slow, `document.querySelector("#versions .check")?.textContent.includes("nothing speaks against it")`)
	b.until(`document.querySelector("#versions li")?.innerText.includes("by you, proven")`) // in one step: the page renews its list
}
