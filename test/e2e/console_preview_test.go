package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

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
	if sandbox := b.attribute("iframe", "sandbox"); sandbox != "allow-scripts allow-forms" {
		t.Errorf("the frame may %q", sandbox)
	}
	resp, err := http.Get(frame)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if csp := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "sandbox allow-scripts allow-forms;") || resp.StatusCode != http.StatusOK {
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
