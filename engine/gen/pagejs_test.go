package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/engine/gen/playtest"
)

// hostPage opens the page around a published game with what it kept before, an object's
// text, and no game.
func hostPage(t *testing.T, before string) *playtest.Page {
	t.Helper()
	script, err := os.ReadFile("../../sidecar/play/static/page.js")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	html := fmt.Sprintf(`<!doctype html><link rel="icon" href="data:,"><body>
<iframe id="game" data-game="g" data-endpoint="https://ingest.example/g/v1" data-base="/play/g"></iframe>
<button id="full"></button><button id="report"></button><form id="reasons"><select id="reason"></select></form><button id="forget"></button><span id="done"></span>
<script>
const kept = new Map(); // all pages of files have one storage
Object.defineProperty(window, 'localStorage', { value: {
	getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => { kept.set(k, String(v)); }, removeItem: (k) => { kept.delete(k); },
} });
const place = 'svc-kept:g';
const id = (n) => String(n).padStart(32, '0');
const before = %s;
if (before) localStorage.setItem(place, JSON.stringify(before));
window.requests = [];
window.late = []; // answers that are held up where the page is slow
window.status = '';
window.fetch = (url, init) => {
	window.requests.push({ url, body: init.body });
	const answer = new Response(url.endsWith('/token') ? '{"token":"new"}' : '{}', { status: 200 });
	return new Promise((done) => (window.slow ? late.push(() => done(answer)) : done(answer)));
};
const game = document.getElementById('game');
const says = (data) => window.dispatchEvent(new MessageEvent('message', { source: game.contentWindow, data }));
const batch = (n, bytes) => JSON.stringify({ v: 1, s: id(n), e: [[1, 0, 'jump', { text: 'x'.repeat(bytes) }], [2, 0, 'end', {}]] });
const held = () => JSON.parse(localStorage.getItem(place) || '{}');
window.__svc_state = () => ({ phase: 'ready', hud: [{}] });
</script><script src="page.js"></script>`, before)
	for name, data := range map[string]string{"index.html": html, "page.js": string(script)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, browser(t), "file://"+filepath.ToSlash(filepath.Join(dir, "index.html")), 480, 720)
}

func TestPageKeepsWhatItsGameCouldNotSend(t *testing.T) {
	page := hostPage(t, "null")
	holds(t, page, "all streams are kept, until they are sent", `(() => {
		says({ svcStream: id(1), batch: batch(1, 40000) });
		says({ svcStream: id(2), batch: batch(2, 40000) });
		says({ svcStream: id(3), batch: '{"v":1,"run":1}', path: '/s' });
		says({ svcStream: 'x', batch: '{}' });
		window.dispatchEvent(new MessageEvent('message', { source: window, data: { svcStream: id(4), batch: '{}' } }));
		const all = held();
		says({ svcStream: id(2), batch: null });
		return Object.keys(all).length === 3 && all[id(1)].batch.length > 40000 && all[id(3)].path === '/s' && Object.keys(held()).length === 2;
	})()`)
	holds(t, page, "of the oldest its last event stays where there is no room", `(() => {
		for (let n = 10; n < 30; n++) says({ svcStream: id(n), batch: batch(n, 30000) + '\n' + batch(n, 10000) });
		const all = held(), first = JSON.parse(all[id(1)].batch);
		return localStorage.getItem(place).length <= 524288 && first.e.length === 1 && first.e[0][0] === 2 && all[id(29)].batch.split('\n').length === 2;
	})()`)
	holds(t, page, "a page that is come back to after hours gets another token", `(async () => {
		const told = [];
		game.contentWindow.addEventListener('message', (e) => told.push(e.data.svcHost.token));
		document.dispatchEvent(new Event('visibilitychange'));
		const real = Date.now;
		Date.now = () => real() + 7 * 3600 * 1000;
		document.dispatchEvent(new Event('visibilitychange'));
		document.dispatchEvent(new Event('visibilitychange'));
		while (told.length === 0) await new Promise((next) => setTimeout(next, 0));
		return told.join() === 'new' && requests.filter((r) => r.url === '/play/g/token').length === 1;
	})()`)
}

func TestPageSendsWhatItKeptInOrder(t *testing.T) {
	page := hostPage(t, `{
		a: { at: Date.now() - 5000, batch: '{"n":1}\n{"n":2,"age":3}' }, b: { at: Date.now() - 5000, batch: 'no JSON' },
		c: { at: Date.now() - 5000, batch: '{"n":3}', path: '/s' },
	}`)
	holds(t, page, "each at its address, as old as it is", `(async () => {
		while (requests.length < 3 || localStorage.getItem(place)) await new Promise((next) => setTimeout(next, 0));
		const sent = requests.map((r) => r.url.slice(-2) + JSON.parse(r.body).n).join();
		return sent === '/b1,/b2,/s3' && requests.every((r) => JSON.parse(r.body).age >= 5000 && JSON.parse(r.body).age < 60000);
	})()`)
}

func TestPageOfAPlayerWhoIsForgottenSendsAndKeepsNothingMore(t *testing.T) {
	page := hostPage(t, `(window.slow = true, { [id(1)]: { at: Date.now(), batch: '{"n":1}\n{"n":2}' }, [id(2)]: { at: Date.now(), batch: '{"n":3}' } })`)
	holds(t, page, "what was kept goes unsent, and what the game says as it ends is not kept", `(async () => {
		const turn = () => new Promise((next) => setTimeout(next, 0));
		const said = { source: game.contentWindow, data: { svcStream: id(3), batch: '{}' } };
		while (late.length === 0) await turn();
		document.getElementById('forget').click();
		window.dispatchEvent(new MessageEvent('message', said));
		late.shift()();
		for (let n = 0; n < 20; n++) await turn();
		return requests.length === 1 && localStorage.getItem(place) === null && document.getElementById('game') === null;
	})()`)
}
