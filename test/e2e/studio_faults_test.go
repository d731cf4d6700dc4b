package e2e

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// saveFiles saves new files of the project whose page is shown.
func (b *tab) saveFiles(files map[string]string) {
	b.t.Helper()
	list, err := json.Marshal(files)
	if err != nil {
		b.t.Fatal(err)
	}
	if said := value(b, chromedp.Evaluate[string](fmt.Sprintf(`(async () => {
		const at = "/console/studio/" + document.querySelector("[data-project]").dataset.project + "/file";
		for (const [path, text] of Object.entries(%s)) {
			const body = new URLSearchParams({ path, text, sha256: "" });
			const res = await fetch(at, { method: "POST", headers: { Accept: "application/json" }, body });
			if (!res.ok) return path + ": " + res.status + " " + await res.text();
		}
		return "";
	})()`, list), chromedp.EvalAwaitPromise)); said != "" {
		b.t.Fatal(said)
	}
}

// TestGameThatFailsWithoutEndLeavesItsOwnerTheStudio: it throws ever other errors, and loads
// itself anew.
func TestGameThatFailsWithoutEndLeavesItsOwnerTheStudio(t *testing.T) {
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	s.signIn(br, "alice")
	b := br.tab("NOISE")
	project := s.emptyProject(b, "alice")
	b.saveFiles(map[string]string{
		"index.html": `<!doctype html><title>x</title><script src="game.js"></script>`,
		"game.js": `setInterval(() => { throw new Error("NOISE " + Math.random().toString(36).replace(/\d/g, "x")); }, 10);
			setTimeout(() => location.reload(), 400);`,
	})
	b.look(1280, 800, "light") // a game that is not seen stands still
	b.open(project)
	b.do(chromedp.Evaluate[chromedp.Void](`window.loads = 0; document.querySelector("[data-game]").addEventListener("load", () => loads++); undefined`))
	b.until(`loads > 4 && document.querySelector("[data-faults] li a") !== null`)
	const read = `performance.getEntriesByType("resource").filter((e) => e.name.includes("/file?path=")).length`
	if n := value(b, chromedp.Evaluate[int](read)); n == 0 || n > 10 {
		t.Errorf("the game had its page read %d files", n)
	}
	b.saveFiles(map[string]string{"notes.txt": "saved"})

	const fix = `(() => { const ask = document.querySelector("[data-faults] button"); ask?.click(); return ask !== null; })()`
	blocks := func(set string) []string {
		t.Helper()
		return value(b, chromedp.Evaluate[[]string](`[...document.querySelectorAll("[name=contextContent]")].map((text, i) => { `+set+` return text.value; })`))
	}
	blocks(`text.value = "mine " + i;`)
	b.until(fix)
	if got := blocks(""); fmt.Sprint(got) != "[mine 0 mine 1 mine 2]" {
		t.Errorf("what was typed became %q", got)
	}
	b.until(`document.querySelector("#prompt").value.includes("NOISE")`)
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#prompt").value = "typed"; undefined`))
	blocks(`if (i === 2) text.value = "";`)
	b.until(fix)
	b.until(`document.querySelector("#prompt").value === "typed" && document.querySelectorAll("[name=contextContent]")[2].value.includes("NOISE")`)

	b.open("http://" + s.addr + "/console/studio")
	b.fill("#prompt", "my own")
	b.do(chromedp.Click(chromedp.CSS("[data-example]")))
	b.until(`document.querySelector("#prompt").value === "my own" && document.querySelector("[data-wait]").textContent.includes("stays")`)
	b.fill("#prompt", "")
	b.do(chromedp.Click(chromedp.CSS("[data-example]")))
	b.until(`document.querySelector("#prompt").value === document.querySelector("[data-example]").dataset.example`)
}
