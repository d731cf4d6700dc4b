package contract

import (
	"crypto/tls"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
)

// elsewhereCases are about an engine on another machine than the engine proxy.
var elsewhereCases = []named{
	{"EngineProxyAloneIsLetIn", proxyAlone},
	{"TokenIsAskedForToo", tokenToo},
	{"JobRunsAsOnASocket", jobRunsElsewhere},
	{"NoListenerWithoutTLS", noPlainListener},
	{"ModelsAreAskedOfTheEngineProxyAlone", modelsOfProxyAlone},
}

func proxyAlone(t *testing.T, target Target) {
	e := newRemote(t, target)
	e.start()
	r := e.remote
	forged := newInstallation(t).issue(wire.ProxyName)
	for what, shown := range map[string][]tls.Certificate{
		"nothing": nil, "another engine's certificate": {r.issue(wire.EngineName(mint.NewInstanceID(time.Now())))},
		"its own certificate": {r.issue(wire.EngineName(e.instanceID))}, "the engine proxy's name from another authority": {forged},
	} {
		e.http = &http.Client{Transport: r.transport(e, shown...)}
		if a, err := e.try(call{path: wire.PathReady}); err == nil {
			t.Errorf("who shows %s is let in: %d %s", what, a.status, a.body)
		}
	}
	old := r.transport(e, r.proxy)
	old.TLSClientConfig.MaxVersion = tls.VersionTLS12
	e.http = &http.Client{Transport: old}
	if a, err := e.try(call{path: wire.PathReady}); err == nil {
		t.Errorf("TLS 1.2 is spoken: %d", a.status)
	}
	res, err := http.Get("http://" + r.address + wire.PathReady)
	if err == nil {
		res.Body.Close()
		if res.StatusCode < http.StatusBadRequest {
			t.Errorf("plain HTTP: %s", res.Status)
		}
	}
	e.http = &http.Client{Transport: r.transport(e, r.proxy)}
	e.expect("the engine proxy itself", e.get(wire.PathReady), http.StatusOK)
}

func tokenToo(t *testing.T, target Target) {
	e := newRemote(t, target)
	e.start()
	for _, token := range []string{" ", "Bearer x"} {
		e.expectError("the engine proxy without the token", e.do(call{path: wire.PathReady, token: token}), http.StatusUnauthorized)
	}
}

func jobRunsElsewhere(t *testing.T, target Target) {
	e := newRemote(t, target)
	e.start()
	id := e.accept()
	e.checkCompleted("the job", e.feed.finish(id))
	e.restart() // another port, another certificate
	e.checkEnded(e.status(id))
}

func noPlainListener(t *testing.T, target Target) {
	e := newRemote(t, target)
	cmd := e.command()
	first := slices.IndexFunc(cmd.Args, func(arg string) bool { return strings.HasPrefix(arg, "--tls-") })
	cmd.Args = slices.Delete(cmd.Args, first, first+6) // three flags, each with its file
	e.checkFault("an engine without certificates", cmd)
}

func modelsOfProxyAlone(t *testing.T, target Target) {
	e := newRemote(t, target)
	other := e.remote.serveModels(e, e.remote.issue(wire.EngineName(mint.NewInstanceID(time.Now()))), says("nothing"))
	e.start()
	e.checkCompleted("the job beside another endpoint", e.feed.finish(e.acceptRequest(asking())))
	if n := other.requests(); n != 0 {
		t.Errorf("the other endpoint was sent %d requests", n)
	}
	e.kill()

	known := e.remote.serveModels(e, e.remote.proxy, says("nothing"))
	e.start()
	e.feed.rewind()
	e.feed.finish(e.acceptRequest(asking()))
	if known.requests() == 0 {
		target.askedNone(t)
	}
	for _, name := range known.shown() {
		if name != wire.EngineName(e.instanceID) {
			t.Errorf("the engine asks with the certificate of %q", name)
		}
	}
}
