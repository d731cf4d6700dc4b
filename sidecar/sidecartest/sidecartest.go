// Package sidecartest gives tests a sidecar.
package sidecartest

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

// NewService opens a service with the shipped policy over a new SQLite store.
func NewService(t testing.TB) *service.Service {
	t.Helper()
	return NewServiceBy(t, policytest.Embedded(t))
}

// NewServiceBy opens a service with a policy over a new SQLite store.
func NewServiceBy(t testing.TB, rules service.Policy) *service.Service {
	t.Helper()
	dir := t.TempDir()
	storetest.SQLite(t, filepath.Join(dir, "svc.db"))
	s, err := service.Open(t.Context(), service.Options{
		DataDir: dir, Policy: rules, DecisionTimeout: time.Minute, Caps: service.Caps{MaxProjects: 3},
		Prices: map[string]api.TIK{"generator.job": api.MicroPerTIK, "generator.step": 2 * api.MicroPerTIK, "image": 2 * api.MicroPerTIK},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
