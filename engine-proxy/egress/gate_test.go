package egress_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/test/child"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/wait"
)

func TestSuiteHoldsForEnginesElsewhere(t *testing.T) {
	t.Parallel()
	if elsewhere {
		t.Skip("this is the run")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), self, "-test.skip", "Elsewhere|Gate|Socket", "-test.timeout", "15m")
	run.Env = append(os.Environ(), elsewhereVariable+"=1")
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	if err := errors.Join(child.Start(run), run.Wait()); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
}

// newGateRig is a rig whose engine comes by the gate.
func newGateRig(t *testing.T) *rig {
	t.Helper()
	return newRigAt(t, true, nil)
}

// dial connects to the gate, handshake and the engine's first look included.
func (r *rig) dial(config *tls.Config) (net.Conn, error) {
	conn, err := tls.Dial("tcp", strings.TrimPrefix(r.url, "https://"), config)
	if err != nil {
		return nil, err
	}
	// With TLS 1.3 the client learns of a refusal when it reads.
	if _, err = io.WriteString(conn, "GET /v1/models HTTP/1.1\r\nHost: e\r\nAuthorization: Bearer "+token+"\r\n\r\n"); err == nil {
		_, err = io.ReadFull(conn, make([]byte, len("HTTP/1.1 200")))
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func TestGateLetsInTheEnginesThatRunAndNobodyElse(t *testing.T) {
	t.Parallel()
	r := newGateRig(t)
	nobody := r.config.Clone()
	nobody.Certificates = nil
	forged := engineConfig(t, newAuthority(t), instance)
	forged.RootCAs = r.config.RootCAs
	for name, config := range map[string]*tls.Config{
		"no certificate":                     nobody,
		"an engine that does not run":        engineConfig(t, r.trusted, "01JD0000000000000000000009"),
		"a certificate of another authority": forged,
	} {
		if conn, err := r.dial(config); err == nil {
			t.Errorf("%s was let in", name)
			conn.Close()
		}
	}
	res, err := http.Get(strings.Replace(r.url, "https", "http", 1) + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusBadRequest {
		t.Errorf("plain HTTP: %s", res.Status)
	}
	elsewhere := r.config.Clone()
	elsewhere.ServerName = "127.0.0.1"
	if _, err := r.dial(elsewhere); err == nil {
		t.Error("the gate goes by its address")
	}
	if conn, err := r.dial(r.config); err != nil {
		t.Errorf("the engine itself: %v", err)
	} else {
		conn.Close()
	}
}

func TestGateKnowsEnginesByTheirCertificates(t *testing.T) {
	t.Parallel()
	const otherProject, otherInstance, otherToken = "abcdef0123456789abcdef01", "01JD0000000000000000000001", "the-other-token"
	r := newGateRig(t)
	if _, err := r.Admit(otherProject, otherInstance, otherToken); err != nil {
		t.Fatal(err)
	}
	r.provider.Answer(fakeprovider.Says("hello"))
	own := r.config
	// A certificate is worth nothing with the token of another engine.
	r.config = engineConfig(t, r.trusted, otherInstance)
	if p := r.chat(""); p.status != http.StatusUnauthorized {
		t.Errorf("another engine's token: %d %s", p.status, p.body)
	}
	p := r.do(r.request(t.Context(), http.MethodPost, "/v1/chat/completions", otherToken, chatBody("")))
	if p.status != http.StatusOK {
		t.Fatalf("got %d %s", p.status, p.body)
	}
	wait.Until(t, "the call is charged", func() bool { return len(r.ledger.charged()) == 1 })
	if got := r.ledger.charged()[0].ProjectID; got != otherProject {
		t.Errorf("charged to project %s", got)
	}
	r.config = own
	if p := r.do(r.request(t.Context(), http.MethodGet, "/v1/models", token, "")); p.status != http.StatusOK {
		t.Errorf("the first engine: %d %s", p.status, p.body)
	}
}

func TestEngineThatIsReplacedOrStoppedIsCutOffAtTheGate(t *testing.T) {
	t.Parallel()
	const next = "01JD0000000000000000000001"
	r := newGateRig(t)
	cut := func(conn net.Conn) {
		t.Helper()
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the connection lives on")
		}
		conn.Close()
	}
	first, err := r.dial(r.config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Admit(project, next, token); err != nil {
		t.Fatal(err)
	}
	cut(first)
	if _, err := r.dial(r.config); err == nil {
		t.Error("the instance before is still let in")
	}
	second, err := r.dial(engineConfig(t, r.trusted, next))
	if err != nil {
		t.Fatal(err)
	}
	r.Stop(project)
	cut(second)
	if _, err := r.dial(engineConfig(t, r.trusted, next)); err == nil {
		t.Error("a stopped engine is still let in")
	}
}

func TestEngineWithTooManyConnectionsAtTheGateLeavesTheOthersTheirs(t *testing.T) {
	t.Parallel()
	const otherInstance, most = "01JD0000000000000000000001", 32
	r := newGateRig(t)
	if _, err := r.Admit("abcdef0123456789abcdef01", otherInstance, token); err != nil {
		t.Fatal(err)
	}
	open := make([]net.Conn, most)
	for i := range open {
		var err error
		if open[i], err = r.dial(r.config); err != nil {
			t.Fatal(err)
		}
		defer open[i].Close()
	}
	if _, err := r.dial(r.config); err == nil {
		t.Error("one connection more was let in")
	}
	conn, err := r.dial(engineConfig(t, r.trusted, otherInstance))
	if err != nil {
		t.Fatalf("another engine: %v", err)
	}
	conn.Close()
	open[0].Close()
	wait.Until(t, "a connection that ended makes room", func() bool {
		conn, err := r.dial(r.config)
		return err == nil && conn.Close() == nil
	})
}

func TestEnginesElsewhereNeedAnAddressOfTheEgress(t *testing.T) {
	t.Parallel()
	r := newGateRig(t)
	options := r.options
	options.Dir, options.Listen = t.TempDir(), ""
	e, err := egress.New(options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if err := e.Start(t.Context(), r.trusted.Server()); err == nil {
		t.Error("it serves nowhere")
	}
	if _, err := e.Admit(project, instance, token); err == nil {
		t.Error("an engine was admitted to nowhere")
	}
}
