package gen

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/test/wait"
)

// svcPage opens a page that holds nothing but the svc library, after a script
// of its host. What the library would do after seconds it never does: how many
// of them a test takes is the machine's.
func svcPage(t *testing.T, host string) *playtest.Page {
	t.Helper()
	library, err := kit.Source("page/svc.js")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	html := fmt.Sprintf(`<!doctype html><link rel="icon" href="data:,"><body><script>
window.requests = [];
window.answer = { status: 200, body: {} };
window.fetch = (url, init) => { window.requests.push({ url, method: init.method, auth: init.headers.Authorization || '', body: init.body || '' }); return Promise.resolve(new Response(JSON.stringify(window.answer.body), { status: window.answer.status })); };
const soon = window.setTimeout.bind(window);
window.setTimeout = (run, ms, ...args) => (ms >= 1000 ? -1 : soon(run, ms, ...args));
%s
window.__svc_state = () => ({ phase: 'ready', hud: [{}] });
</script><script src="svc.js"></script>`, host)
	for name, data := range map[string]string{"index.html": html, "svc.js": string(library)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, browser(t), "file://"+filepath.ToSlash(filepath.Join(dir, "index.html")), 480, 720)
}

// holds evaluates a condition, waiting for a promise.
func holds(t *testing.T, page *playtest.Page, what, condition string) {
	t.Helper()
	ctx, cancel := wait.Context(t)
	defer cancel()
	defer context.AfterFunc(ctx, page.Close)() // it may wait for what never comes
	ok, err := playtest.Eval[bool](page, condition)
	if err != nil || !ok {
		t.Errorf("%s: not so (%v)", what, err)
	}
}

func TestSvcHasAllSevenCallsAndBuffersLocallyWithoutAHost(t *testing.T) {
	page := svcPage(t, "")
	holds(t, page, "all seven calls are there", `['ready', 'define', 'track', 'funnel', 'endGame', 'debug', 'health'].every((name) => typeof svc[name] === 'function')`)
	holds(t, page, "ready calls back with the variants", `new Promise((done) => svc.ready((info) => done(typeof info.variants === 'object')))`)
	holds(t, page, "a session is tracked by itself", `svc.debug().buffered.some((e) => e.name === 'session_start')`)
	holds(t, page, "a defined event that fits is recorded", `(svc.define('jump', { height: 'number' }), svc.track('jump', { height: 3 }) === true && svc.debug().buffered.some((e) => e.name === 'jump' && e.props.height === 3))`)
	holds(t, page, "one that does not fit is refused", `svc.track('jump', { height: 'high' }) === false && svc.track('jump', {}) === false && svc.debug().rejected === 2`)
	holds(t, page, "debug names what is defined", `svc.debug().defined.includes('jump') && svc.debug().gameId === null && svc.debug().endpoint === null`)
	holds(t, page, "funnel steps chain and are reached once", `(svc.funnel('f').step(1, 'start').step(2, 'end'), svc.track('start', {}), svc.track('start', {}), svc.debug().buffered.filter((e) => e.name === 'funnel_step').length === 1)`)
	holds(t, page, "endGame answers once a run", `new Promise((done) => svc.endGame({ outcome: 'win', score: 7 }, (first) => svc.endGame({ outcome: 'win', score: 8 }, (second) => done(first.ok === true && second.ok === false && svc.debug().buffered.filter((e) => e.name === 'end').length === 1))))`)
	holds(t, page, "a new run may end again", `new Promise((done) => { svc.track('start', {}); svc.endGame({ outcome: 'lose', score: 1 }, (r) => done(r.ok)); })`)
	holds(t, page, "health says unhosted", `svc.health().then((h) => h.ok === false && h.ms === 0 && h.status === 'unhosted')`)
	holds(t, page, "the buffer is bounded", `(() => { for (let i = 0; i < 500; i++) svc.track('many', { i }); return svc.debug().buffered.length <= 200; })()`)
	holds(t, page, "nothing was sent", `window.requests.length === 0`)
}

func TestSvcTakesItsIdentityFromTheHostOnly(t *testing.T) {
	page := svcPage(t, `window.__SVC__ = { gameId: 'g1', key: 'the-key', endpoint: 'https://ingest.example/v1/', variants: { color: 'b' } };`)
	holds(t, page, "identity and variants are the host's", `new Promise((done) => svc.ready((info) => done(info.variants.color === 'b' && svc.debug().gameId === 'g1' && svc.debug().endpoint === 'https://ingest.example/v1/')))`)
	holds(t, page, "the key is not shown", `!JSON.stringify(svc.debug()).includes('the-key')`)
	holds(t, page, "health pings the endpoint", `svc.health().then((h) => h.ok === true && h.status === 200 && typeof h.ms === 'number' && requests.some((r) => r.url === 'https://ingest.example/v1/health' && r.auth === 'Bearer the-key'))`)
	holds(t, page, "endGame submits to the leaderboard and tells the rank", `(window.answer.body = { rank: 2, top: [{ name: '<b>a</b>', score: 9 }] }, new Promise((done) => svc.endGame({ outcome: 'win', score: 5 }, (r) => done(r.rank === 2 && requests.some((q) => q.url.endsWith('/leaderboard') && JSON.parse(q.body).score === 5) && document.body.innerHTML.includes('&lt;b&gt;a')))))`)
}

func TestSvcTracksOnlySessionsOnceTheBalanceIsUsedUp(t *testing.T) {
	page := svcPage(t, `window.__SVC__ = { gameId: 'g1', key: 'k1', endpoint: 'https://ingest.example/v1' }; window.answer.status = 402;`)
	const helpers = `
		const sent = () => requests.filter((r) => r.url.endsWith('/events')).map((r) => JSON.parse(r.body).events.map((e) => e.name).join(' '));
		const until = async (there) => { while (!there()) await new Promise((next) => setTimeout(next, 0)); };
		const leave = () => window.dispatchEvent(new Event('pagehide')); // which sends what is buffered
	`
	holds(t, page, "the sessions of a refused batch go out by themselves", `(async () => { `+helpers+`
		svc.track('jump', {});
		leave();
		await until(() => sent().length === 2);
		return sent()[0] === 'session_start jump session_end' && sent()[1] === 'session_start session_end' && svc.debug().essential;
	})()`)
	holds(t, page, "nothing but sessions is tracked from then on", `(async () => { `+helpers+`
		await until(() => svc.debug().buffered.length === 0);
		svc.track('jump', {});
		leave();
		await until(() => sent().length === 3);
		return sent()[2] === 'session_end';
	})()`)
	holds(t, page, "the game's end is answered all the same", `new Promise((done) => svc.endGame({ outcome: 'win', score: 1 }, (r) => done(r.ok === true && !requests.some((q) => q.url.endsWith('/leaderboard')))))`)
}

func TestGameTellsSvcWhatHappens(t *testing.T) {
	page := open(t, browser(t), realGame(t, briefs["hop"]), 480, 720)
	tap(t, page)
	run(t, page, "skilled", 60*8)
	over := run(t, page, "idle", 60*60)
	if over.Phase != "over" {
		t.Fatalf("the game did not end: %+v", over)
	}
	tap(t, page)
	run(t, page, "idle", 60)
	holds(t, page, "the run's events are in order", `(() => { const names = svc.debug().buffered.map((e) => e.name); const at = (n) => names.indexOf(n); return at('loaded') >= 0 && at('start') > at('session_start') && at('score') > at('start') && at('end') > at('score') && names.filter((n) => n === 'end').length === 1; })()`)
	holds(t, page, "the end carries outcome and score", fmt.Sprintf(`svc.debug().buffered.some((e) => e.name === 'end' && e.props.outcome === 'lose' && e.props.score === %v)`, over.Score))
}
