package commands

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/cmd/svc/certs"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	engines "github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/sidecar/sidecartest"
	"github.com/svc-games/svc/sidecar/wire"
)

func TestDoctorAsksTheSidecarInAnotherProcess(t *testing.T) {
	dir := peertest.Dir(t)
	server, err := peer.Start(peer.ServerOptions{
		Address: peer.Address{Network: "unix", Name: filepath.Join(dir, "s.sock")},
		Handler: wire.Handler(sidecartest.NewService(t), zap.NewNop()),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	badToken := filepath.Join(dir, "bad.token")
	if err := os.WriteFile(badToken, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(badToken, 0o644); err != nil { // whatever the umask
		t.Fatal(err)
	}
	for where, want := range map[string]struct {
		ok     bool
		found  string
		advice string
	}{
		server.Addr().Name:              {true, "answers", ""},
		filepath.Join(dir, "none.sock"): {false, "nobody listens", "start svc-sidecar"},
		filepath.Join(dir, "bad.sock"):  {false, "can't be trusted", "log of svc-sidecar"},
		"nowhere":                       {false, "is not an address", "SVC_SIDECAR"},
		"127.0.0.1:1":                   {false, "certificate is not named", "SVC_TLS_CERT"},
	} {
		k := checkSidecar(t.Context(), where)
		if k.OK != want.ok || !strings.Contains(k.Found, want.found) || !strings.Contains(k.Advice, want.advice) {
			t.Errorf("%s: %+v; want %+v", where, k, want)
		}
	}
}

// TestDoctorSaysWhatIsWrongWithACertificate: of a part that is reached by an address that
// its certificate does not bear, and of one of another authority.
func TestDoctorSaysWhatIsWrongWithACertificate(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for _, at := range []string{dir, other} {
		if _, err := certs.Init(at, map[string][]string{"sidecar": nil, "gateway": nil}, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	server, err := peer.Start(peer.ServerOptions{
		Address: peer.Address{Network: "tcp", Name: "127.0.0.1:0"}, Names: []string{"gateway"},
		TLS:     peer.TLS{Cert: filepath.Join(dir, "sidecar.pem"), Key: filepath.Join(dir, "sidecar.key"), CA: filepath.Join(dir, "ca.pem")},
		Handler: wire.Handler(sidecartest.NewService(t), zap.NewNop()),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ask := func(name, authority string) check {
		t.Setenv("SVC_SIDECAR_NAME", name)
		t.Setenv("SVC_TLS_CERT", filepath.Join(dir, "gateway.pem"))
		t.Setenv("SVC_TLS_KEY", filepath.Join(dir, "gateway.key"))
		t.Setenv("SVC_TLS_CA", filepath.Join(authority, "ca.pem"))
		return checkSidecar(t.Context(), server.Addr().Name)
	}
	if k := ask("sidecar", dir); !k.OK {
		t.Errorf("with the certificate's name: %+v", k)
	}
	for what, k := range map[string]check{"by the address": ask("", dir), "of another authority": ask("sidecar", other)} {
		if k.OK || !strings.Contains(k.Advice, "SVC_TLS_CA") || !strings.Contains(k.Advice, "SVC_SIDECAR_NAME") {
			t.Errorf("%s: %+v", what, k)
		}
	}
}

// noEngines is an engine proxy without engines.
type noEngines struct{ engineproxy.Engines }

func (noEngines) List(context.Context) ([]engineproxy.Info, error) { return nil, nil }

func TestDoctorAsksTheEngineProxyInAnotherProcessAndNotForWhatItsEnginesNeed(t *testing.T) {
	dir := peertest.Dir(t)
	server, err := peer.Start(peer.ServerOptions{
		Address: peer.Address{Network: "unix", Name: filepath.Join(dir, "e.sock")},
		Handler: engines.NewHandler(engines.HandlerOptions{Engines: noEngines{}, Direct: true, Logger: zap.NewNop()}),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for where, want := range map[string]string{
		server.Addr().Name:              "ok    engine proxy: ",
		filepath.Join(dir, "none.sock"): "; start svc-engine-proxy",
		"nowhere":                       "; set SVC_ENGINES",
	} {
		t.Setenv("SVC_ENGINES", where)
		_, stdout, _ := svc("doctor", "--data-dir", dir)
		if !strings.Contains(stdout, want) || strings.Contains(stdout, "engine program") || strings.Contains(stdout, "game framework") {
			t.Errorf("%s: want %q in\n%s", where, want, stdout)
		}
	}
}

func TestDoctorNamesADriverThatThereIsNot(t *testing.T) {
	t.Setenv("SVC_ENGINE_DRIVER", "podman")
	code, stdout, _ := svc("doctor", "--data-dir", t.TempDir())
	if code != exitError || !strings.Contains(stdout, `FAIL  driver: no driver is called "podman"; set SVC_ENGINE_DRIVER to process, docker or kubernetes`) {
		t.Errorf("exit %d: %s", code, stdout)
	}
}
