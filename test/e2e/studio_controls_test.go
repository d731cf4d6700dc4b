package e2e

import (
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	downloads "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// shownGame is a game that says what it does as errors, which the studio's page lists.
const shownGame = `
	const canvas = document.querySelector("canvas"), g = canvas.getContext("2d");
	g.fillStyle = "#f00";
	g.fillRect(0, 0, canvas.width, canvas.height);
	const words = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"];
	console.error("chance " + Array.from({ length: 8 }, () => words[Math.floor(Math.random() * 8)]).join("-"));
	const sound = new AudioContext();
	setInterval(() => console.error(sound.destination.gain.value ? "loud" : "silent"), 50);
	setInterval(() => { throw new Error("noise"); }, 1);`

// faultOf is the text of the error on the studio's page that begins so.
const faultOf = `[...document.querySelectorAll("[data-faults] li bdi")].map((said) => said.textContent).find((said) => said.startsWith(%q)) ?? null`

func TestAGameIsHeldSteppedSeededMutedAndPictured(t *testing.T) {
	axe := axeCore(t)
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	s.signIn(br, "alice")
	b := br.tab("chance", "loud", "silent", "noise")
	b.letScripts()
	at := s.emptyProject(b, "alice")
	b.saveFiles(map[string]string{
		"index.html": `<!doctype html><title>x</title><canvas width="40" height="40"></canvas><script src="game.js"></script>`,
		"game.js":    shownGame,
	})
	b.look(1280, 800, "light") // a game that is not seen stands still
	b.open(at)
	b.until(fmt.Sprintf(faultOf, "loud"))

	begun := func(css string) (said string) {
		t.Helper()
		b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-faults] ol").replaceChildren(); undefined`))
		b.do(chromedp.Focus(chromedp.CSS(css)))
		b.press(kb.Enter)
		b.holds(fmt.Sprintf(faultOf, "chance"), &said)
		return said
	}
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[name=seed]").value = "7"; undefined`))
	first := begun("[data-seed] button")
	if again := begun("[data-seed] button"); again != first {
		t.Errorf("with the same seed it says %q, then %q", first, again)
	}
	if other := begun("[data-restart]"); other == first {
		t.Errorf("without a seed it says %q again", other)
	}

	held := func() (step int) {
		t.Helper()
		b.holds(`JSON.parse(/^Held at step (\d+)\.$/.exec(document.querySelector("[data-frame]").textContent)?.[1] ?? null)`, &step)
		return step
	}
	b.until(fmt.Sprintf(faultOf, "loud"))
	b.reach("Pause")
	b.press(kb.Enter)
	now := held()
	b.do(chromedp.Focus(chromedp.CSS("[data-mute]")))
	b.press(kb.Enter)
	b.do(chromedp.Focus(chromedp.CSS("[data-step]")))
	for range 6 {
		b.press(kb.Enter)
		now++
		b.until(fmt.Sprintf(`document.querySelector("[data-frame]").textContent === "Held at step %d."`, now))
	}
	b.until(fmt.Sprintf(faultOf, "silent"))
	b.looked(t, axe, "held")
	s.pictures(b)
	b.do(chromedp.Click(chromedp.CSS("[data-hold]")))
	b.until(`document.querySelector("[data-hold]").ariaPressed === "false" && document.querySelector("[data-frame]").textContent === "" && document.querySelector("[data-step]").disabled`)
}

// pictures has the page hand over a picture of the red game.
func (s *service) pictures(b *tab) {
	s.t.Helper()
	dir := s.t.TempDir()
	if _, err := chromedp.Call(b.ctx, downloads.SetDownloadBehavior, downloads.SetDownloadBehaviorParams{
		Behavior: downloads.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir,
	}); err != nil {
		s.t.Fatal(err)
	}
	b.do(chromedp.Click(chromedp.CSS("[data-shot]")))
	b.until(`document.querySelector("[data-said]").textContent.startsWith("The picture is among your downloads: game-")`)
	name := filepath.Join(dir, strings.TrimPrefix(b.text("[data-said]"), "The picture is among your downloads: "))
	s.eventually("the picture is there", func() bool {
		f, err := os.Open(name)
		if err != nil {
			return false
		}
		defer f.Close()
		img, err := png.Decode(f)
		if err != nil {
			return false
		}
		for x := range img.Bounds().Dx() {
			for y := range img.Bounds().Dy() {
				if img.At(x, y) == (color.NRGBA{R: 255, A: 255}) || img.At(x, y) == (color.RGBA{R: 255, A: 255}) {
					return true
				}
			}
		}
		return false
	})
}

// slowGame takes longer for a frame than there is, and says how many it drew at most for one
// that was shown. The page's own clock stands still within a frame; these two do not.
const slowGame = `
	const real = () => performance.mark("now").startTime;
	let [drawn, most, shown, frames] = [0, 0, -1, 0];
	const draw = () => {
		requestAnimationFrame(draw);
		for (const begun = real(); real() - begun < 40;);
		const at = document.timeline.currentTime;
		drawn = at === shown ? drawn + 1 : 1;
		[most, shown] = [Math.max(most, drawn), at];
		if (++frames === 30) console.error("drawn " + ["never", "once", "twice"][Math.min(most, 2)]);
	};
	requestAnimationFrame(draw);`

// TestAGameThatDrawsSlowlyIsSlowAndNothingElse: frames that are late already are not made up for.
func TestAGameThatDrawsSlowlyIsSlowAndNothingElse(t *testing.T) {
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	s.signIn(br, "alice")
	b := br.tab("drawn")
	at := s.emptyProject(b, "alice")
	b.saveFiles(map[string]string{"index.html": `<!doctype html><title>x</title><canvas></canvas><script src="game.js"></script>`, "game.js": slowGame})
	b.look(1280, 800, "light") // a game that is not seen stands still
	b.open(at)
	var said string
	if b.holds(fmt.Sprintf(faultOf, "drawn"), &said); said != "drawn once" {
		t.Errorf("it says %q", said)
	}
}

// TestAHostileGameGetsNothingOfThePageByItsPort: it takes the port of the script that joins
// it to the page, and sends what nobody asked for.
func TestAHostileGameGetsNothingOfThePageByItsPort(t *testing.T) {
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	s.signIn(br, "alice")
	b := br.tab("sent")
	at := s.emptyProject(b, "alice")
	b.saveFiles(map[string]string{
		"index.html": `<!doctype html><title>x</title><canvas></canvas><script src="game.js"></script>`,
		"game.js": `const real = MessagePort.prototype.postMessage;
			MessagePort.prototype.postMessage = function postMessage(...args) {
				if (args[0]?.v !== 1) return real.apply(this, args); // the clock has a channel of its own
				MessagePort.prototype.postMessage = real;
				const send = (message) => real.call(this, message);
				for (const type of ["__proto__", "constructor", "begin", "play", "loaded", "at", "shot", "error"]) {
					send({ v: 1, type });
					send({ v: 1, type, seed: "<b>", frame: { a: 1 }, held: "yes", png: new Uint8Array([1, 2]).buffer, text: { a: 1 } });
				}
				for (const message of [null, 1, "x", [], { v: 2, type: "error", text: "two" }]) send(message);
				send({ v: 1, type: "error", text: "<img src=x onerror=alert(1)>", file: "../../../api.js", line: -5 });
				console.error("sent");
				return real.apply(this, args);
			};
			console.error("begin");`,
	})
	b.open(at)
	b.until(fmt.Sprintf(faultOf, "sent"))
	b.until(fmt.Sprintf(faultOf, "<img"))
	got := value(b, chromedp.Evaluate[string](`[document.querySelector("[data-said]").textContent, document.querySelector("[data-frame]").textContent,
		document.querySelector("[name=seed]").value, document.querySelectorAll("[data-faults] img, [data-faults] a").length].join("|")`))
	if !strings.HasSuffix(got, "|0") || strings.Contains(got, "<b>") || strings.Contains(got, "downloads") {
		t.Errorf("the page shows %q", got)
	}
}

// TestAnErrorOfTheGameLeadsToItsLine: of two that read alike to that which failed.
func TestAnErrorOfTheGameLeadsToItsLine(t *testing.T) {
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	s.signIn(br, "alice")
	b := br.tab("broken")
	at := s.emptyProject(b, "alice")
	b.saveFiles(map[string]string{
		"index.html":  `<!doctype html><title>x</title><script src="game.js"></script>`,
		"src/main.js": "const first = () => {\n\tthrow new Error(`broken`);\n};\nconst second = () => {\n\tthrow new Error(`broken`);\n};\nif (location.hash) first();\nsecond();\n",
	})
	const shown = `document.querySelector(".cm-activeLineGutter")?.textContent === "5"`
	b.open(at)
	b.until(`document.querySelector("[data-faults] li a")?.textContent === "src/main.js:5"`)
	b.follow("[data-faults] li a")
	b.until(shown)
	b.do(chromedp.Evaluate[chromedp.Void](`window.stays = true; undefined`))
	b.do(chromedp.Focus(chromedp.CSS(".cm-content")))
	b.do(chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.until(`document.querySelector(".cm-activeLineGutter")?.textContent === "1"`)
	b.until(`document.querySelector("[data-faults] li a") !== null`)
	b.do(chromedp.Click(chromedp.CSS("[data-faults] li a")))
	b.until(shown + ` && window.stays`)
}
