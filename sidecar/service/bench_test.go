package service_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/service"
)

// BenchmarkDecide measures a decision with its facts read from the store, as a
// gateway without a cached one asks for it.
func BenchmarkDecide(b *testing.B) {
	for _, action := range []policy.Action{policy.ActionStatus, policy.ActionGenerate} {
		b.Run(string(action), func(b *testing.B) {
			s := open(b, service.Options{DataDir: b.TempDir()})
			key, _ := newKey(b, s, "alice", policy.Limits{})
			project := newProject(b, s, "alice")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Decide(b.Context(), key.ID, project.ID, action); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRefuseKey measures what a key costs that is refused, which no gateway remembers.
func BenchmarkRefuseKey(b *testing.B) {
	for _, name := range []string{"unknown", "revoked"} {
		b.Run(name, func(b *testing.B) {
			s := open(b, service.Options{DataDir: b.TempDir()})
			var hash mint.KeyHash
			if name == "revoked" {
				var key keys.Created
				key, hash = newKey(b, s, "alice", policy.Limits{})
				if _, err := s.Keys().Revoke(b.Context(), "test", key.ID); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				if who, err := s.Authenticate(b.Context(), hash); who.Decision.Status != http.StatusUnauthorized {
					b.Fatal(who, err)
				}
			}
		})
	}
}

// BenchmarkDecideOnAnOldKey measures the decision on a submission with a key
// that was used on each day of two years.
func BenchmarkDecideOnAnOldKey(b *testing.B) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s := open(b, service.Options{DataDir: b.TempDir(), Now: func() time.Time { return now }})
	key, _ := newKey(b, s, "alice", policy.Limits{})
	project := newProject(b, s, "alice")
	for range 730 {
		now = now.AddDate(0, 0, 1)
		order := sidecar.Reservation{JobID: mint.NewJobID(now), KeyID: key.ID, ProjectID: project.ID}
		if _, err := s.Reserve(b.Context(), order); err != nil {
			b.Fatal(err)
		}
		if err := s.Release(b.Context(), order.JobID); err != nil { // the queue must not fill
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Decide(b.Context(), key.ID, project.ID, policy.ActionGenerate); err != nil {
			b.Fatal(err)
		}
	}
}
