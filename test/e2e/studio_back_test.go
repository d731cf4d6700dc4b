package e2e

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
)

// differ returns what tells the files of a project as they are from those of a version, by
// their sums.
func (b *tab) differ(rev int) (names []string) {
	b.t.Helper()
	return value(b, chromedp.Evaluate[[]string](fmt.Sprintf(`(async () => {
		const at = "/console/studio/" + document.querySelector("[data-project]").dataset.project;
		const names = async (rev) => [...new DOMParser().parseFromString(await (await fetch(at + "/diff?from=" + rev)).text(), "text/html").querySelectorAll("main h2")].map((name) => name.textContent);
		const sum = async (path, rev) => (await fetch(at + "/file?" + new URLSearchParams({ path, rev }))).headers.get("ETag");
		const wrong = await names(%[1]d);
		const { workspace } = await (await fetch(at + "/state", { headers: { Accept: "application/json" } })).json();
		for (const { path, sha256 } of workspace.files) {
			if (await sum(path, %[1]d) !== '"' + sha256 + '"') wrong.push(path);
		}
		return wrong;
	})()`, rev), chromedp.EvalAwaitPromise))
}

// TestAProjectGoesBackToAnyVersionAndForthAgain: each is there byte for byte and plays, and
// who has not seen the newest one is told what came between.
func TestAProjectGoesBackToAnyVersionAndForthAgain(t *testing.T) {
	s := start(t, inOneForm(t))
	b := s.signIn(newBrowser(t), "alice")
	b.letScripts()
	key := s.newKey("alice")
	sub := s.generate(key, s.newProject(key), brief)
	s.finish(key, sub)
	at := "http://" + s.addr + "/console/studio/" + sub.ProjectID
	asks := func(prompt string) {
		t.Helper()
		if job := s.finish(key, s.generate(key, sub.ProjectID, prompt)); job.Status != api.JobCompleted || len(job.Unmet) > 0 {
			t.Fatalf("%s: %+v", prompt, job)
		}
	}
	b.open(at)
	b.game()
	b.saveFiles(map[string]string{"one.txt": "one"}) // r2
	asks("faster")                                   // r3
	b.saveFiles(map[string]string{"two.txt": "two"}) // r4
	asks("slower")                                   // r5
	plays := func(rev int, same int) {
		t.Helper()
		b.open(at)
		b.game()
		b.until(`!document.querySelector("[data-hold]").disabled && document.querySelector("[data-faults]").hidden`)
		if wrong := b.differ(same); len(wrong) > 0 {
			t.Errorf("r%d is not as r%d was: %q", rev, same, wrong)
		}
		heads := value(b, chromedp.Evaluate[[]string](`[...document.querySelectorAll("#versions strong")].map((rev) => rev.textContent)`))
		want := []string{}
		for id := rev; id > 0; id-- {
			want = append(want, fmt.Sprintf("r%d", id))
		}
		if !slices.Equal(heads, want) {
			t.Errorf("the versions are %q, want %q", heads, want)
		}
	}
	plays(5, 5)
	back := func(rev int) {
		t.Helper()
		b.follow(fmt.Sprintf(`#versions form[action$="/restore"]:has([name=rev][value="%d"]) button`, rev))
		b.shows("main", "The game is as it was then")
	}
	back(2)
	plays(6, 2)
	if wrong := b.differ(5); len(wrong) == 0 {
		t.Error("r2 and r5 do not differ")
	}
	back(5)
	plays(7, 5)

	b.do(chromedp.Evaluate[chromedp.Void](`for (const field of document.querySelectorAll("[name=head]")) field.value = 5; undefined`))
	b.follow(`#versions form[action$="/restore"] button`)
	b.shows("[role=alert]", "Not restored: There came meanwhile: r7 (Went back to revision 5), r6 (Went back to revision 2).")
	plays(7, 5)
}
