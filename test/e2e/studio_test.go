package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
)

// studioProject makes a game in the studio, and returns its project.
func (s *service) studioProject(b *tab, prompt string) string {
	s.t.Helper()
	b.open("http://" + s.addr + "/console/studio")
	b.fill("#prompt", prompt)
	b.do(chromedp.Click(chromedp.CSS("form[data-brief] button")))
	b.until(`document.querySelector("[data-project]") !== null`)
	project := b.attribute("[data-project]", "data-project")
	if b.attribute("[data-prompt]", "action") != "/console/studio/"+project+"/jobs" {
		s.t.Error("the form is another project's")
	}
	return project
}

func TestStudioIsTheSameServiceAsTheAPI(t *testing.T) { inEveryForm(t, studioIsTheSameServiceAsTheAPI) }

func studioIsTheSameServiceAsTheAPI(t *testing.T, f form) {
	s := start(t, f)
	br := newBrowser(t)
	b := s.signIn(br, "alice")
	key := s.newKey("alice")
	project := s.studioProject(b, brief)
	b.game()
	var list api.ProjectList
	s.decode(s.call(key, "GET", "/v1/projects", nil).body, &list)
	if len(list.Data) != 1 || list.Data[0].ID != project {
		t.Errorf("the API lists %+v", list.Data)
	}
	jobID := strings.TrimPrefix(b.attribute(".jobs a", "href"), "/console/jobs/")
	var job api.Job
	s.decode(s.call(key, "GET", "/v1/generate/"+jobID+"/status?projectId="+project, nil).body, &job)
	if job.Status != api.JobCompleted || job.TIKSpent == 0 {
		t.Errorf("the studio's job is %+v", job)
	}
	s.showsTheSameOf(b, key, job)

	at := "http://" + s.addr + "/console/studio/" + project
	b.open(at + "?file=src/game.json")
	text := value(b, chromedp.Evaluate[string](`document.querySelector("#text").value`))
	b.do(chromedp.Evaluate[chromedp.Void](`{
		const text = document.querySelector("#text");
		text.value = text.value.replace(/"title": "[^"]*"/, '"title": "Changed by hand"');
		text.dispatchEvent(new Event("input"));
		text.form.requestSubmit();
	}; undefined`))
	b.until(`document.querySelector("[data-saved]").textContent.startsWith("Saved as r2")`)
	b.open(at)
	b.shows("#versions", "by you")
	b.follow(`#versions form[action$="/restore"] button`)
	b.shows("main", "The game is as it was then")
	b.open(at + "?file=src/game.json")
	if got := value(b, chromedp.Evaluate[string](`document.querySelector("#text").value`)); got != text {
		t.Errorf("restored: %q, want %q", got, text)
	}

	s.finish(key, s.generate(key, project, "faster"))
	b.open(at)
	b.shows(".jobs", "completed")
	if n := value(b, chromedp.Evaluate[int](`document.querySelectorAll(".jobs li time").length`)); n != 2 {
		t.Errorf("%d jobs", n)
	}
	b.open("http://" + s.addr + "/console/keys")
	b.shows("main", "Studio")

	other := s.signIn(newBrowser(t), "bob")
	other.open(at)
	other.shows("main", "You have no such project")
	said := value(other, chromedp.Evaluate[[]int](fmt.Sprintf(`Promise.all([
		fetch(%[1]q + "/state"), fetch(%[1]q + "/file?path=index.html"), fetch(%[1]q + "/zip?rev=1"),
		fetch(%[1]q + "/file", { method: "POST", body: new URLSearchParams({ path: "a.js", text: "x" }) }),
		fetch(%[1]q + "/jobs", { method: "POST", body: new URLSearchParams({ prompt: "x" }) }),
		fetch(%[1]q + "/restore", { method: "POST", body: new URLSearchParams({ rev: 1, head: 1 }) }),
		fetch(%[1]q + "/jobs/%[2]s/stop", { method: "POST" }),
	].map((answer) => answer.then((res) => res.status)))`, "/console/studio/"+project, jobID), chromedp.EvalAwaitPromise))
	for i, status := range said {
		if status != http.StatusNotFound {
			t.Errorf("answer %d for somebody else's project is %d", i, status)
		}
	}
}

// showsTheSameOf compares what the studio shows of an ended job with what the API says.
func (s *service) showsTheSameOf(b *tab, key apiKey, job api.Job) {
	s.t.Helper()
	if got := b.followJob(map[string]string{"page": "/console/studio/" + job.ProjectID, "job": job.JobID}, `comes("usage", {});
		return new Promise((shown) => new MutationObserver(() => shown(part("spent").textContent)).observe(part("spent"), { childList: true }));`,
	); got != job.TIKSpent.String() {
		s.t.Errorf("the job costs %q by its page, and %s", got, job.TIKSpent)
	}

	silent := b.followJob(map[string]string{"page": "/console/keys"}, `
		const real = window.setTimeout;
		window.setTimeout = (done, wait) => real(done, wait >= 40_000 ? 0 : wait);
		comes("job.started", {});
		return new Promise((shown) => real(() => {
			window.setTimeout = real;
			shown(part("log").textContent);
		}, 200));`)
	if !strings.Contains(silent, "Nothing has come for a while") {
		s.t.Errorf("of a stream that stalls the page says %q", silent)
	}

	// At a job's end its files are the game's: a picture may be neither's for a moment before.
	if asked := b.followJob(map[string]string{"page": "/console/keys"}, `
		comes("playtest.result", { ok: true, pictures: ["gone.jpg"] });
		const image = part("log").querySelector("img"), asked = [];
		const failed = () => new Promise((done) => image.addEventListener("error", () => { asked.push(image.getAttribute("src")); done(); }, { once: true, capture: true }));
		return failed().then(failed).then(() => {
			document.querySelector("#prompt").focus(); // else the page is loaded anew
			comes("job.completed", {});
			return failed();
		}).then(() => String(asked));`,
	); asked != "/console/keys/file?path=gone.jpg&rev=built,/console/keys/file?path=gone.jpg,/console/keys/file?path=gone.jpg" {
		s.t.Errorf("a picture that is nowhere is asked for at %s", asked)
	}

	sub := api.Submission{JobID: job.JobID, ProjectID: job.ProjectID}
	const log = `fetch("/console/jobs/%s/events").then((res) => res.text())`
	shown := s.readEvents(strings.NewReader(value(b, chromedp.Evaluate[string](fmt.Sprintf(log, job.JobID), chromedp.EvalAwaitPromise))))
	if records := s.readEvents(s.events(key, sub, "").Body); len(records) == 0 || !reflect.DeepEqual(records, shown) {
		s.t.Errorf("the API has the events %v, and the studio %v", records, shown)
	}
	s.download(key, sub)
}

func TestTwoTabsLoseNothing(t *testing.T) {
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	b := s.signIn(br, "alice")
	key := s.newKey("alice")
	sub := s.generate(key, s.newProject(key), brief)
	s.finish(key, sub)
	at := "http://" + s.addr + "/console/studio/" + sub.ProjectID
	const file = "?file=notes/two.txt"
	second := br.tab()
	for _, tab := range []*tab{b, second} {
		tab.open(at)
		tab.game()
		tab.open(at + file)
	}
	for tab, text := range map[*tab]string{b: "first", second: "second"} {
		tab.write(text)
		tab.until(fmt.Sprintf(`document.querySelector("#text").value === %q`, text))
	}
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-editor]").requestSubmit(); undefined`))
	b.until(`document.querySelector("[data-saved]").textContent.startsWith("Saved")`)
	second.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-editor]").requestSubmit(); undefined`))
	second.until(`document.querySelector("main").textContent.includes("Not saved: the file was changed meanwhile") && document.querySelector("[data-theirs]") !== null`)
	second.until(`document.querySelector(".cm-deletedChunk")?.textContent.includes("first") && document.querySelector(".cm-content").textContent.includes("second")`)
	if got := value(second, chromedp.Evaluate[string](`document.querySelector("#text").value + " " + document.querySelector("pre").textContent`)); got != "second first" {
		t.Errorf("both texts: %q", got)
	}
	staysWhereItIsUsed(b, "/console/studio/"+sub.ProjectID, file)
	nothingTypedIsLost(b, at+file)
}

// write types into the editor.
func (b *tab) write(text string) {
	b.t.Helper()
	b.until(`document.querySelector(".cm-content") !== null`)
	b.do(chromedp.Focus(chromedp.CSS(".cm-content")))
	b.until(`document.activeElement.matches(".cm-content")`)
	b.press(text)
}

// staysWhereItIsUsed has a job end while a file of its project is shown.
func staysWhereItIsUsed(b *tab, page, file string) {
	b.t.Helper()
	const ends = `comes("job.completed", {}); return part("log").textContent;`
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("location.assign(%q); undefined", page+file+"&done=saved#code")))
	// The page's own scripts have run; the game beside the file may still load.
	b.until(`location.search.includes("done=saved") && performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd > 0`)
	b.do(chromedp.Focus(chromedp.CSS("#prompt")))
	if said := b.followJob(map[string]string{"page": page}, ends); !strings.Contains(said, "Load its game") {
		b.t.Errorf("at the job's end the page says %q", said)
	}
	b.leave(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur(); " + fmt.Sprintf(follows, `{ page: "`+page+`" }`, ends) + "; undefined"))
	b.until(`location.search === "?file=notes%2Ftwo.txt" && location.hash === "#code" && document.querySelector("[data-editor]") !== null`)
}

// nothingTypedIsLost types into the editor of a file that holds "first".
func nothingTypedIsLost(b *tab, at string) {
	b.t.Helper()
	const is = `document.querySelector("#text").value === %q && document.querySelector("[data-saved]").textContent.startsWith(%q)`
	typed := func(text, then string) {
		b.t.Helper()
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
			const text = document.querySelector("#text");
			%s
			text.value = %q;
			text.dispatchEvent(new Event("input"));
		}; undefined`, then, text)))
	}
	// Else the browser asks before it leaves, which it can't without a gesture.
	forget := func() {
		b.t.Helper()
		b.do(chromedp.Evaluate[chromedp.Void](`import("/console/studio/static/unsent.js").then(({ unsent }) => {
			for (const form of document.forms) unsent(form, false);
		})`, chromedp.EvalAwaitPromise))
	}
	b.open(at)
	typed("no room", `Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };`)
	b.until(fmt.Sprintf(is, "no room", "Not saved yet, and the browser has no room"))
	b.saysJobEnded()
	forget()
	b.do(chromedp.Evaluate[chromedp.Void](`{
		const prompt = document.querySelector("#prompt");
		prompt.value = "faster";
		prompt.dispatchEvent(new Event("input", { bubbles: true }));
	}; undefined`))
	b.until(`document.querySelector("[data-prompt] [data-wait]").textContent.includes("no room")`)
	b.saysJobEnded()
	forget()
	b.open(at)
	typed("typed", "")
	b.saysJobEnded()
	forget()
	b.open(at)
	b.until(fmt.Sprintf(is, "typed", "This text was not saved yet."))
	b.follow("[data-again]")
	b.until(fmt.Sprintf(is, "first", "") + ` && !document.querySelector("[data-saved]").textContent`)
	typed("newer", `text.value = "older"; text.form.requestSubmit(); window.before = text.form.elements.sha256.value;`)
	b.until(fmt.Sprintf(is, "newer", "Not saved yet.") + ` && document.querySelector("[name=sha256]").value !== before`)
}

// follows is what the studio's page does with a job, of which the rest says what comes.
const follows = `import("/console/studio/static/job.js").then(({ followJob }) => {
	const place = document.createElement("div");
	place.append(document.createElement("progress"), ...["stage", "log", "spent"].map((name) => {
		const part = document.createElement("div");
		part.dataset[name] = "";
		return part;
	}));
	Object.assign(place.dataset, %s);
	let source;
	window.EventSource = class extends EventTarget { constructor() { super(); source = this; } close() {} };
	followJob(place);
	const comes = (type, data) => source.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data) }));
	const part = (name) => place.querySelector("[data-" + name + "]");
	%s
})`

// followJob has the studio's page follow a job, and returns what the rest of the script does.
func (b *tab) followJob(place map[string]string, rest string) string {
	b.t.Helper()
	fields, err := json.Marshal(place)
	if err != nil {
		b.t.Fatal(err)
	}
	return value(b, chromedp.Evaluate[string](fmt.Sprintf(follows, fields, rest), chromedp.EvalAwaitPromise))
}

// saysJobEnded has the studio's page follow a job that ends at once: it stays, as somebody
// typed there what nobody has.
func (b *tab) saysJobEnded() {
	b.t.Helper()
	ended := b.followJob(map[string]string{"page": "/console/keys"}, `comes("job.completed", {}); return part("log").textContent;`)
	if !strings.Contains(ended, "The job has ended") || !strings.Contains(ended, "what you typed") {
		b.t.Errorf("at the job's end the page says %q", ended)
	}
}

func TestStudioWorksWithoutScripts(t *testing.T) {
	s := start(t, inOneForm(t))
	b := s.signIn(newBrowser(t), "alice")
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.open("http://" + s.addr + "/console/studio")
	b.fill("#prompt", brief)
	b.follow("form[data-brief] button")
	for range 200 {
		if strings.Contains(b.text(".jobs, #chat"), "completed") {
			break
		}
		if value(b, chromedp.Evaluate[string](`document.querySelector("#prompt").value`)) != "" { // the engine is starting
			b.follow("[data-prompt] button")
			continue
		}
		b.open("http://" + s.addr + "/console/studio/" + b.attribute("[data-project]", "data-project"))
	}
	b.shows("#chat", "completed")
	project := b.attribute("[data-project]", "data-project")
	at := "http://" + s.addr + "/console/studio/" + project
	b.open(at + "?file=README.txt")
	b.fill("#text", "by hand")
	b.follow("[data-editor] button")
	b.shows("main", "Saved.")
	b.follow(`#versions form[action$="/restore"] button`)
	b.shows("main", "The game is as it was then")
	b.shows("#versions", "the files of r1")
	b.shot("studio-noscript")

	cookies, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.addr+b.attribute("#game a[download]", "href"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cookies.Cookies {
		req.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if data, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK || !strings.HasPrefix(string(data), "PK") {
		t.Errorf("the download: %d %v", resp.StatusCode, err)
	}
}
