package egress

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine"
	"github.com/svc-games/svc/engine-proxy/authority"
	"github.com/svc-games/svc/engine-proxy/egress"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

func TestEngineOfAnotherMachineFindsItsModelsByItsCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trusted, err := authority.Open(filepath.Join(dir, "authority.pem"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t)
	provider := fakeprovider.New(t)
	e, err := egress.New(egress.Options{
		Dir: filepath.Join(dir, "egress"), Ledger: r.side, Listen: "127.0.0.1:0",
		Config: egress.Config{Endpoints: []egress.Endpoint{{URL: provider.URL, Chat: []string{"writer"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if err := e.Start(t.Context(), trusted.Server()); err != nil {
		t.Fatal(err)
	}
	instance := mint.NewInstanceID(time.Now())
	url, err := e.Admit(r.project, instance, token)
	if err != nil {
		t.Fatal(err)
	}
	// As the driver delivers it: files, and flags that name them.
	cert, key, err := trusted.Current().Issue(instance)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"cert": cert, "key": key, "ca": trusted.PEM(), "token": []byte(token)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	options, err := engine.ParseOptions([]string{
		"--volume", at("volume"), "--listen", "127.0.0.1:0", "--project", r.project, "--instance", instance, "--token-file", at("token"),
		"--tls-cert", at("cert"), "--tls-key", at("key"), "--tls-ca", at("ca"), "--egress", url,
	}, func(string) string { return "" }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := options.Config(); err != nil {
		t.Fatal(err)
	}
	g, err := options.Generator()
	if err != nil {
		t.Fatal(err)
	}
	names, err := g.Models.Chats(t.Context())
	if err != nil || !slices.Equal(names, []string{"writer"}) {
		t.Errorf("found %v, %v", names, err)
	}
}
