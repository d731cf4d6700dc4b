package peer_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/wait"
)

// TestReachSaysInOneLineWhatIsWrongAndWhatToDo: the bad input of a start.
func TestReachSaysInOneLineWhatIsWrongAndWhatToDo(t *testing.T) {
	ca, other := peertest.NewAuthority(t), peertest.NewAuthority(t)
	s := start(t, peer.ServerOptions{Address: tcp("127.0.0.1:0"), TLS: ca.Issue("sidecar"), Names: []string{"gateway"}})
	good, strange := ca.Issue("gateway"), other.Issue("gateway")
	for want, o := range map[string]peer.ClientOptions{
		"": {Address: s.Addr(), TLS: good, ServerName: "sidecar"},
		"start svc-sidecar there, or correct the address": {Address: tcp(freeport.Address(t)), TLS: good, ServerName: "sidecar"},
		"s.sock: start svc-sidecar there":                 {Address: unix(filepath.Join(keep.Dir(t), "s.sock"))},
		"name its authority and the name that it bears":   {Address: s.Addr(), TLS: peer.TLS{Cert: good.Cert, Key: good.Key, CA: strange.CA}, ServerName: "sidecar"},
		"valid for sidecar, not store":                    {Address: s.Addr(), TLS: good, ServerName: "store"},
	} {
		err := client(t, o).Reach(t.Context(), "svc-sidecar")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	// What the other end says of a certificate can be lost as it closes the connection.
	for name, own := range map[string]peer.TLS{
		"another authority": {Cert: strange.Cert, Key: strange.Key, CA: good.CA}, "another name": ca.Issue("stranger"),
	} {
		c := client(t, peer.ClientOptions{Address: s.Addr(), TLS: own, ServerName: "sidecar"})
		wait.Until(t, "it says that a certificate of "+name+" is refused", func() bool {
			err := c.Reach(t.Context(), "svc-sidecar")
			if err == nil {
				t.Fatalf("with %s it is reached", name)
			}
			return strings.Contains(err.Error(), "refuses this part's certificate: its log says why")
		})
	}
}
