package wire_test

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/sidecartest"
	"github.com/svc-games/svc/sidecar/wire"
	"github.com/svc-games/svc/sidecar/wire/ledger"
	"github.com/svc-games/svc/test/keep"
)

// handler serves all that a sidecar serves.
func handler(s *service.Service) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(wire.Path+"/", wire.Handler(s, zap.NewNop()))
	mux.Handle(ledger.Path+"/", ledger.Handler(s, zap.NewNop()))
	return mux
}

// connect opens a service behind a peer connection.
func connect(t *testing.T, svc *service.Service, server peer.ServerOptions, client peer.ClientOptions) fixture {
	t.Helper()
	server.Handler = handler(svc)
	s, err := peer.Start(server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	client.Address = s.Addr()
	conn, err := peer.NewClient(client)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.CloseIdle)
	c := wire.New(conn, wire.Options{DecisionTimeout: time.Minute})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return fixture{Service: c, Ledger: ledger.New(conn), Keys: svc.Keys(), Catalog: svc.Catalog}
}

// forms are all ways to a sidecar with the shipped policy.
func forms(t *testing.T) map[string]opening { return formsBy(t, policytest.Embedded(t)) }

// formsBy are all ways to a sidecar with a policy.
func formsBy(t *testing.T, rules service.Policy) map[string]opening {
	ca := peertest.NewAuthority(t)
	server, client := ca.Issue("sidecar"), ca.Issue("gateway")
	return map[string]opening{
		"InProcess": func(t *testing.T) fixture {
			svc := sidecartest.NewServiceBy(t, rules)
			return fixture{Service: svc, Ledger: svc, Keys: svc.Keys(), Catalog: svc.Catalog}
		},
		"UnixSocket": func(t *testing.T) fixture {
			return connect(t, sidecartest.NewServiceBy(t, rules), peer.ServerOptions{
				Address: peer.Address{Network: "unix", Name: filepath.Join(keep.Dir(t), "s.sock")},
			}, peer.ClientOptions{})
		},
		"MutualTLS": func(t *testing.T) fixture {
			return connect(t, sidecartest.NewServiceBy(t, rules), peer.ServerOptions{
				Address: peer.Address{Network: "tcp", Name: "127.0.0.1:0"}, TLS: server, Names: []string{"gateway"},
			}, peer.ClientOptions{TLS: client, ServerName: "sidecar"})
		},
	}
}

func TestEveryFormIsTheSameService(t *testing.T) {
	for name, open := range forms(t) {
		t.Run(name, func(t *testing.T) { testService(t, open) })
	}
}

func TestEveryFormIsTheSameLedger(t *testing.T) {
	for name, open := range forms(t) {
		t.Run(name, func(t *testing.T) { testLedger(t, open) })
	}
}
