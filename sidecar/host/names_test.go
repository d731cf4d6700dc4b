package host_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/sidecar/host"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/keep"
)

// TestEachListenerOnTCPHasNamesOfItsOwn: who collects metrics can neither do what gateways
// do nor administer, and who is a gateway can't administer.
func TestEachListenerOnTCPHasNamesOfItsOwn(t *testing.T) {
	ca := peertest.NewAuthority(t)
	at := ca.Issue("sidecar")
	gateways, readers, admins := freeport.Address(t), freeport.Address(t), freeport.Address(t)
	stop, ended := run(t, "--data-dir", keep.Dir(t), "--listen", gateways, "--opa-listen", readers, "--admin-listen", admins,
		"--tls-cert", at.Cert, "--tls-key", at.Key, "--tls-ca", at.CA,
		"--tls-names=gateway", "--opa-names=monitor", "--admin-names=operator")
	client := func(address string, shown peer.TLS) *peer.Client {
		t.Helper()
		c, err := peer.NewClient(peer.ClientOptions{
			Address: peer.Address{Network: "tcp", Name: address}, TLS: shown, ServerName: "sidecar",
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.CloseIdle)
		return c
	}
	answers(t, client(gateways, ca.Issue("gateway")))
	for _, name := range []string{"gateway", "monitor", "operator"} {
		shown := ca.Issue(name)
		for address, lets := range map[string]bool{
			gateways: name == "gateway", readers: name != "operator", admins: name == "operator",
		} {
			code, err := status(t, client(address, shown), "/metrics")
			if lets != (err == nil) {
				t.Errorf("%s at %s: status %d, %v", name, address, code, err)
			}
			if lets && address == readers && code != http.StatusOK {
				t.Errorf("%s gets the metrics with status %d", name, code)
			}
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// status asks, and returns an error where the connection is refused.
func status(t *testing.T, c *peer.Client, path string) (int, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://part"+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}

// TestNamesOfGatewaysMakeNoAdministrators: an installation that relied on it learns of it
// at its start.
func TestNamesOfGatewaysMakeNoAdministrators(t *testing.T) {
	_, err := host.ParseFlags([]string{
		"--admin-listen=:1", "--tls-cert=c", "--tls-key=k", "--tls-ca=a", "--tls-names=gateway",
	}, none, io.Discard)
	if err == nil || err.Error() != "--admin-listen :1 needs mutual TLS: give --admin-names too" {
		t.Error(err)
	}
}
