package e2e

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/kit/examples"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/wait"
)

// blocks are the tool calls by which a model writes the example of falling blocks.
func blocks(t *testing.T) []fakeprovider.ToolCall {
	t.Helper()
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	game := all[slices.IndexFunc(all, func(x examples.Example) bool { return x.Name == "blocks" })]
	var calls []fakeprovider.ToolCall
	for _, name := range slices.Sorted(maps.Keys(game.Files)) {
		calls = append(calls, tool("write_file", map[string]any{"path": name, "content": string(game.Files[name])}))
	}
	return calls
}

// holding is an answer that is not given before let is called; asked is closed when a model is
// asked for it.
func holding(answer fakeprovider.Answer) (held fakeprovider.Answer, asked chan struct{}, let func()) {
	asked, release := make(chan struct{}), make(chan struct{})
	ask := sync.OnceFunc(func() { close(asked) }) // a judge that is not content has it asked again
	return func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		ask()
		<-release
		answer(p, w, r, q)
	}, asked, sync.OnceFunc(func() { close(release) })
}

// TestWhatAJobBuildsIsShownWhileItWorks: also of a project that has no game yet. When the job
// has ended the present is shown, to who plays when they ask for it.
func TestWhatAJobBuildsIsShownWhileItWorks(t *testing.T) {
	axe := axeCore(t)
	held, asked, let := holding(writes(tool("done", map[string]any{"summary": "Blocks fall."})))
	defer let() // else the provider waits
	provider := fakeprovider.New(t, fakeprovider.InTurn(writes(blocks(t)...), writes(tool("check", map[string]any{})), held))
	provider.Key = credential
	s := startWithModels(t, inOneForm(t), provider.URL, chromiumProgram(t))
	b := s.signIn(newBrowser(t), "alice")
	b.letScripts()
	key := s.newKey("alice")
	sub := s.submit(key, map[string]any{
		"projectId": s.newProject(key), "prompt": "blocks that fall", "settings": map[string]any{"model": "writer", "gameType": "platform"},
	})
	wait.For(t, "the step after the check", asked)
	b.open("http://" + s.addr + "/console/studio/" + sub.ProjectID)
	b.until(`document.querySelector("[data-which]")?.textContent.startsWith("This is what the job has built so far") && document.querySelector("[data-game]").offsetParent !== null`)
	b.until(`!document.querySelector("[data-hold]").disabled`) // the game runs, and has said so
	b.looked(t, axe, "built")
	built := value(b, chromedp.Evaluate[string](`document.querySelector("[data-game]").src`))
	resp, err := http.Get(built)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if page, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(page), "<title>Falling blocks</title>") {
		t.Errorf("%s: %d %v %s", built, resp.StatusCode, err, page)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-game]").focus(); undefined`)) // who plays goes on
	let()
	if job := s.finishLong(key, sub); job.Status != api.JobCompleted {
		t.Errorf("%+v", job)
	}
	b.until(`document.querySelector("[data-log]").textContent.includes("Load its game")`)
	b.until(`document.querySelector("[data-which]").textContent === "The job has ended. Show it" && document.querySelector("[data-game]").src.includes("/built/")`)
	b.until(`[...document.querySelectorAll("[data-log] img")].filter((picture) => picture.naturalWidth > 0).length > 1`)
	b.shot("studio-built-ended")
	b.do(chromedp.Click(chromedp.CSS("[data-which] button")))
	b.until(`document.querySelector("[data-which]").textContent === "This is the game as it is now." && document.querySelector("[data-game]").src.endsWith("/now/index.html")`)
}
