package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/api"
)

// TestNothingOfTheStudioIsLostWithAPartOfTheService kills the parts of a service, one after
// another, under a page of the studio: while somebody types, saves, goes back to a version and
// follows a job.
func TestNothingOfTheStudioIsLostWithAPartOfTheService(t *testing.T) {
	inEveryForm(t, nothingOfTheStudioIsLost)
}

func nothingOfTheStudioIsLost(t *testing.T, f form) {
	s := start(t, f)
	b := s.signIn(newBrowser(t), "alice")
	b.letScripts()
	key := s.newKey("alice")
	sub := s.generate(key, s.newProject(key), brief)
	s.finish(key, sub)
	at := "http://" + s.addr + "/console/studio/" + sub.ProjectID
	victims := []string{victimGateway, victimEngine, victimShim}
	if f.split() {
		victims = append(victims, victimProxy)
	}
	for _, victim := range victims {
		t.Logf("the %s dies", victim)
		b.open(at + "?file=notes.txt")
		b.until(`document.querySelector("[data-editor]") !== null`)
		s.killWhileTyping(b, victim)
		s.killWhileSaving(b, victim)
		s.killWhileGoingBack(b, victim)
		s.killWhileFollowing(b, key, sub.ProjectID, victim)
	}
}

// killWhileTyping has what was typed outlast the victim, and be saved then.
func (s *service) killWhileTyping(b *tab, victim string) {
	s.t.Helper()
	text := "typed before the death of the " + victim
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const text = document.querySelector("#text");
		text.value = %q;
		text.dispatchEvent(new Event("input"));
	}; undefined`, text)))
	s.kill(victim)
	b.until(fmt.Sprintf(`document.querySelector("#text").value === %q && document.querySelector("[data-saved]").textContent === "Not saved yet."`, text))
	const save = `(() => {
		const said = document.querySelector("[data-saved]").textContent;
		if (said.startsWith("Not saved")) document.querySelector("[data-editor]").requestSubmit();
		return said.startsWith("Saved");
	})()`
	b.untilWithin(slow, save)
}

// killWhileSaving has a file be saved again and again, each time another text. What is there in
// the end was the last that was acknowledged, or one that was sent after it.
func (s *service) killWhileSaving(b *tab, victim string) {
	s.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`{
		const at = "/console/studio/" + document.querySelector("[data-project]").dataset.project + "/file";
		const saves = window.saves = { run: true, acked: 0, refused: 0, wrong: "" };
		const read = async () => {
			const res = await fetch(at + "?path=saves.txt").catch(() => null);
			if (res?.status === 404) return { text: "", sum: "" };
			return res?.ok ? { text: await res.text(), sum: res.headers.get("ETag").replaceAll('"', "") } : null;
		};
		saves.done = (async () => {
			let is = null;
			while (!is) is = await read();
			let sent = []; // since the last that was acknowledged
			for (let n = 0; saves.run; n++) {
				const text = "text " + n;
				sent.push(text);
				const body = new URLSearchParams({ path: "saves.txt", text, sha256: is.sum });
				const res = await fetch(at, { method: "POST", headers: { Accept: "application/json" }, body }).catch(() => null);
				const answer = await res?.json().catch(() => null);
				if (res?.ok && answer?.sha256) {
					is = { text, sum: answer.sha256 };
					saves.acked++;
					sent = [];
				} else {
					saves.refused++;
					const now = res?.status === 412 ? await read() : null;
					if (now && now.text !== is.text && !sent.includes(now.text)) saves.wrong = is.text + " became " + now.text;
					if (now) [is, sent] = [now, []];
				}
				await new Promise((done) => setTimeout(done, 100));
			}
			let now = null;
			while (!now) now = await read();
			if (now.text !== is.text && !sent.includes(now.text)) saves.wrong = is.text + " became " + now.text + " in the end";
		})();
	}; undefined`))
	b.untilWithin(slow, `saves.acked > 2`)
	s.kill(victim)
	b.do(chromedp.Evaluate[chromedp.Void](`saves.then = saves.acked; undefined`))
	b.untilWithin(slow, `saves.acked > saves.then + 2`)
	said := value(b, chromedp.Evaluate[string](`(async () => { saves.run = false; await saves.done; return saves.wrong; })()`, chromedp.EvalAwaitPromise))
	if said != "" {
		s.t.Errorf("what was acknowledged is lost: %s", said)
	}
}

// killWhileGoingBack has the project go back to its first version. That is done or not, and
// each of the last versions is whole.
func (s *service) killWhileGoingBack(b *tab, victim string) {
	s.t.Helper()
	const project = `const at = "/console/studio/" + document.querySelector("[data-project]").dataset.project;
		const state = async () => {
			const res = await fetch(at + "/state", { headers: { Accept: "application/json" } }).catch(() => null);
			const is = res?.ok ? await res.json() : null;
			return is?.engine.ready ? is : null;
		};
		let now = null;
		while (!now) { now = await state(); await new Promise((done) => setTimeout(done, 100)); }`
	b.do(chromedp.Evaluate[chromedp.Void](`(async () => {
		`+project+`
		window.back = fetch(at + "/restore", { method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams({ rev: 1, head: now.workspace.head }) }).catch(() => null);
	})()`, chromedp.EvalAwaitPromise))
	s.kill(victim)
	said := value(b, chromedp.Evaluate[[]string](`(async () => {
		await back;
		`+project+`
		const wrong = [];
		const sum = async (path, rev) => (await fetch(at + "/file?" + new URLSearchParams({ path, rev }))).headers.get("ETag");
		for (const { path, made } of now.workspace.files) {
			if (!made && await sum(path, 0) !== await sum(path, now.workspace.head)) wrong.push(path + " is not that of r" + now.workspace.head);
		}
		for (const { id } of now.revisions.slice(0, 12)) {
			const res = await fetch(at + "/zip?rev=" + id);
			if (!res.ok || (await res.arrayBuffer()).byteLength < 100) wrong.push("r" + id + " can't be read: " + res.status);
		}
		return wrong;
	})()`, chromedp.EvalAwaitPromise))
	if len(said) > 0 {
		s.t.Errorf("after going back: %q", said)
	}
}

// killWhileFollowing has a page follow a job: each of its events comes once, in order. A stream
// that is refused while a part is away is asked for anew, from the first event.
func (s *service) killWhileFollowing(b *tab, key apiKey, project, victim string) {
	s.t.Helper()
	sub := s.generate(key, project, "faster")
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const events = window.events = {};
		const open = () => {
			Object.assign(events, { ids: [], end: "" });
			const source = new EventSource("/console/jobs/%s/events");
			for (const type of %q.split(" ")) {
				source.addEventListener(type, (event) => {
					events.ids.push(Number(event.lastEventId));
					if (!["job.completed", "job.failed", "job.cancelled"].includes(type)) return;
					events.end = type;
					source.close();
				});
			}
			source.addEventListener("error", () => { if (source.readyState === EventSource.CLOSED) setTimeout(open, 300); });
		};
		open();
	}; undefined`, sub.JobID, "job.queued job.started job.progress assistant.delta assistant.message tool.call tool.result file.changed asset.created build.result audit.result playtest.result fix.applied usage warning job.completed job.failed job.cancelled")))
	b.until(`events.ids.length > 0`)
	s.kill(victim)
	b.untilWithin(slow, `events.end !== ""`)
	job := s.finish(key, sub)
	if spares(victim) && job.Status != api.JobCompleted {
		s.t.Errorf("the job ended as %s, %+v", job.Status, job.Failure)
	}
	ids := value(b, chromedp.Evaluate[[]int](`events.ids`))
	if end := value(b, chromedp.Evaluate[string](`events.end`)); end != "job."+string(job.Status) {
		s.t.Errorf("the page saw the end %q of a job that %s", end, job.Status)
	}
	for i, id := range ids {
		if id != ids[0]+i {
			s.t.Fatalf("the events came as %v", ids)
		}
	}
	if resp := s.events(key, sub, ""); resp.StatusCode != http.StatusOK || len(s.readEvents(resp.Body)) != len(ids) {
		s.t.Errorf("the page saw %d events, not those of the API", len(ids))
	}
}
