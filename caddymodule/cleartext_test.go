package caddymodule_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/peer/peertest"
)

// TestHTTP2WithoutTLSIsSpokenOnlyWhereItIsNamed: an operator reads in the log that
// it is skipped, and counts on it.
func TestHTTP2WithoutTLSIsSpokenOnlyWhereItIsNamed(t *testing.T) {
	begin := func(g *testGateway) (*http.Response, error) {
		by := &http.Transport{Protocols: new(http.Protocols), DisableKeepAlives: true}
		by.Protocols.SetUnencryptedHTTP2(true)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+g.addr+"/v1/projects", nil)
		if err != nil {
			t.Fatal(err)
		}
		return by.RoundTrip(req)
	}
	const protocols = globals + "\tservers {\n\t\tprotocols "
	g := newFakeBackend(t).gateway(t, wholeAPI)
	for name, more := range map[string]string{
		"by default": globals, "with HTTP/2 for TLS": protocols + "h1 h2\n\t}\n", "with HTTP/1 alone": protocols + "h1\n\t}\n",
	} {
		g.load(more, wholeAPI)
		if resp, err := begin(g); err == nil {
			resp.Body.Close()
			t.Errorf("%s a client that begins with it is answered %s %s", name, resp.Proto, resp.Status)
		}
		upgrade, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+g.addr+"/v1/projects", nil)
		if err != nil {
			t.Fatal(err)
		}
		upgrade.Header = http.Header{"Connection": {"Upgrade, HTTP2-Settings"}, "Upgrade": {"h2c"}, "Http2-Settings": {"AAMAAABkAAQAoAAAAAIAAAAA"}}
		if got := g.do(upgrade); got.ProtoMajor != 1 || got.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s a client that asks for it is answered %s %s", name, got.Proto, got.Status)
		}
	}
	if strings.Contains(g.logged(), "requires TLS") {
		t.Error("the log says that something is skipped which is not there")
	}

	g.load(protocols+"h1 h2 h2c\n\t}\n", wholeAPI)
	resp, err := begin(g)
	if err != nil {
		t.Fatalf("where it is named: %v", err)
	}
	resp.Body.Close()
	if resp.ProtoMajor != 2 || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("where it is named the answer is %s %s", resp.Proto, resp.Status)
	}
}

// TestHTTP2StaysWithTLS: it is for cleartext alone that it is taken away.
func TestHTTP2StaysWithTLS(t *testing.T) {
	g := newFakeBackend(t).gateway(t, wholeAPI)
	files := peertest.NewAuthority(t).Issue("gateway")
	g.replace([]byte(strings.NewReplacer(
		`"apps":{`, fmt.Sprintf(`"apps":{"tls":{"certificates":{"load_files":[{"certificate":%q,"key":%q}]}},`, files.Cert, files.Key),
		`"listen":[`, `"tls_connection_policies":[{}],"listen":[`,
	).Replace(string(g.config(globals, wholeAPI)))))
	by := &http.Transport{
		TLSClientConfig:   &tls.Config{ServerName: "gateway", InsecureSkipVerify: true},
		ForceAttemptHTTP2: true, DisableKeepAlives: true,
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+g.addr+"/v1/projects", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp := g.roundTrip(by, req)
	resp.Body.Close()
	if resp.ProtoMajor != 2 || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("the answer is %s %s", resp.Proto, resp.Status)
	}
}
