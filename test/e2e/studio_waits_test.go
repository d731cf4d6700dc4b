package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestABriefIsSentAgainAsItIsUntilItIsTaken: there is no room for its engine at first, then
// nobody answers.
func TestABriefIsSentAgainAsItIsUntilItIsTaken(t *testing.T) {
	s := start(t, inOneForm(t))
	b := s.signIn(newBrowser(t), "alice")
	s.emptyProject(b, "alice")
	b.do(chromedp.Evaluate[chromedp.Void](`{
		const real = window.fetch;
		window.sent = [];
		window.fetch = async (address, init) => {
			if (init?.method !== "POST") return real(address, init);
			const said = document.querySelector("[data-prompt] [data-wait]").textContent;
			sessionStorage.setItem("test", JSON.stringify([...JSON.parse(sessionStorage.getItem("test") ?? "[]"), [String(init.body), said]]));
			sent.push(said);
			if (sent.length === 1) {
				const error = "All engine slots are taken. Submit the same request again later.";
				return new Response(JSON.stringify({ error, retryAfterSeconds: 1 }), { status: 503 });
			}
			if (sent.length === 2) throw new TypeError("nobody answers");
			return real(address, init);
		};
	}; undefined`))
	b.fill("#prompt", brief)
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-prompt]").requestSubmit(); undefined`))
	const says = `document.querySelector("[data-prompt] [data-wait]").textContent.startsWith(%q)`
	b.until(fmt.Sprintf(says, "All engine slots are taken. The same is sent again soon. "))
	b.until(fmt.Sprintf(says, "The service can't be reached. The same is sent again soon. "))
	b.game()
	b.until(`document.querySelectorAll(".jobs li time").length === 1`)
	sent := value(b, chromedp.Evaluate[[][]string](`JSON.parse(sessionStorage.getItem("test"))`))
	if len(sent) != 3 || sent[0][0] != sent[1][0] || sent[1][0] != sent[2][0] {
		t.Errorf("what was sent is %q", sent)
	}
}

func TestWhatIsTypedOutlastsItsSession(t *testing.T) {
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	b := s.signIn(br, "alice")
	at := s.emptyProject(b, "alice")
	b.open(at + "?file=notes.txt")
	b.write("typed")
	b.fill("#prompt", brief)
	other := br.tab()
	other.open("http://" + s.addr + "/console/keys")
	other.leave(chromedp.Evaluate[chromedp.Void](`document.querySelector('form[action="/console/logout"]').requestSubmit()`)) // in a menu
	const send = `document.querySelector(%q).requestSubmit(); undefined`
	for form, says := range map[string]string{"[data-editor] [data-saved]": "Not saved: your session has ended", "[data-prompt] [data-wait]": "Your session has ended"} {
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).closest("form").requestSubmit(); undefined`, form)))
		b.until(fmt.Sprintf(`document.querySelector(%q).textContent.startsWith(%q)`, form, says))
	}
	s.signInAgain(other, "alice")
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(send, "[data-editor]")))
	b.until(`document.querySelector("[data-saved]").textContent.startsWith("Saved as r")`)
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(send, "[data-prompt]")))
	b.game()
	b.open(at + "?file=notes.txt")
	b.until(`document.querySelector("#text").value === "typed"`)
}

// TestAPageThatSomebodyComesBackToShowsTheJobThatAProgramBegan: over nothing that is typed.
func TestAPageThatSomebodyComesBackToShowsTheJobThatAProgramBegan(t *testing.T) {
	s := start(t, inOneForm(t))
	b := s.signIn(newBrowser(t), "alice")
	key := s.newKey("alice")
	sub := s.generate(key, s.newProject(key), brief)
	s.finish(key, sub)
	at := "http://" + s.addr + "/console/studio/" + sub.ProjectID
	b.open(at)
	b.game()
	const comesBack = `document.dispatchEvent(new Event("visibilitychange")); undefined`
	s.finish(key, s.generate(key, sub.ProjectID, "faster"))
	b.fill("#prompt", "slower")
	b.do(chromedp.Evaluate[chromedp.Void](comesBack))
	b.until(`document.querySelector("main > .note")?.textContent.includes("Another job was begun meanwhile") && document.querySelector("#prompt").value === "slower"`)
	b.do(chromedp.Evaluate[chromedp.Void](`sessionStorage.clear(); undefined`))
	b.open(at + "?other")
	b.game()
	s.finish(key, s.generate(key, sub.ProjectID, "bluer"))
	b.leave(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur(); " + comesBack))
	b.until(`document.querySelectorAll(".jobs li time").length === 3`)
}
