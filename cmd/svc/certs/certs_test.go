package certs_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/cmd/svc/certs"
	"github.com/svc-games/svc/peer"
)

// hosts is what svc certs init makes without an option.
func hosts() map[string][]string {
	all := make(map[string][]string)
	for _, name := range certs.Parts {
		all[name] = nil
	}
	return all
}

func files(dir, name string) peer.TLS {
	return peer.TLS{Cert: filepath.Join(dir, name+".pem"), Key: filepath.Join(dir, name+".key"), CA: filepath.Join(dir, "ca.pem")}
}

// ask has the gateway of one folder connect to the sidecar of another one.
func ask(t *testing.T, server, client string) error {
	t.Helper()
	s, err := peer.Start(peer.ServerOptions{
		Address: peer.Address{Network: "tcp", Name: "127.0.0.1:0"}, TLS: files(server, "sidecar"), Names: []string{"gateway"},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := peer.NewClient(peer.ClientOptions{Address: s.Addr(), TLS: files(client, "gateway"), ServerName: "sidecar"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://peer/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func TestPartsKnowEachOtherByTheirCertificatesAndNoOthers(t *testing.T) {
	dir, other := filepath.Join(t.TempDir(), "certs"), t.TempDir()
	more := hosts()
	more["sidecar"] = []string{"10.0.0.5", "sidecar.internal"}
	made, err := certs.Init(dir, more, time.Now())
	if err != nil || len(made) != 4 {
		t.Fatalf("made %+v, %v", made, err)
	}
	if _, err := certs.Init(other, hosts(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := ask(t, dir, dir); err != nil {
		t.Error(err)
	}
	if err := ask(t, dir, other); err == nil {
		t.Error("a gateway of another authority was let in")
	}
	if _, err := certs.Renew(dir, time.Now().Add(200*24*time.Hour)); err != nil { // its time has not come, in this test
		t.Fatal(err)
	}
	if _, err := certs.Renew(dir, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := ask(t, dir, dir); err != nil {
		t.Errorf("after the renewal: %v", err)
	}
	part, err := certs.Read(filepath.Join(dir, "sidecar.pem"))
	slices.Sort(part.Hosts)
	if err != nil || part.Name != "sidecar" || !slices.Equal(part.Hosts, []string{"10.0.0.5", "sidecar.internal"}) {
		t.Errorf("after the renewal the sidecar's is %+v, %v", part, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 10 {
		t.Errorf("%d files, %v", len(entries), err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || strings.HasSuffix(e.Name(), ".key") && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

func TestCertificatesThatAreThereAreKept(t *testing.T) {
	dir := t.TempDir()
	if _, err := certs.Init(dir, hosts(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := certs.Init(dir, hosts(), time.Now()); !errors.Is(err, certs.ErrThere) {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"ca", "../x", "", "a b"} {
		if _, err := certs.Init(filepath.Join(dir, "new"), map[string][]string{name: nil}, time.Now()); err == nil {
			t.Errorf("a part may be called %q", name)
		}
	}
	for _, host := range []string{"10.0.0.5:7443", "https://sidecar", "a b", ""} {
		if _, err := certs.Init(filepath.Join(dir, "new"), map[string][]string{"sidecar": {host}}, time.Now()); err == nil {
			t.Errorf("a sidecar may be reached at %q", host)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("something was made of what is wrong")
	}
	if _, err := certs.Renew(t.TempDir(), time.Now()); err == nil {
		t.Error("renewed without an authority")
	}
}
