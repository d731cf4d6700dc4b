package remote_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/svc-games/svc/caddymodule/remote"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/test/keep"
)

func TestBadOptionsAreRefusedWithoutALookAtFiles(t *testing.T) {
	files := &remote.PeerTLS{Cert: "none.pem", Key: "none.key", CA: "none-ca.pem"}
	for want, s := range map[string]remote.Sidecar{
		"is not an address":            {Peer: remote.Peer{Address: "nowhere"}},
		"a Unix socket has no tls":     {Peer: remote.Peer{Address: "/run/s.sock", TLS: files}},
		"sidecar:7443 needs tls":       {Peer: remote.Peer{Address: "sidecar:7443"}},
		"decision_timeout must not be": {Peer: remote.Peer{Address: "/run/s.sock"}, DecisionTimeout: -1},
		"":                             {Peer: remote.Peer{Address: "sidecar:7443", TLS: files}},
	} {
		err := s.Provision(caddy.Context{})
		if err == nil {
			err = s.Validate()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	t.Setenv("SVC_DECISION_TIMEOUT", "soon")
	if err := new(remote.Sidecar).Provision(caddy.Context{}); err == nil || !strings.Contains(err.Error(), "SVC_DECISION_TIMEOUT") {
		t.Errorf("a bad variable: %v", err)
	}
}

func TestGatewayStartsWithoutASidecarAndRefuses(t *testing.T) {
	s := remote.Sidecar{Peer: remote.Peer{Address: filepath.Join(keep.Dir(t), "s.sock")}}
	core, logs := observer.New(zap.WarnLevel)
	opened, err := s.OpenSidecar(t.Context(), "", zap.New(core))
	if err != nil {
		t.Fatal(err)
	}
	if said := logs.FilterMessage("part not reached; requests are refused until it is").All(); len(said) != 1 ||
		!strings.Contains(fmt.Sprint(said[0].ContextMap()["error"]), "nobody listens at unix/"+s.Address+": start svc-sidecar there") {
		t.Errorf("the log says %+v", logs.All())
	}
	if _, err := opened.Service.Project(t.Context(), "p"); !errors.Is(err, sidecar.ErrUnreachable) {
		t.Errorf("the service: %v", err)
	}
	if _, err := opened.Ledger.OpenJobs(t.Context(), ""); err == nil {
		t.Error("the ledger answers")
	}
	if s.Location() != s.Address {
		t.Errorf("status shows %q", s.Location())
	}
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
}

func TestFilesOfTLSAreNamedWhenTheyAreMissing(t *testing.T) {
	s := remote.Sidecar{Peer: remote.Peer{
		Address: "127.0.0.1:1", TLS: &remote.PeerTLS{Cert: "none.pem", Key: "none.key", CA: "none-ca.pem"},
	}}
	if _, err := s.OpenSidecar(t.Context(), "", zap.NewNop()); err == nil || !strings.Contains(err.Error(), "none.pem") {
		t.Errorf("got %v", err)
	}
}
