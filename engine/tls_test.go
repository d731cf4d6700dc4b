package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"testing"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	itself "github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/wait"
)

// pair loads a certificate for a client.
func pair(t *testing.T, files itself.TLS) tls.Certificate {
	t.Helper()
	cert, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// serveTCP serves an engine over TCP and returns its address.
func serveTCP(t *testing.T, files itself.TLS) string {
	t.Helper()
	h := held{make(chan struct{})}
	config, err := tlsFiles{Cert: files.Cert, Key: files.Key, CA: files.CA}.server()
	if err != nil {
		t.Fatal(err)
	}
	address := freeport.Address(t)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- Serve(ctx, Config{
			Volume: t.TempDir(), Listen: address, TLS: config, ProjectID: project, InstanceID: instance,
			Token: token, Generator: h, Log: zap.NewNop(),
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return address
}

func TestEngineOverTCPAnswersTheEngineProxyAloneAndOnlyWithItsToken(t *testing.T) {
	authority, other := peertest.NewAuthority(t), peertest.NewAuthority(t)
	address := serveTCP(t, authority.Issue(contract.EngineName(instance)))
	pem, err := os.ReadFile(authority.Issue("unused").CA)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	ask := func(token string, certs ...tls.Certificate) (int, error) {
		client := &http.Client{Timeout: wait.Patience, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
			RootCAs: roots, ServerName: contract.EngineName(instance),
			GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
				if len(certs) == 0 {
					return new(tls.Certificate), nil
				}
				return &certs[0], nil // whatever authorities the engine asks for
			},
		}}}
		req, err := http.NewRequest(http.MethodGet, "https://"+address+contract.PathReady, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := client.Do(req)
		if err != nil {
			return 0, err
		}
		return res.StatusCode, res.Body.Close()
	}
	proxy := pair(t, authority.Issue(contract.ProxyName))
	ready := func() bool { status, _ := ask(token, proxy); return status == http.StatusOK }
	wait.Until(t, "the engine proxy is let in", ready)
	if status, err := ask("another token", proxy); status != http.StatusUnauthorized {
		t.Errorf("a wrong token: %d, %v", status, err)
	}
	if status, err := ask(token); err == nil {
		t.Errorf("no certificate: %d", status)
	}
	for name, cert := range map[string]tls.Certificate{
		"another engine":    pair(t, authority.Issue(contract.EngineName("01JD0000000000000000000001"))),
		"itself":            pair(t, authority.Issue(contract.EngineName(instance))),
		"another authority": pair(t, other.Issue(contract.ProxyName)),
	} {
		if status, err := ask(token, cert); err == nil {
			t.Errorf("%s: %d", name, status)
		}
	}
	res, err := http.Get("http://" + address + contract.PathReady)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusBadRequest {
		t.Errorf("plain HTTP: %s", res.Status)
	}
}

func TestUnusableTLSFilesKeepTheEngineFromServing(t *testing.T) {
	files := peertest.NewAuthority(t).Issue("engine")
	for name, f := range map[string]tlsFiles{
		"no certificate":                 {Cert: "none", Key: files.Key, CA: files.CA},
		"no key":                         {Cert: files.Cert, Key: "none", CA: files.CA},
		"a key in the authority's place": {Cert: files.Cert, Key: files.Key, CA: files.Key},
		"no authority":                   {Cert: files.Cert, Key: files.Key, CA: "none"},
	} {
		if _, err := f.server(); err == nil {
			t.Errorf("%s: served", name)
		}
		if _, err := f.client(); err == nil {
			t.Errorf("%s: asked for models", name)
		}
	}
}
