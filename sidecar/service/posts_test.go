package service_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/test/wait"
)

// TestNothingIsPostedForASuspendedUser: a job that was under way ends, and the webhook of
// its project is for the owner's eyes.
func TestNothingIsPostedForASuspendedUser(t *testing.T) {
	onEach(t, func(t *testing.T, o service.Options) {
		o.Caps.WebhookNetworks = []string{"127.0.0.0/8"}
		s := open(t, o)
		var posts atomic.Int64
		receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posts.Add(1) }))
		t.Cleanup(receiver.Close)
		end := func(user string, suspend bool) api.Project {
			t.Helper()
			key, _ := newKey(t, s, user, policy.Limits{})
			project := newProject(t, s, user)
			if _, err := s.SetWebhook(t.Context(), project.ID, api.WebhookRequest{URL: receiver.URL, Events: api.HookEvents()}); err != nil {
				t.Fatal(err)
			}
			job := mint.NewJobID(time.Now())
			if _, err := s.Reserve(t.Context(), sidecar.Reservation{JobID: job, KeyID: key.ID, ProjectID: project.ID}); err != nil {
				t.Fatal(err)
			}
			if suspend {
				if _, err := s.Keys().Suspend(t.Context(), "test", user); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.EndJob(t.Context(), contract.JobRecord{JobID: job, ProjectID: project.ID, Status: api.JobCompleted}); err != nil {
				t.Fatal(err)
			}
			return project
		}
		delivery := func(of api.Project) api.Delivery {
			t.Helper()
			list, err := s.Deliveries(t.Context(), sidecar.DeliveryQuery{ProjectID: of.ID, Limit: 5})
			if err != nil || len(list.Data) != 1 {
				t.Fatalf("deliveries %+v, %v", list, err)
			}
			return list.Data[0]
		}
		bob := end("bob", true)
		wait.Until(t, "an attempt for bob", func() bool { return delivery(bob).Attempts > 0 })
		if d := delivery(bob); posts.Load() != 0 || d.State != api.DeliveryWaiting || !strings.Contains(d.Problem, "may not read") {
			t.Errorf("for a suspended user: %d posts, %+v", posts.Load(), d)
		}
		alice := end("alice", false)
		wait.Until(t, "a post for alice", func() bool { return delivery(alice).State == api.DeliveryDelivered })
		if posts.Load() != 1 {
			t.Errorf("%d posts, want that for alice", posts.Load())
		}
	})
}
