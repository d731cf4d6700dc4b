package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/long"
)

// signIn makes a user and opens the console with a link of svc.
func (s *service) signIn(b *browser, user string) *tab {
	s.t.Helper()
	s.svc("admin", "user", "create", user, "--tik", "1000")
	var link struct{ URL string }
	s.decode([]byte(s.svc("admin", "login-link", "--user", user, "--address", "http://"+s.addr, "--json")), &link)
	tab := b.tab()
	tab.open(link.URL)
	tab.until(`location.pathname == "/console/keys"`)
	return tab
}

// createInConsole makes a key by the form and returns it; its page is shown.
func (s *service) createInConsole(b *tab, name string, limits ...string) apiKey {
	s.t.Helper()
	b.open("http://" + s.addr + "/console/keys/new")
	b.fill("input[name=name]", name)
	for i := 0; i < len(limits); i += 2 {
		b.fill("input[name="+limits[i]+"]", limits[i+1])
	}
	b.follow("main form button")
	key := apiKey{Secret: value(b, chromedp.Value(chromedp.CSS("#secret")))}
	href := b.attribute("[data-leave]", "href")
	key.ID = href[strings.LastIndex(href, "/")+1:]
	s.secrets = append(s.secrets, key.Secret)
	return key
}

// wantAnswer waits until the API says this to a key: it hears of a change within half
// a second, in the process of the console too.
func (s *service) wantAnswer(key apiKey, status int, reason string) {
	s.t.Helper()
	s.eventually(fmt.Sprintf("the API says %d %q", status, reason), func() bool {
		a := s.call(key, "GET", "/v1/projects", nil)
		var body struct{ Reason string }
		s.decode(a.body, &body)
		return a.status == status && body.Reason == reason
	})
}

func TestNewUserGoesTheWholeWayWithOnlyTheLink(t *testing.T) {
	inEveryForm(t, newUserGoesTheWholeWayWithOnlyTheLink)
}

func newUserGoesTheWholeWayWithOnlyTheLink(t *testing.T, f form) {
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	b.look(1280, 900, "light")
	b.shows("main", "No keys yet")
	b.shot("empty")
	if got := value(b, chromedp.Location()); strings.Contains(got, "#") {
		t.Errorf("the address still has the code: %s", got)
	}

	key := s.createInConsole(b, "build server", "jobsPerDay", "2")
	printed := b.text("#curl")
	b.shot("created")
	b.do(chromedp.Click(chromedp.CSS("[data-copy=secret]")))
	b.until(`document.querySelector("[data-copy=secret]").textContent != "Copy"`)
	b.follow("[data-leave]")
	b.shows("main", "0 of 2")
	s.wantAnswer(key, http.StatusOK, "")

	var sub api.Submission
	s.eventually("the commands of the page make a job", func() bool {
		out, err := exec.Command("sh", "-c", printed).Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		s.decode(out, &sub)
		return sub.JobID != "" // its engine was starting
	})
	b.open("http://" + s.addr + "/console/jobs/" + sub.JobID)
	s.finish(key, sub)
	b.until(`document.querySelector("[data-status]")?.textContent.includes("completed")`) // it loads itself anew
	if resp, err := http.Get(b.attribute("iframe", "src")); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("the preview: %+v, %v", resp, err)
	} else {
		resp.Body.Close()
	}
	b.open("http://" + s.addr + "/console/keys/" + key.ID)
	b.shows("main", "1 of 2")
	b.shows("main", "1 job and 1 TIK in the last 30 days")
	b.shot("key")

	at := "http://" + s.addr + "/console/keys/" + key.ID
	b.follow(`a[href$="/disable"]`)
	b.shows("h1", "build server")
	b.shot("disable")
	b.follow("main form button")
	b.shows("main", "The key is disabled")
	s.wantAnswer(key, http.StatusUnauthorized, "disabled")
	b.follow(`form[action$="/enable"] button`)
	s.wantAnswer(key, http.StatusOK, "")
	b.fill(`form[action$="/name"] input`, "release server")
	b.follow(`form[action$="/name"] button`)
	b.shows("h1", "release server")
	b.fill("input[name=jobsPerDay]", "1")
	b.follow(`form[action$="/limits"] button`)
	b.shows("main", "1 of 1")
	if a := s.call(key, "POST", "/v1/generate", map[string]string{"projectId": sub.ProjectID, "prompt": brief}); a.status != http.StatusTooManyRequests {
		t.Errorf("over the new limit: %d", a.status)
	}
	b.open(at + "/revoke")
	b.shows("main", "This is for good")
	b.until(`document.activeElement.textContent === "Cancel"`) // a browser gives the focus after the page is shown
	b.follow("main form button")
	b.shows(".state", "revoked")
	s.wantAnswer(key, http.StatusUnauthorized, "revoked")
	b.open("http://" + s.addr + "/console/audit")
	b.shows("main", "revoked the key")
	b.shot("audit")
	b.open("http://" + s.addr + "/console/statement")
	b.shows("main", "999")
}

func TestSecretIsNotShownAgainAfterGoingBack(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	key := s.createInConsole(b, "ci")
	b.do(chromedp.Click(chromedp.CSS("[data-copy=secret]")))
	b.follow("[data-leave]")
	shown := value(b, chromedp.Location())
	b.do(chromedp.Evaluate[chromedp.Void]("history.back()"))
	// The browser has kept nothing: it asks whether to send the form again.
	b.until(fmt.Sprintf("location.href != %q && document.readyState == 'complete'", shown))
	if html := value(b, chromedp.Evaluate[string]("document.documentElement.outerHTML")); strings.Contains(html, key.Secret) {
		t.Error("the secret is shown again")
	}
	b.open("http://" + s.addr + "/console/keys")
	if rows := value(b, chromedp.Evaluate[int](`document.querySelectorAll("table.keys tbody tr").length`)); rows != 1 {
		t.Errorf("%d keys", rows)
	}
}

func TestPageAsksBeforeASecretIsLostUnsaved(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	s.createInConsole(b, "ci")
	b.do(chromedp.Click(chromedp.CSS("h1"))) // a page that nobody touched may not ask
	opened := value(b, chromedp.WaitEvent(page.JavascriptDialogOpening, nil,
		chromedp.Evaluate[chromedp.Void](`setTimeout(() => { location.href = "/console/keys" })`)))
	if opened.Type != "beforeunload" {
		t.Errorf("the browser asks %q", opened.Type)
	}
	if _, err := chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}); err != nil {
		t.Fatal(err)
	}
}

func TestTwoTabsEditingOneKey(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	br := newBrowser(t)
	one := s.signIn(br, "alice")
	key := s.createInConsole(one, "ci")
	one.do(chromedp.Click(chromedp.CSS("[data-copy=secret]")))
	one.follow("[data-leave]")
	two := br.tab()
	two.open("http://" + s.addr + "/console/keys/" + key.ID)

	one.fill("input[name=jobsPerDay]", "3")
	one.follow(`form[action$="/limits"] button`)
	two.fill("input[name=jobsPerDay]", "99")
	two.follow(`form[action$="/limits"] button`)
	two.shows("[role=alert]", "was changed meanwhile")
	two.shows("main", "0 of 3") // as it is
	if typed := value(two, chromedp.Value(chromedp.CSS("input[name=jobsPerDay]"))); typed != "99" {
		t.Errorf("the field holds %q", typed)
	}
	two.follow(`form[action$="/limits"] button`) // knowing it now
	two.shows("main", "0 of 99")
}

// TestPageIsLeftWhenItsSessionEnds looks at a job whose engine says nothing more:
// only the session's end can end the stream of its events.
func TestPageIsLeftWhenItsSessionEnds(t *testing.T) {
	inEveryForm(t, pageIsLeftWhenItsSessionEnds)
}

func pageIsLeftWhenItsSessionEnds(t *testing.T, f form) {
	s := start(t, f)
	br := newBrowser(t)
	one := s.signIn(br, "alice")
	_, jobs := s.openStream(s.newKey("alice"), 4)
	release := s.holdEngines()
	defer release()
	one.open("http://" + s.addr + "/console/jobs/" + jobs[3].JobID)
	two := br.tab()
	two.open("http://" + s.addr + "/console/keys")
	two.leave(chromedp.Evaluate[chromedp.Void](`document.querySelector('form[action="/console/logout"]').requestSubmit()`)) // in a menu
	one.until(`location.pathname == "/console/login"`)
}

func TestRevokedKeyIsRefusedWhileThePageStillShowsIt(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	key := s.createInConsole(b, "ci")
	b.do(chromedp.Click(chromedp.CSS("[data-copy=secret]")))
	b.follow("[data-leave]")
	s.svc("admin", "key", "revoke", key.ID)
	b.shows(".state", "active")
	s.wantAnswer(key, http.StatusUnauthorized, "revoked")
	b.follow(`a[href$="/disable"]`)
	b.follow("main form button")
	b.shows("[role=alert]", "revoked")
	b.shows(".state", "revoked")
}

func TestKeyIsMadeWithTheKeyboardAlone(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	press := func(keys string) { t.Helper(); b.do(chromedp.KeyEvent(keys)) }
	reach := func(text string) {
		t.Helper()
		for range 40 {
			press(kb.Tab)
			focused := value(b, chromedp.Evaluate[string](`document.activeElement.textContent.trim() || document.activeElement.name || ""`))
			if focused == text {
				return
			}
		}
		t.Fatalf("%q can't be reached with the tab key", text)
	}
	reach("Create your first key")
	b.leave(chromedp.KeyEvent(kb.Enter))
	b.until(`document.activeElement.name == "name"`)
	press("keyboard")
	reach("maxConcurrentJobs")
	press("1")
	reach("Create key")
	b.leave(chromedp.KeyEvent(kb.Enter))
	b.shows("h1", "keyboard")
	secret := value(b, chromedp.Value(chromedp.CSS("#secret")))
	s.secrets = append(s.secrets, secret)
	if _, ok := api.ParseKey(secret); !ok {
		t.Error("no key was made")
	}
}

func TestGameInThePreviewKnowsNothingOfTheSession(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	br := newBrowser(t)
	b := s.signIn(br, "alice")
	key := s.createInConsole(b, "ci")
	b.do(chromedp.Click(chromedp.CSS("[data-copy=secret]")))
	b.follow("[data-leave]")
	sub := s.generate(key, s.newProject(key), brief)
	s.finish(key, sub)
	b.open("http://" + s.addr + "/console/jobs/" + sub.JobID)
	frame := b.attribute("iframe", "src")
	if strings.Contains(frame, s.addr) || !strings.HasPrefix(frame, "http://127.0.0.1:") {
		t.Errorf("the game is at %s", frame)
	}
	if sandbox := b.attribute("iframe", "sandbox"); sandbox != "allow-scripts" {
		t.Errorf("the frame may %q", sandbox)
	}
	resp, err := http.Get(frame)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if csp := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "sandbox allow-scripts;") || resp.StatusCode != http.StatusOK {
		t.Errorf("the game answers %d with %q", resp.StatusCode, csp)
	}
	// Opened by itself too, the game has no origin, no cookie and no way to the console.
	game := br.tab("Content Security Policy", "Blocked opening", "Blocked form submission")
	game.open(frame)
	game.until(`document.querySelector("canvas") !== null`)
	for name, script := range map[string]string{
		"origin":  `String(self.origin)`,
		"cookie":  `(() => { try { return document.cookie } catch (e) { return "null" } })()`,
		"console": fmt.Sprintf(`fetch("http://%s/console/keys", {credentials: "include"}).then(() => "reached", () => "null")`, s.addr),
		"api":     fmt.Sprintf(`fetch("http://%s/v1/projects").then(() => "reached", () => "null")`, s.addr),
	} {
		if got := value(game, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise)); got != "null" {
			t.Errorf("the game's %s: %q", name, got)
		}
	}
	s.noWayOut(game)
	b.do(chromedp.ScrollIntoView(chromedp.CSS("iframe")))
	b.shot("job")
}

func TestAllButLiveProgressWorksWithoutJavaScript(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	b := newBrowser(t).tab()
	s.svc("admin", "user", "create", "alice", "--tik", "1000")
	var link struct{ URL string }
	s.decode([]byte(s.svc("admin", "login-link", "--user", "alice", "--address", "http://"+s.addr, "--json")), &link)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.open(link.URL) // the code behind "#" is for scripts
	b.fill("input[name=code]", link.URL)
	b.follow("main form button")
	b.shows("main", "No keys yet")

	key := s.createInConsole(b, "no scripts", "jobsPerDay", "5")
	b.shows("noscript", "SVC_API_KEY="+key.Secret)
	b.shot("created-noscript")
	b.follow("[data-leave]")
	sub := s.generate(key, s.newProject(key), brief)
	s.finish(key, sub)

	at := "http://" + s.addr + "/console/"
	b.open(at + "keys")
	b.shows("main", "1 of 5")
	b.fill("input[name=q]", "nothing like it")
	b.follow("form.filter button")
	b.shows("main", "No key matches")
	b.open(at + "keys/" + key.ID)
	b.fill("input[name=jobsPerDay]", "7")
	b.follow(`form[action$="/limits"] button`)
	b.shows("main", "1 of 7")
	b.follow(`a[href$="/revoke"]`)
	b.follow("main form button")
	b.shows(".state", "revoked")
	b.open(at + "projects/" + sub.ProjectID)
	b.fill(`form:last-of-type input[name=name]`, "readers")
	b.fill(`form:last-of-type input[name=value]`, "bob")
	b.follow("main form:last-of-type button")
	b.shows("main", "The attribute is set")
	b.open(at + "jobs/" + sub.JobID)
	b.shows("[data-status]", "completed")
	for path, says := range map[string]string{"usage": "By key", "statement": "Top-up", "audit": "changed the attributes"} {
		b.open(at + path)
		b.shows("main", says)
	}
}

// noWayOut has a game in the preview try to reach a place that would answer.
func (s *service) noWayOut(game *tab) {
	s.t.Helper()
	came := make(chan string, 100)
	place := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { came <- r.URL.Path }))
	s.t.Cleanup(place.Close)
	tried := value(game, chromedp.Evaluate[[]string](strings.ReplaceAll(`(async () => {
		const element = (tag, set) => document.body.appendChild(Object.assign(document.createElement(tag), set));
		const ways = {
			fetch: () => fetch("PLACE/fetch", { mode: "no-cors" }),
			beacon: () => { if (!navigator.sendBeacon("PLACE/beacon", "x")) throw 0; },
			socket: () => new Promise((open, fail) => { const w = new WebSocket("ws" + "PLACE/socket".slice(4)); w.onopen = open; w.onerror = fail; }),
			image: () => new Promise((load, fail) => { const i = new Image(); i.onload = load; i.onerror = fail; i.src = "PLACE/image"; }),
			script: () => new Promise((load, fail) => element("script", { onload: load, onerror: fail, src: "PLACE/script" })),
			style: () => new Promise((load, fail) => element("link", { rel: "stylesheet", onload: load, onerror: fail, href: "PLACE/style" })),
			frame: () => { element("iframe", { src: "PLACE/frame" }); },
			form: () => { element("form", { action: "PLACE/form", method: "post", target: "_blank" }).submit(); },
			open: () => { if (!window.open("PLACE/open")) throw 0; },
			worker: () => navigator.serviceWorker.register("PLACE/worker.js"),
			ping: () => { element("a", { href: "#x", ping: "PLACE/ping" }).click(); },
		};
		const done = [];
		for (const name in ways) {
			try { await ways[name](); done.push(name); } catch (e) { done.push(name + " failed"); }
		}
		return done;
	})()`, "PLACE", place.URL), chromedp.EvalAwaitPromise))
	if len(tried) != 11 {
		s.t.Errorf("the game tried %q", tried)
	}
	for led := len(came); led > 0; led-- {
		s.t.Errorf("the game reached %s; it tried %q", <-came, tried)
	}
}

func TestConsoleIsAccessible(t *testing.T) {
	f := inOneForm(t)
	axe, err := os.ReadFile(filepath.Join(root(t), "test", "console", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatalf("%v: run scripts/npm-install test/console", err)
	}
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	if _, err := chromedp.Call(b.ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	key := s.createInConsole(b, "\u202ehostile <b>name</b> "+strings.Repeat("🎮", 40), "jobsPerDay", "2", "tikPerMonth", "1")
	b.do(chromedp.Click(chromedp.CSS("[data-copy=secret]")))
	b.follow("[data-leave]")
	sub := s.generate(key, s.newProject(key), brief)
	s.finish(key, sub)
	s.svc("admin", "project", "attributes", sub.ProjectID, "readers=bob,carol", "team=arcade")
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{320, 1280} {
			if !long.Asked() && (scheme == "light") != (width == 320) {
				continue // each page in both schemes and at both widths
			}
			b.look(width, 800, scheme)
			for name, path := range map[string]string{
				"keys": "keys", "new": "keys/new", "key": "keys/" + key.ID, "confirm": "keys/" + key.ID + "/revoke", "usage": "usage",
				"statement": "statement", "projects": "projects", "project": "projects/" + sub.ProjectID, "job": "jobs/" + sub.JobID,
				"audit": "audit", "missing": "nothing", "filtered": "keys?q=nothing", "signin": "login",
			} {
				t.Run(fmt.Sprintf("%s/%d/%s", scheme, width, name), func(t *testing.T) {
					b.open("http://" + s.addr + "/console/" + path)
					if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[chromedp.Void](string(axe)+"; undefined")); err != nil {
						t.Fatal(err)
					}
					found, err := chromedp.Run(b.ctx, chromedp.Evaluate[json.RawMessage](
						`axe.run({iframes: false}).then((r) => r.violations.map((v) => [v.id, v.nodes.map((n) => n.html + " " + n.failureSummary)]))`,
						chromedp.EvalAwaitPromise))
					if err != nil {
						t.Fatal(err)
					}
					if string(found) != "[]" {
						t.Errorf("axe finds %s", found)
					}
					if over, err := chromedp.Run(b.ctx, chromedp.Evaluate[int]("document.documentElement.scrollWidth - innerWidth")); err != nil || over > 0 {
						t.Errorf("the page is %d pixels too wide, %v", over, err)
					}
					b.shot(fmt.Sprintf("%s-%s-%d", name, scheme, width))
				})
			}
		}
	}
}
