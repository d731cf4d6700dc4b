package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
)

// quick is what a quarter of some times keep to, in ms: a machine that has other work makes
// the rest wait.
func quick(times []float64) float64 {
	return slices.Sorted(slices.Values(times))[len(times)/4]
}

// TestTheStudioAnswersInTime: a key, an event and a save, each within its budget.
func TestTheStudioAnswersInTime(t *testing.T) {
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	s.signIn(br, "alice")
	b := br.tab("frame ")
	b.look(1280, 800, "light") // a game that is not seen stands still
	key := s.newKey("alice")
	at := s.emptyProject(b, "alice")
	within := func(what string, budget float64, times []float64) {
		t.Helper()
		t.Logf("%s: %.1f", what, times)
		if got := quick(times); got > budget {
			t.Errorf("%s takes %.1f ms, more than %.0f", what, got, budget)
		}
	}
	b.saveFiles(map[string]string{
		"src/long.js": strings.Repeat("export const { speed, names } = of({ speed: 12.5, names: [\"a\", 'b'] });\n", 2000),
	})
	within("from a key to its paint in 2,000 lines", 16, b.keysToPaint(at+"?file=src/long.js&line=1000", 40))

	for _, game := range []struct {
		prompt string
		budget float64
	}{{brief + ", on a plain canvas", 1000}, {brief, 2000}} {
		project := s.newProject(key)
		if job := s.finish(key, s.generate(key, project, game.prompt)); job.Status != api.JobCompleted {
			t.Fatalf("%+v", job.Failure)
		}
		if game.budget == 1000 {
			within("from an event to the page", 100, s.eventsToPage(b, key, project))
		}
		within("from a save to a frame of: "+game.prompt, game.budget, b.savesToFrame("http://"+s.addr+"/console/studio/"+project))
		phaser := value(b, chromedp.Evaluate[bool](`document.querySelector('.tree a[href*="phaser.min.js"]') !== null`))
		if phaser != (game.budget == 2000) {
			t.Errorf("that game has Phaser: %t", phaser)
		}
	}
}

// keysToPaint types into a file, and returns how long the page worked for each key until it
// had painted what that wrote. What it waits for the screen's next frame is not its own.
func (b *tab) keysToPaint(at string, n int) []float64 {
	b.t.Helper()
	b.open(at)
	b.until(`document.querySelector(".cm-activeLineGutter")?.textContent === "1000" && document.activeElement.matches(".cm-content")`)
	b.do(chromedp.Evaluate[chromedp.Void](`{
		window.keys = [];
		const handled = () => new Promise((done) => {
			const { port1, port2 } = new MessageChannel();
			port1.addEventListener("message", () => done(performance.now()));
			port1.start();
			port2.postMessage(0);
		});
		let pressed = 0;
		addEventListener("keydown", () => { pressed = performance.now(); }, { capture: true });
		addEventListener("input", async () => {
			const begun = pressed;
			const painted = new Promise((done) => requestAnimationFrame(() => {
				const frame = performance.now();
				handled().then((end) => done(end - frame));
			}));
			const work = await handled() - begun;
			keys.push(work + await painted);
		}, { capture: true });
	}; undefined`))
	for i := range n {
		b.press(string("speed of "[i%9]))
		b.until(fmt.Sprintf("keys.length > %d", i))
	}
	b.do(chromedp.KeyEvent("s", chromedp.KeyModifiers(chromedp.ModifierCtrl))) // else the browser asks before it leaves
	b.until(`document.querySelector("[data-saved]").textContent.startsWith("Saved as r")`)
	return value(b, chromedp.Evaluate[[]float64]("keys"))
}

// savesToFrame changes a game some times, and returns how long after each save it had drawn a
// frame.
func (b *tab) savesToFrame(at string) (times []float64) {
	b.t.Helper()
	b.open(at + "?file=src/main.js")
	b.until(`document.querySelector(".cm-content") !== null && !document.querySelector("[data-hold]").disabled`)
	for _, name := range []string{"one", "two", "three", "four", "five"} {
		times = append(times, value(b, chromedp.Evaluate[float64](fmt.Sprintf(`(async () => {
			const text = document.querySelector("#text");
			window.was ??= text.value;
			const begun = performance.now();
			text.value = was + %q;
			text.form.requestSubmit();
			const shown = () => [...document.querySelectorAll("[data-faults] li bdi")].some((said) => said.textContent === "frame %s");
			while (!shown()) {
				await new Promise(requestAnimationFrame);
				if (performance.now() - begun > 60_000) throw new Error("never shown: " + document.querySelector("[data-saved]").textContent);
			}
			return performance.now() - begun;
		})()`, fmt.Sprintf(saysFrame, name), name), chromedp.EvalAwaitPromise)))
	}
	return times
}

// saysFrame is the end of a game's script that says when it is drawn.
const saysFrame = `
const frameIsDrawn = () => requestAnimationFrame(window.svc.debug().exposes ? () => console.error("frame %s") : frameIsDrawn);
frameIsDrawn();
`

// eventsToPage has jobs run and a page follow them, and returns how long after an engine wrote
// each event the page had it. Those of before the page followed are none.
func (s *service) eventsToPage(b *tab, key apiKey, project string) (times []float64) {
	s.t.Helper()
	for range 6 {
		sub := s.generate(key, project, "faster")
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
			window.came = { late: [], end: false };
			const source = new EventSource("/console/jobs/%s/events");
			let opened = Infinity;
			source.addEventListener("open", () => { opened = Date.now(); });
			for (const type of %q.split(" ")) {
				source.addEventListener(type, (event) => {
					const written = Date.parse(JSON.parse(event.data).ts);
					if (written > opened) came.late.push(Date.now() - written);
					came.end ||= ["job.completed", "job.failed"].includes(type);
					if (came.end) source.close();
				});
			}
		}; undefined`, sub.JobID, "job.started job.progress tool.call tool.result file.changed build.result audit.result usage warning job.completed job.failed")))
		b.untilWithin(slow, "came.end")
		s.finish(key, sub)
		times = append(times, value(b, chromedp.Evaluate[[]float64]("came.late"))...)
	}
	if len(times) < 12 {
		s.t.Fatalf("only %d events came while the page followed", len(times))
	}
	return times
}
