package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// emptyProject opens the studio's page of a new project, once its engine is ready, and
// returns its address.
func (s *service) emptyProject(b *tab, user string) string {
	s.t.Helper()
	at := "http://" + s.addr + "/console/studio/" + s.newProject(s.newKey(user))
	b.open(at)
	b.until(`document.querySelector("[data-project]") !== null && document.querySelector("[data-engine]") === null`)
	return at
}

var editorStyles = regexp.MustCompile(`style-src 'self' 'nonce-([A-Z2-7]{26})';`)

func TestTheEditorLeavesThePolicyOfItsPageStrict(t *testing.T) {
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	s.signIn(br, "alice")
	b := br.tab("Content Security Policy", "This document requires")
	_, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		window.refused = [];
		addEventListener("securitypolicyviolation", (event) => refused.push(event.violatedDirective + " " + event.blockedURI));
	`})
	if err != nil {
		t.Fatal(err)
	}
	at := s.emptyProject(b, "alice")
	b.saveFiles(map[string]string{"a.js": "const a = 1;\n"})
	b.open(at + "?file=a.js")
	b.write("x")
	b.do(chromedp.KeyEvent("f", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.until(`document.querySelector(".cm-search") !== null && getComputedStyle(document.querySelector(".cm-editor")).borderRadius === "7px"`)
	if refused := value(b, chromedp.Evaluate[[]string]("refused")); len(refused) > 0 {
		t.Errorf("the editor does what its page refuses: %q", refused)
	}
	policy := func(path string) string {
		t.Helper()
		return value(b, chromedp.Evaluate[string](fmt.Sprintf(`fetch(%q).then((res) => res.headers.get("Content-Security-Policy"))`, path), chromedp.EvalAwaitPromise))
	}
	one, two := policy(at+"?file=a.js"), policy(at+"?file=a.js")
	first, second := editorStyles.FindStringSubmatch(one), editorStyles.FindStringSubmatch(two)
	if first == nil || second == nil || first[1] == second[1] {
		t.Errorf("the styles' names are %q and %q in\n%s", first, second, one)
	}
	plain := policy(at)
	if strings.ReplaceAll(one, " 'nonce-"+editorName(first)+"'", "") != plain || strings.Contains(plain, "unsafe") ||
		!strings.Contains(plain, "require-trusted-types-for 'script'") {
		t.Errorf("the policies are\n%s\n%s", one, plain)
	}
	done := value(b, chromedp.Evaluate[string](`(() => {
		const done = [];
		const style = document.createElement("style");
		style.textContent = "body { outline: 3px solid }";
		document.head.append(style);
		if (getComputedStyle(document.body).outlineStyle === "solid") done.push("style");
		try {
			document.createElement("div").innerHTML = "<b>x</b>";
			done.push("markup");
		} catch { /* as it should be */ }
		const script = document.createElement("script");
		try {
			script.textContent = "window.ran = true";
			document.head.append(script);
		} catch { /* as it should be */ }
		if (window.ran) done.push("script");
		return done.join();
	})()`))
	b.until("refused.length > 1")
	if done != "" {
		t.Errorf("the page lets anybody make %s", done)
	}
}

func editorName(found []string) string {
	if found == nil {
		return ""
	}
	return found[1]
}

// TestStudioIsAccessibleWhereSomethingIsWrong looks at what its pages say of faults. An
// error of a game is said where its source has it.
func TestStudioIsAccessibleWhereSomethingIsWrong(t *testing.T) {
	axe := axeCore(t)
	s := start(t, inOneForm(t))
	br := newBrowser(t)
	s.signIn(br, "alice")
	b := br.tab("broken", "beforeunload")
	b.letScripts()
	at := s.emptyProject(b, "alice")
	b.saveFiles(map[string]string{
		"index.html":  `<!doctype html><title>x</title><script src="game.js"></script>`,
		"src/main.js": "const list = [1];\n\nthrow new Error(`broken ${list.length}`);\n",
	})
	const send = `{
		const form = document.querySelector("[data-editor]");
		%s;
		form.submit();
	}; undefined`
	for _, c := range []struct{ name, path, script, until string }{
		{"faults", "#game", "", `document.querySelector("[data-faults] li a")?.textContent === "src/main.js:3"`},
		{"problems", "?file=src/main.js", fmt.Sprintf(send, `form.elements.text.value = "const list = ;"`), `document.querySelector(".problems li") !== null`},
		{"conflict", "?file=index.html", fmt.Sprintf(send, `form.elements.text.value = "mine"; form.elements.sha256.value = "0".repeat(64)`), `document.querySelector("[data-theirs]") !== null`},
		{"refused", "", `{
			const files = new DataTransfer();
			files.items.add(new File(["<svg>"], "x.png"));
			const form = document.querySelector("form[data-upload]");
			form.elements.file.files = files.files;
			form.submit();
		}; undefined`, `document.querySelector("[role=alert]")?.textContent.startsWith("Not uploaded")`},
	} {
		for scheme, width := range map[string]int64{"dark": 1280, "light": 320} {
			b.look(width, 800, scheme)
			b.open("about:blank") // else a part is a jump
			b.open(at + c.path)
			if c.script != "" {
				b.leave(chromedp.Evaluate[chromedp.Void](c.script))
			}
			b.until(c.until)
			t.Run(fmt.Sprintf("%s/%d/%s", scheme, width, c.name), func(t *testing.T) {
				b.accessible(t, axe)
				b.shot(fmt.Sprintf("studio-%s-%s-%d", c.name, scheme, width))
			})
		}
	}
}
