package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/svc-games/svc/api"
)

// uploads is what the page does with a form of a file of so many bytes: a picture where
// there is a size, else what is none.
const uploads = `(async () => {
	const data = new FormData();
	for (const [name, value] of Object.entries(%[2]s)) data.set(name, value);
	let file = new Blob([new Uint8Array(%[3]d)]);
	if (!%[3]d) {
		const canvas = new OffscreenCanvas(300, 300);
		canvas.getContext("2d").fillRect(0, 0, 150, 150);
		file = await canvas.convertToBlob({ type: "image/png" });
	}
	data.set("file", file, "Hero.png");
	const res = await fetch(%[1]q, { method: "POST", body: data, headers: { Accept: "application/json" } });
	return res.status;
})()`

func TestStudioTakesPicturesAndMakesCopiesAndShares(t *testing.T) {
	s := start(t, inOneForm(t))
	b := s.signIn(newBrowser(t), "alice")
	key := s.newKey("alice")
	sub := s.generate(key, s.newProject(key), brief)
	s.finish(key, sub)
	at := "/console/studio/" + sub.ProjectID
	page := "http://" + s.addr + at
	b.open(page)
	b.game()
	upload := func(fields string, zeros int) int {
		t.Helper()
		return value(b, chromedp.Evaluate[int](fmt.Sprintf(uploads, at+"/upload", fields, zeros), chromedp.EvalAwaitPromise))
	}
	for name, c := range map[string]struct {
		fields string
		zeros  int
		want   int
	}{
		"no picture": {`{}`, 100, http.StatusUnsupportedMediaType}, "20 MB": {`{}`, 20 << 20, http.StatusRequestEntityTooLarge},
		"a page's name": {`{path: "x.html"}`, 0, http.StatusUnprocessableEntity},
	} {
		if got := upload(c.fields, c.zeros); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if got := upload(`{}`, 0); got != http.StatusOK {
		t.Errorf("a picture: %d", got)
	}
	if got := upload(`{}`, 0); got != http.StatusPreconditionFailed {
		t.Errorf("a second one of its name: %d", got)
	}
	b.open(page + "?file=assets/hero.png")
	b.until(`document.querySelector("img.asset").naturalWidth === 300`)
	b.shows("#versions", "Saved assets/hero.png")

	b.follow(`#versions form[action$="/keep"] button[value=share]`)
	b.until(`location.search === "?rev=2"`)
	b.follow("main form button")
	link := value(b, chromedp.Evaluate[string](`document.querySelector(".secret input").value`))
	if resp, err := http.Get(link); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("the shared version: %v", err)
	}
	if resp, err := http.Get(strings.Replace(link, "/2/", "/1/", 1)); err != nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("another version: %v", err)
	}
	b.follow("[name=end]")
	if resp, err := http.Get(link); err != nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("the ended share: %v", err)
	}

	b.open(page)
	b.shows("#versions li", "kept") // else a link would end with it
	b.follow(`#versions form[action$="/keep"] button[value=no]`)
	b.shows("main", "The version goes when there is no room for it")
	b.do(chromedp.Click(chromedp.CSS(`#versions form[action$="/duplicate"] button`)))
	b.until(`!location.pathname.includes("` + sub.ProjectID + `") && document.querySelector("[data-project]") !== null && document.querySelector("[data-game]") !== null`)
	for css, text := range map[string]string{"#versions": "Copied from project " + sub.ProjectID, "#code": "hero.png", "h1": "(copy)"} {
		b.until(fmt.Sprintf("document.querySelector(%q).innerText.includes(%q)", css, text)) // the page is brought up to date meanwhile
	}
	b.open("http://" + s.addr + "/console/studio")
	b.until(`[...document.querySelectorAll(".cover")].every((c) => c.naturalWidth > 0)`)
	b.shot("studio-projects")
}

func TestStudioBuildsThePlanThatWasRead(t *testing.T) {
	s := start(t, inOneForm(t))
	b := s.signIn(newBrowser(t), "alice")
	key := s.newKey("alice")
	project := s.newProject(key)
	s.finish(key, s.submit(key, map[string]any{"projectId": project, "prompt": brief, "settings": api.Settings{ChatMode: api.ChatPlan, ReasoningLevel: api.ReasoningLow}}))
	at := "http://" + s.addr + "/console/studio/" + project
	b.open(at)
	b.shows(".plan", "Plan: ")
	b.shot("studio-plan")
	b.do(chromedp.Evaluate[chromedp.Void](`getSelection().selectAllChildren(document.querySelector(".plan .document h4")); undefined`))
	b.do(chromedp.Click(chromedp.CSS("[data-quote]")))
	b.until(`/^> \S.*\n$/.test(document.querySelector(".plan textarea").value) && document.activeElement.name === "comment"`)
	b.fill(".plan textarea", "bluer")
	b.saysJobEnded()
	b.open(at)
	b.until(`document.querySelector(".plan textarea").value === "bluer"`)
	b.follow(`.plan [value=build]`)
	b.until(`document.querySelector("[data-game]") !== null && document.querySelector(".plan") === null`)
	b.until(`sessionStorage.length === 0`) // what was sent is not taken back
}

func TestGameIsMadeChangedAndTakenBackWithTheKeyboardAlone(t *testing.T) {
	s := start(t, inOneForm(t))
	b := s.signIn(newBrowser(t), "alice")
	b.open("http://" + s.addr + "/console/studio")
	b.reach("prompt")
	b.press(brief)
	b.reach("Make it")
	b.press(kb.Enter)
	b.game()
	at := "http://" + s.addr + "/console/studio/" + b.attribute("[data-project]", "data-project")
	b.skipGame()
	b.reach("README.txt")
	b.leave(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".cm-content") !== null`)
	b.reaches(`document.activeElement.matches(".cm-content")`)
	b.press("by keyboard")
	b.reach("Save")
	b.press(kb.Enter)
	b.until(`document.querySelector("[data-saved]").textContent.startsWith("Saved as r2")`)
	b.open(at)
	b.game()
	b.until(`document.querySelector("#versions").textContent.includes("1 TIK")`)
	b.skipGame()
	b.reach("Go back to r1")
	b.leave(chromedp.KeyEvent(kb.Enter))
	b.shows("main", "The game is as it was then")
	b.skipGame()
	b.press("?")
	b.until(`document.querySelector("[data-keys]").open && document.activeElement.closest("[data-keys]") !== null`)
	b.do(chromedp.Evaluate[chromedp.Void](`{
		const list = document.querySelector("[data-keys]");
		list.querySelector("input").click();
		list.open = false;
		document.activeElement.blur();
	}; undefined`))
	b.press("?")
	if value(b, chromedp.Evaluate[bool](`document.querySelector("[data-keys]").open`)) {
		t.Error("a key that was turned off opens the list of keys")
	}
	b.do(chromedp.Focus(chromedp.CSS("#code a")))
	b.reach("Compare")
	b.leave(chromedp.KeyEvent(kb.Enter))
	b.shows("h1", "From r1 to r3")
	b.shows("main", "They do not differ")
}

func TestPhonesShowOnePartOfAProjectAtATime(t *testing.T) {
	s := start(t, inOneForm(t))
	b := s.signIn(newBrowser(t), "alice")
	key := s.newKey("alice")
	sub := s.generate(key, s.newProject(key), brief)
	s.finish(key, sub)
	b.look(360, 740, "light")
	b.open("http://" + s.addr + "/console/studio/" + sub.ProjectID)
	const shown = `[...document.querySelectorAll(".pane")].filter((p) => p.offsetParent).map((p) => p.id).join() === %q`
	b.until(fmt.Sprintf(shown, "chat"))
	b.do(chromedp.Click(chromedp.CSS(`.tabs a[href="#versions"]`)))
	b.until(fmt.Sprintf(shown, "versions") + ` && document.querySelector(".tabs [aria-current]").hash === "#versions"`)
	b.look(1280, 800, "light")
	b.until(fmt.Sprintf(shown, "chat,game,code,versions") + ` && document.querySelector(".tabs [aria-current]") === null`)
}
