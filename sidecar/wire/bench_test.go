package wire_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/sidecartest"
	"github.com/svc-games/svc/sidecar/wire"
	"github.com/svc-games/svc/test/keep"
)

// BenchmarkDecide measures one decision, its facts read from the store, in
// process and over each kind of connection.
func BenchmarkDecide(b *testing.B) {
	svc := sidecartest.NewService(b)
	if _, err := svc.Keys().CreateUser(b.Context(), "test", "alice", 0); err != nil {
		b.Fatal(err)
	}
	key, err := svc.Keys().Create(b.Context(), "test", "alice", "key", policy.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	project, err := svc.CreateProject(b.Context(), "alice", api.ProjectRequest{Name: "x", Template: api.TemplateBlank})
	if err != nil {
		b.Fatal(err)
	}
	ca := peertest.NewAuthority(b)
	connect := func(server peer.ServerOptions, client peer.ClientOptions) sidecar.Service {
		server.Handler = handler(svc)
		s, err := peer.Start(server)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { s.Close() })
		client.Address = s.Addr()
		conn, err := peer.NewClient(client)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(conn.CloseIdle)
		return wire.New(conn, wire.Options{DecisionTimeout: time.Minute})
	}
	for _, form := range []struct {
		name    string
		service sidecar.Service
	}{
		{"InProcess", svc},
		{"UnixSocket", connect(peer.ServerOptions{
			Address: peer.Address{Network: "unix", Name: filepath.Join(keep.Dir(b), "s.sock")},
		}, peer.ClientOptions{})},
		{"MutualTLS", connect(peer.ServerOptions{
			Address: peer.Address{Network: "tcp", Name: "127.0.0.1:0"}, TLS: ca.Issue("sidecar"), Names: []string{"gateway"},
		}, peer.ClientOptions{TLS: ca.Issue("gateway"), ServerName: "sidecar"})},
	} {
		b.Run(form.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if d, err := form.service.Decide(b.Context(), key.ID, project.ID, policy.ActionStatus); err != nil || !d.Allow {
					b.Fatal(d, err)
				}
			}
		})
	}
}
