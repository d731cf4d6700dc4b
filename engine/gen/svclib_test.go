package gen

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	esbuild "github.com/evanw/esbuild/pkg/api"

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
	html := fmt.Sprintf(`<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body><script>
const kept = new Map(); // all pages of files have one storage, with what others kept at their end
Object.defineProperty(window, 'localStorage', { value: { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => { kept.set(k, String(v)); } } });
window.requests = [];
window.answer = { status: 200, body: {} };
window.fetch = (url, init) => { window.requests.push({ url, method: init.method, headers: init.headers || null, keepalive: init.keepalive === true, body: init.body || '' }); return window.answer.lost ? Promise.reject(new TypeError('offline')) : Promise.resolve(new Response(JSON.stringify(window.answer.body), { status: window.answer.status })); };
const soon = window.setTimeout.bind(window);
window.timers = []; // of a second and more
window.setTimeout = (run, ms, ...args) => (ms >= 1000 ? -window.timers.push({ ms, run: () => run(...args) }) : soon(run, ms, ...args));
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
	holds(t, page, "and so are the library's own names", `['session_start', 'heartbeat', 'session_end', 'exposure'].every((name) => svc.track(name, { level: 7 }) === false) && svc.debug().buffered.length === 2`)
	holds(t, page, "debug names what is defined", `svc.debug().defined.includes('jump') && svc.debug().gameId === null && svc.debug().endpoint === null`)
	holds(t, page, "funnel steps chain and are reached once", `(svc.funnel('f').step(1, 'start').step(2, 'end'), svc.track('start', {}), svc.track('start', {}), svc.debug().buffered.filter((e) => e.name === 'funnel_step').length === 1)`)
	holds(t, page, "endGame answers once a run", `new Promise((done) => svc.endGame({ outcome: 'win', score: 7 }, (first) => svc.endGame({ outcome: 'win', score: 8 }, (second) => done(first.ok === true && second.ok === false && svc.debug().buffered.filter((e) => e.name === 'end').length === 1))))`)
	holds(t, page, "a new run may end again", `new Promise((done) => { svc.track('start', {}); svc.endGame({ outcome: 'lose', score: 1 }, (r) => done(r.ok)); })`)
	holds(t, page, "health says unhosted", `svc.health().then((h) => h.ok === false && h.ms === 0 && h.status === 'unhosted')`)
	holds(t, page, "the buffer is bounded", `(() => { for (let i = 0; i < 500; i++) svc.track('many', { i }); return svc.debug().buffered.length <= 200; })()`)
	holds(t, page, "nothing was sent", `window.requests.length === 0`)
}

// host is a page of one's own that hosts the game.
const host = `window.__SVC__ = { gameId: '0123456789abcdef01234567', key: 'pk-x', endpoint: 'https://ingest.example/g/v1/', build: 'job_1', variants: { color: 'b' } };`

// hostHelpers are for conditions on a hosted page.
const hostHelpers = `
	const batches = () => requests.filter((r) => r.url === 'https://ingest.example/g/v1/b').map((r) => JSON.parse(r.body));
	const names = (b) => b.e.map((row) => row[2]).join(' ');
	const sent = async (n) => {
		while (batches().length < n) await new Promise((next) => setTimeout(next, 0));
		if (batches().length > n) throw new Error('sent were ' + batches().map(names).join('|'));
	};
	const send = () => window.dispatchEvent(new Event('online'));
	const leave = () => window.dispatchEvent(new Event('pagehide'));
	const settled = () => new Promise((next) => setTimeout(next, 20));
	const accept = (ack) => { window.answer = { status: 200, body: { ack, mode: 'full' } }; };
`

func TestSvcIsSmall(t *testing.T) {
	library, err := kit.Source("page/svc.js")
	if err != nil {
		t.Fatal(err)
	}
	small := esbuild.Transform(string(library), esbuild.TransformOptions{MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true})
	if len(small.Errors) > 0 || len(small.Code) > 8000 {
		t.Errorf("svc.js has %d bytes minified, 8,000 are allowed; %v", len(small.Code), small.Errors)
	}
}

func TestSvcTakesItsIdentityFromTheHostOnly(t *testing.T) {
	page := svcPage(t, host)
	holds(t, page, "identity and variants are the host's", `new Promise((done) => svc.ready((info) => done(info.variants.color === 'b' && svc.debug().gameId === '0123456789abcdef01234567' && svc.debug().endpoint === 'https://ingest.example/g/v1/')))`)
	holds(t, page, "a variant that was read is reported once", `(() => { const read = svc.debug().buffered.filter((e) => e.name === 'exposure'); return read.length === 1 && read[0].props.k === 'color' && read[0].props.v === 'b'; })()`)
	holds(t, page, "the key is not shown", `!JSON.stringify(svc.debug()).includes('pk-x')`)
	holds(t, page, "health pings the endpoint", `svc.health().then((h) => h.ok === true && h.status === 200 && typeof h.ms === 'number' && requests.some((r) => r.url === 'https://ingest.example/g/v1/h'))`)
	holds(t, page, "the game's end is answered at once", `new Promise((done) => svc.endGame({ outcome: 'win', score: 5 }, (r) => done(r.ok === true && r.rank === null)))`)
}

func TestSvcSendsEventsInOrderWithoutAPreflight(t *testing.T) {
	page := svcPage(t, host)
	holds(t, page, "a batch says whose it is, and numbers its events", `(async () => { `+hostHelpers+`
		svc.define('jump', { height: 'number' });
		svc.funnel('run').step(1, 'start').step(2, 'end');
		svc.track('start', {});
		svc.track('jump', { height: 3 });
		send();
		await sent(1);
		const b = batches()[0];
		return b.v === 1 && b.k === 'pk-x' && b.g === '0123456789abcdef01234567' && b.b === 'job_1' && /^[0-9a-f]{32}$/.test(b.s) && /^[0-9a-f]{32}$/.test(b.p)
			&& b.o >= 0 && b.act >= 0 && b.x.color === 'b' && b.defs.jump.height === 'number' && b.fun.run.join() === 'start,end'
			&& names(b) === 'session_start start jump' && b.e.every((row, i) => row[0] === i + 1 && row.length === 4) && b.e[2][3].height === 3;
	})()`)
	holds(t, page, "it is a request that needs no preflight", `requests.every((r) => r.headers === null && typeof r.body === 'string')`)
}

func TestSvcSendsAgainUntilItIsAcknowledged(t *testing.T) {
	page := svcPage(t, host+` window.answer.status = 503;`)
	holds(t, page, "what is refused for now comes again, with what came meanwhile", `(async () => { `+hostHelpers+`
		send();
		await sent(1);
		await settled();
		svc.track('jump', {});
		window.answer.lost = true;
		send();
		await sent(2);
		await settled();
		accept(1);
		send();
		await sent(3);
		await settled();
		accept(2);
		send();
		await sent(4);
		await settled();
		return batches().map(names).join('|') === 'session_start|session_start jump|session_start jump|jump' && svc.debug().buffered.length === 0;
	})()`)
	holds(t, page, "a batch that is malformed does not", `(async () => { `+hostHelpers+`
		svc.track('jump', {});
		window.answer = { status: 400, body: { error: 'no' } };
		send();
		await sent(5);
		await settled();
		return svc.debug().buffered.length === 0 && svc.debug().problem === 'no';
	})()`)
	holds(t, page, "nothing is sent with a key that is not taken", `(async () => { `+hostHelpers+`
		window.answer = { status: 401, body: { error: 'key' } };
		svc.track('jump', {});
		send();
		await sent(6);
		await settled();
		svc.track('jump', {});
		send();
		leave();
		await settled();
		return batches().length === 6 && svc.track('jump', {}) === true;
	})()`)
}

func TestSvcKeepsForTheNextLoadWhatIsNotAcknowledged(t *testing.T) {
	page := svcPage(t, host+` window.answer.lost = true;
		localStorage.setItem('svc.streams:0123456789abcdef01234567', JSON.stringify({ old: { at: Date.now() - 5000, batch: '{"v":1,"age":2,"e":[]}' }, bad: { at: 1, batch: '}' } }));`)
	holds(t, page, "what an earlier load kept is sent, as old as it is", `(async () => { `+hostHelpers+`
		await sent(1);
		return batches()[0].age >= 5002 && batches()[0].age < 60000;
	})()`)
	holds(t, page, "a page that closes sends all that is left, and keeps it", `(async () => { `+hostHelpers+`
		svc.track('jump', {});
		leave();
		await sent(2);
		const kept = JSON.parse(localStorage.getItem('svc.streams:0123456789abcdef01234567'));
		return names(batches()[1]) === 'session_start jump session_end' && requests.every((r) => !r.url.endsWith('/b') || r.keepalive || batches().length > 0)
			&& names(JSON.parse(kept[svc.debug().session].batch)) === 'session_start jump session_end' && 'old' in kept;
	})()`)
	holds(t, page, "what is acknowledged is kept no longer", `(async () => { `+hostHelpers+`
		await settled();
		accept(3);
		send();
		await sent(3);
		await settled();
		return !(svc.debug().session in JSON.parse(localStorage.getItem('svc.streams:0123456789abcdef01234567')));
	})()`)
}

func TestSvcKeepsAllOfALongTimeOffline(t *testing.T) {
	page := svcPage(t, host+` window.answer.lost = true; let at = performance.now(); performance.now = () => at;`)
	holds(t, page, "all events are kept in order, in batches that a request holds", `(async () => { `+hostHelpers+`
		for (let i = 0; i < 400; i++) { at += 100; svc.track('jump', { i }); }
		leave();
		await settled();
		const lines = JSON.parse(localStorage.getItem('svc.streams:0123456789abcdef01234567'))[svc.debug().session].batch.split('\n');
		const rows = lines.map((line) => JSON.parse(line).e);
		return rows.map((e) => e.length).join() === '250,152' && rows.flat().every((row, i) => row[0] === i + 1);
	})()`)
	holds(t, page, "and so is the end of a run, until it is answered", `(async () => { `+hostHelpers+`
		const ends = () => Object.values(JSON.parse(localStorage.getItem('svc.streams:0123456789abcdef01234567'))).filter((one) => one.path === '/s');
		svc.track('start', {});
		svc.endGame({ score: 7 });
		await settled();
		if (ends().length !== 1 || JSON.parse(ends()[0].batch).score !== 7) return false;
		window.answer = { status: 200, body: { ok: true, rank: 1, top: [], rewards: [] } };
		timers.find((one) => one.ms === 4000).run();
		await settled();
		return ends().length === 0;
	})()`)
	page = svcPage(t, host+` localStorage.setItem('svc.streams:0123456789abcdef01234567', JSON.stringify({
		old: { at: Date.now() - 5000, batch: '{"n":1}\n{"n":2,"age":3}' }, run: { at: Date.now() - 5000, batch: '{"n":3}', path: '/s' } }));`)
	holds(t, page, "the next load sends it", `(async () => { `+hostHelpers+`
		await settled();
		const told = requests.map((r) => r.url.slice(-2) + JSON.parse(r.body).n).sort().join();
		return told === '/b1,/b2,/s3' && requests.every((r) => JSON.parse(r.body).age >= 5000)
			&& localStorage.getItem('svc.streams:0123456789abcdef01234567') === '{}';
	})()`)
}

func TestSvcTakesAnotherTokenOfItsPage(t *testing.T) {
	page := svcPage(t, host)
	holds(t, page, "what is sent from then on has it", `(async () => { `+hostHelpers+`
		window.postMessage({ svcHost: { token: 'new' } }, '*');
		await settled();
		send();
		await sent(1);
		return batches()[0].t === 'new';
	})()`)
}

func TestSvcTracksOnlySessionsOnceTheBalanceIsUsedUp(t *testing.T) {
	page := svcPage(t, host+` window.answer = { status: 402, body: { ack: 2, mode: 'essential', retry: 60 } };`)
	holds(t, page, "nothing but sessions is tracked from then on", `(async () => { `+hostHelpers+`
		svc.track('jump', {});
		send();
		await sent(1);
		await settled();
		if (!svc.debug().essential || svc.debug().buffered.length !== 0 || svc.track('jump', {}) !== true) return false;
		leave();
		await sent(2);
		return names(batches()[1]) === 'session_end';
	})()`)
	holds(t, page, "whether it is topped up is asked each minute", `(async () => { `+hostHelpers+`
		await settled();
		window.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }));
		timers.findLast((one) => one.ms === 30000).run();
		await sent(3);
		await settled();
		return names(batches()[2]) === 'session_end heartbeat' && timers.some((one) => one.ms === 60000);
	})()`)
	holds(t, page, "all is again once it is topped up", `(async () => { `+hostHelpers+`
		await settled();
		accept(4);
		send();
		await sent(4);
		await settled();
		svc.track('jump', {});
		return !svc.debug().essential && svc.debug().buffered.length === 1;
	})()`)
}

func TestSvcCountsWhatComesTooOftenAndKeepsTheLast(t *testing.T) {
	page := svcPage(t, host)
	holds(t, page, "scores within five seconds are one", `(async () => { `+hostHelpers+`
		const stands = performance.now();
		performance.now = () => stands;
		svc.track('start', {});
		for (let i = 1; i <= 12; i++) svc.track('score', { score: i });
		svc.endGame({ outcome: 'lose', score: 12 });
		const said = svc.debug().buffered.map((e) => e.name + ' ' + JSON.stringify(e.props));
		return said.slice(1).join() === 'start {},score {"score":1},score {"n":11,"score":12},end {"outcome":"lose","score":12}';
	})()`)
	holds(t, page, "what is held back is sent five seconds later, whatever else comes", `(async () => { `+hostHelpers+`
		send();
		await sent(1);
		await settled();
		const before = timers.length;
		svc.track('score', { score: 13 });
		const due = timers.slice(before);
		if (due.length !== 1 || due[0].ms !== 5000 || svc.debug().buffered.some((e) => e.props.score === 13)) return false;
		due[0].run();
		await sent(2);
		return JSON.stringify(batches()[1].e.map((row) => row.slice(2))) === '[["score",{"score":13}]]';
	})()`)
	holds(t, page, "more than a game can mean is dropped and counted", `(() => { for (let i = 0; i < 500; i++) svc.track('many', { i }); return svc.debug().buffered.length < 150 && svc.debug().lost > 350; })()`)
	holds(t, page, "what can't be written down is refused", `(() => { const round = {}; round.self = round; return svc.track('round', round) === false; })()`)
}

func TestSvcShowsTheRunsPlaceUntilItIsClosed(t *testing.T) {
	page := svcPage(t, host+` window.answer.body = { ok: true, rank: 2, best: 40, state: 'accepted', verified: false, note: 'to be verified', rewards: [{ id: 'a', name: '<i>First</i>', icon: '*' }],
		top: [{ rank: 1, name: '<b>Otter</b>', score: 50, verified: true }, { rank: 2, name: 'Wren', score: 40, you: true }] };`)
	const end = `const end = (result) => new Promise((done) => { svc.track('start', {}); svc.endGame(result, done); });
		const panel = () => document.querySelector('[role=status]');`
	holds(t, page, "one call has the place, the best and the rewards", `(async () => { `+end+`
		const said = await end({ outcome: 'win', score: 40 });
		const sent = JSON.parse(requests.find((r) => r.url === 'https://ingest.example/g/v1/s').body);
		return said.ok && said.hosted && said.rank === 2 && said.rewards.length === 1 && sent.run === 1 && sent.score === 40 && sent.outcome === 'win'
			&& sent.ms >= 0 && sent.ms <= sent.o && sent.s === svc.debug().session && sent.k === 'pk-x';
	})()`)
	holds(t, page, "the run itself goes with its end, and not among the events", `(async () => { `+end+`
		await end({ outcome: 'win', score: 40, replay: '{"v":1}' });
		const sent = JSON.parse(requests.findLast((r) => r.url === 'https://ingest.example/g/v1/s').body);
		return sent.log === '{"v":1}' && svc.debug().buffered.every((e) => e.name !== 'end' || !('replay' in e.props));
	})()`)
	holds(t, page, "the panel shows texts and a button that closes it", `(() => { `+end+`
		const text = panel().textContent;
		if (!text.includes('Rank 2 (to be verified)') || !text.includes('1. <b>Otter</b> 50 ✓') || text.includes('40 ✓') || !text.includes('<i>First</i>') || panel().querySelector('b b, i')) return false;
		panel().querySelector('button').click();
		return panel() === null;
	})()`)
	holds(t, page, "it goes with Escape and with the next run", `(async () => { `+end+`
		await end({ score: 1 });
		window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
		if (panel()) return false;
		await end({ score: 1 });
		if (!panel()) return false;
		svc.track('start', {});
		return panel() === null;
	})()`)
	holds(t, page, "a game can show its own", `(async () => { `+end+` const said = await end({ score: 1, overlay: false }); return said.rank === 2 && panel() === null; })()`)
	holds(t, page, "a game goes on where the service does not answer", `(async () => { `+end+`
		window.answer = { lost: true };
		const lost = await end({ score: 1 });
		window.answer = { status: 503, body: {} };
		const down = await end({ score: 1 });
		window.answer = { status: 400, body: { error: 'no' } };
		const refused = await end({ score: 1 });
		return [lost, down, refused].every((said) => said.ok && !said.hosted && said.rank === null) && panel() === null;
	})()`)
}

func TestSvcNamesNobodyWhoIsNotToBeFollowedAndKeepsNothingOfThem(t *testing.T) {
	const quiet = `await settled();
		return batches().length === 1 && batches()[0].p === '' && kept.size === 0`
	for _, ask := range []string{"globalPrivacyControl", "doNotTrack"} {
		page := svcPage(t, host+` window.answer.lost = true; Object.defineProperty(navigator, '`+ask+`', { value: '1' });`)
		holds(t, page, "with "+ask+" there is no name and no storage, and events all the same", `(async () => { `+hostHelpers+`
			svc.track('jump', {});
			leave();
			`+quiet+` && names(batches()[0]) === 'session_start jump session_end';
		})()`)
	}
	page := svcPage(t, host+` window.__SVC__.consent = 'pending'; window.answer.lost = true;`)
	holds(t, page, "before consent sessions alone are reported", `(async () => { `+hostHelpers+`
		const said = await new Promise((done) => { svc.track('start', {}); svc.endGame({ score: 1 }, done); });
		leave();
		`+quiet+` && names(batches()[0]) === 'session_start session_end' && said.ok && !said.hosted && requests.every((r) => !r.url.endsWith('/s'));
	})()`)
	holds(t, page, "after a yes all is, under a name, from a new session on", `(async () => { `+hostHelpers+`
		const before = svc.debug().session;
		window.postMessage({ svcConsent: {} }, '*');
		while (svc.debug().session === before) await new Promise((next) => setTimeout(next, 0));
		svc.track('jump', {});
		return svc.debug().session !== before && svc.debug().buffered.some((e) => e.name === 'jump') && kept.size === 1;
	})()`)
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
