package contract

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/test/wait"
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
	forged := newAuthority(t).issue(wire.ProxyName)
	for what, shown := range map[string][]tls.Certificate{
		"nothing": nil, "another engine's certificate": {r.issue(wire.EngineName(api.NewInstanceID(time.Now())))},
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
	record := e.feed.finish(id)
	if record.Status != api.JobCompleted {
		t.Fatalf("the job: %+v", record)
	}
	e.restart() // another port, another certificate
	e.checkEnded(e.status(id))
}

func noPlainListener(t *testing.T, target Target) {
	e := newRemote(t, target)
	cmd := e.command()
	var args []string
	for i := 0; i < len(cmd.Args); i++ {
		if strings.HasPrefix(cmd.Args[i], "--tls-") {
			i++
			continue
		}
		args = append(args, cmd.Args[i])
	}
	cmd.Args = args
	e.launchAs(cmd)
	wait.For(t, "the end of an engine without certificates", e.ended)
	if text := e.log.String(); exitCode(e.err) != 1 || strings.Count(text, "\n") != 1 {
		t.Errorf("exit code %d and %q", exitCode(e.err), text)
	}
	e.cmd = nil
}

func modelsOfProxyAlone(t *testing.T, target Target) {
	e := newRemote(t, target)
	other := e.remote.serveModels(e, e.remote.issue(wire.EngineName(api.NewInstanceID(time.Now()))), says("nothing"))
	e.start()
	record := e.feed.finish(e.acceptRequest(asking()))
	if record.Status != api.JobCompleted {
		t.Errorf("the job beside another endpoint: %+v", record)
	}
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
