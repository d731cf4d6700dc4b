package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/cmd/svc/certs"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar/sidecartest"
	"github.com/svc-games/svc/sidecar/wire"
	"github.com/svc-games/svc/test/keep"
)

func TestDoctorAsksTheSidecarInAnotherProcess(t *testing.T) {
	dir := keep.Dir(t)
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
	ask := func(name, authority string) Check {
		t.Setenv("SVC_SIDECAR_NAME", name)
		t.Setenv("SVC_TLS_CERT", filepath.Join(dir, "gateway.pem"))
		t.Setenv("SVC_TLS_KEY", filepath.Join(dir, "gateway.key"))
		t.Setenv("SVC_TLS_CA", filepath.Join(authority, "ca.pem"))
		return checkSidecar(t.Context(), server.Addr().Name)
	}
	if k := ask("sidecar", dir); !k.OK {
		t.Errorf("with the certificate's name: %+v", k)
	}
	for what, k := range map[string]Check{"by the address": ask("", dir), "of another authority": ask("sidecar", other)} {
		if k.OK || !strings.Contains(k.Advice, "SVC_TLS_CA") || !strings.Contains(k.Advice, "SVC_SIDECAR_NAME") {
			t.Errorf("%s: %+v", what, k)
		}
	}
}

func TestDoctorSaysWhenACertificateEnds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "certs")
	if _, err := certs.Init(dir, map[string][]string{"gateway": nil}, time.Now()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "gateway.pem")
	const day = 24 * time.Hour
	for days, want := range map[time.Duration]Check{
		0:   {OK: true, Required: true, Found: "that of gateway is good until "},
		350: {Found: "that of gateway ends on "},
		366: {Required: true, Found: "that of gateway ended on "},
	} {
		got := checkCertificate(path, time.Now().Add(days*day))
		if len(got) != 1 || got[0].OK != want.OK || got[0].Required != want.Required || !strings.HasPrefix(got[0].Found, want.Found) {
			t.Errorf("after %d days: %+v", days, got)
		}
	}
	if got := checkCertificate("", time.Now()); got != nil {
		t.Errorf("without one: %+v", got)
	}
	if got := checkCertificate(filepath.Join(dir, "gateway.key"), time.Now()); len(got) != 1 || got[0].OK {
		t.Errorf("a key: %+v", got)
	}
}
