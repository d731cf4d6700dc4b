package wire_test

import (
	"os"
	"testing"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/projects"
)

func TestEveryFormDecidesByTheRequestAndReportsWhatItDependsOn(t *testing.T) {
	rules, err := policy.NewEvaluator(os.DirFS(policytest.ExampleOf(t, "addresses")))
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range formsBy(t, policytest.Fixed{Evaluator: rules}) {
		run(t, name, open, func(t *testing.T, w world) {
			key, project := w.key("alice", policy.Limits{}), w.project("alice")
			if who, err := w.Service.Authenticate(t.Context(), w.hash(key)); err != nil || who.Decision.Reads != policy.ReadsIP {
				t.Errorf("the identity depends on %b, %v", who.Decision.Reads, err)
			}
			networks := "192.0.2.0/24"
			if _, err := w.Catalog.SetAttributes(t.Context(), projects.AttributeChange{
				Actor: "test", ProjectID: project.ID, Admin: true, Set: map[string]*string{"networks": &networks},
			}); err != nil {
				t.Fatal(err)
			}
			for ip, want := range map[string]int{"192.0.2.1": 200, "192.0.3.1": 403, "": 403} {
				ctx := peer.WithRequest(t.Context(), peer.Request{ID: "r-1", IP: ip, Method: "GET", UserAgent: "curl"})
				d, err := w.Service.Decide(ctx, key.ID, project.ID, policy.ActionStatus)
				if err != nil || d.Status != want || d.Reads != policy.ReadsIP {
					t.Errorf("from %q: status %d, want %d, depends on %b, %v", ip, d.Status, want, d.Reads, err)
				}
			}
		})
	}
}

// TestEveryFormSaysWhoseAProjectIsThatOthersMayUse: engines are started for owners.
func TestEveryFormSaysWhoseAProjectIsThatOthersMayUse(t *testing.T) {
	rules, err := policy.NewEvaluator(os.DirFS(policytest.Example(t)))
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range formsBy(t, policytest.Fixed{Evaluator: rules}) {
		run(t, name, open, func(t *testing.T, w world) {
			keys := map[string]string{}
			for _, user := range []string{"alice", "bob", "carol"} {
				keys[user] = w.key(user, policy.Limits{}).ID
			}
			project, readers := w.project("alice"), "bob"
			if _, err := w.Catalog.SetAttributes(t.Context(), projects.AttributeChange{
				Actor: "test", ProjectID: project.ID, OwnerID: "alice", Set: map[string]*string{"readers": &readers},
			}); err != nil {
				t.Fatal(err)
			}
			for user, want := range map[string]string{"alice": "", "bob": "alice", "carol": ""} {
				d, err := w.Service.Decide(t.Context(), keys[user], project.ID, policy.ActionStatus)
				if err != nil || d.OwnerID != want || d.Allow != (user != "carol") {
					t.Errorf("%s: %+v, %v; want the owner %q", user, d, err, want)
				}
			}
		})
	}
}
