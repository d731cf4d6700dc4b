package webhooks_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/api/webhook"
	"github.com/svc-games/svc/sidecar"
)

// endWith makes a job with a webhook of its own and ends it.
func (f *fixture) endWith(url string, events ...string) error {
	f.t.Helper()
	id := mint.NewJobID(f.clock())
	hook := &api.WebhookRequest{URL: url, Events: events}
	if _, err := f.ledger.Reserve(f.t.Context(), sidecar.Reservation{JobID: id, KeyID: f.key, ProjectID: f.project, Webhook: hook}); err != nil {
		return err
	}
	if err := f.ledger.EndJob(f.t.Context(), contract.JobRecord{JobID: id, ProjectID: f.project, Status: api.JobCompleted}); err != nil {
		f.t.Fatal(err)
	}
	return nil
}

func TestJobsOwnWebhookStandsForTheProjectsAndIsSignedByItsSecret(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		project, job := newReceiver(t), newReceiver(t)
		var refused *answers.Error
		if err := f.endWith(job.URL, api.HookEvents()...); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
			t.Errorf("without a secret that signs: %v", err)
		}
		secret := f.set(f.project, project.URL, api.HookFailed)
		if err := f.endWith(job.URL, api.HookCompleted); err != nil {
			t.Fatal(err)
		}
		if err := f.endWith(job.URL, api.HookFailed); err != nil { // which it does not do
			t.Fatal(err)
		}
		f.sender().Once(t.Context())
		posts := job.got()
		if len(posts) != 1 || len(project.got()) > 0 {
			t.Fatalf("%d posts to the job's, %d to the project's", len(posts), len(project.got()))
		}
		if err := webhook.Verify(posts[0].header, posts[0].body, secret, f.clock()); err != nil {
			t.Error(err)
		}
		if d := f.only(); d.State != api.DeliveryDelivered {
			t.Errorf("listed %+v", d)
		}
		f.set(f.project, project.URL)
		f.end(f.project, api.JobCompleted)
		f.sender().Once(t.Context())
		if len(project.got()) != 1 || len(job.got()) != 1 {
			t.Error("another job's end is not posted to the project's")
		}
	})
}
