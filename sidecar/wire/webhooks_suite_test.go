package wire_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

func testWebhooks(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	// Nothing is ever posted there: the address is one of documentation, behind a name.
	req := api.WebhookRequest{URL: "https://hooks.invalid/", Events: []string{api.HookCompleted}}
	var refused *answers.Error
	if _, err := w.Service.SetWebhook(t.Context(), project.ID, api.WebhookRequest{URL: "https://127.0.0.1/"}); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		t.Errorf("an address that is not public: %v", err)
	}
	if _, err := w.Service.SetWebhook(t.Context(), nowhere, req); !errors.Is(err, sidecar.ErrUnknownProject) {
		t.Errorf("a project no one made: %v", err)
	}
	if _, err := w.Service.Webhook(t.Context(), project.ID); !errors.Is(err, sidecar.ErrNoWebhook) {
		t.Errorf("before: %v", err)
	}
	for url, why := range map[string]string{req.URL: "The project has no webhook", "https://127.0.0.1/": "webhook.url has an address"} {
		err := w.Service.CheckJobWebhook(t.Context(), project.ID, api.WebhookRequest{URL: url})
		if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest || !strings.HasPrefix(refused.Message, why) {
			t.Errorf("a job's webhook to %s: %v", url, err)
		}
	}
	made, err := w.Service.SetWebhook(t.Context(), project.ID, req)
	if err != nil || made.Secret == "" || made.URL != req.URL || !slices.Equal(made.Events, req.Events) || made.CreatedAt.IsZero() {
		t.Fatalf("made %+v, %v", made, err)
	}
	rotated, err := w.Service.RotateWebhook(t.Context(), project.ID)
	if err != nil || rotated.Secret == "" || rotated.Secret == made.Secret || rotated.FormerUntil == nil {
		t.Errorf("rotated %+v, %v", rotated, err)
	}
	if found, err := w.Service.Webhook(t.Context(), project.ID); err != nil || found.Secret != "" || found.URL != req.URL {
		t.Errorf("found %+v, %v", found, err)
	}
	if err := w.Service.CheckJobWebhook(t.Context(), project.ID, req); err != nil {
		t.Errorf("a job's webhook: %v", err)
	}
	own := sidecar.Reservation{JobID: mint.NewJobID(time.Now()), KeyID: key.ID, ProjectID: project.ID, Webhook: &api.WebhookRequest{URL: "https://127.0.0.1/"}}
	if _, err := w.Service.Reserve(t.Context(), own); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		t.Errorf("a job's address that is not public: %v", err)
	}
	job := w.submit(key.ID, project.ID)
	if _, err := w.Ledger.ApplyFeed(t.Context(), finished(project.ID, job)); err != nil {
		t.Fatal(err)
	}
	list, err := w.Service.Deliveries(t.Context(), sidecar.DeliveryQuery{ProjectID: project.ID, Limit: 5})
	if err != nil || len(list.Data) != 1 || list.Data[0].ID != api.DeliveryID(job) || list.Data[0].State != api.DeliveryWaiting {
		t.Errorf("listed %+v, %v", list, err)
	}
	if d, err := w.Service.ReplayDelivery(t.Context(), project.ID, api.DeliveryID(job)); err != nil || d.JobID != job {
		t.Errorf("replayed %+v, %v", d, err)
	}
	if _, err := w.Service.ReplayDelivery(t.Context(), project.ID, "msg_01J0000000000000000000000A"); !errors.Is(err, sidecar.ErrUnknownDelivery) {
		t.Errorf("a delivery no one made: %v", err)
	}
	if err := w.Service.DropWebhook(t.Context(), project.ID); err != nil {
		t.Error(err)
	}
	if _, err := w.Service.RotateWebhook(t.Context(), project.ID); !errors.Is(err, sidecar.ErrNoWebhook) {
		t.Errorf("after: %v", err)
	}
}

func testProjectOnce(t *testing.T, w world) {
	key, other := w.key("alice", policy.Limits{}), w.key("alice", policy.Limits{})
	req := api.ProjectRequest{Name: "pong", Template: api.TemplateBlank}
	create := func(keyID, name, fingerprint string) (api.Project, bool, error) {
		return w.Service.CreateProjectOnce(t.Context(), "alice", req, sidecar.Once{KeyID: keyID, Name: name, Fingerprint: fingerprint})
	}
	first, replayed, err := create(key.ID, "a", "f")
	if err != nil || replayed {
		t.Fatal(err, replayed)
	}
	if again, replayed, err := create(key.ID, "a", "f"); err != nil || !replayed || again != first {
		t.Errorf("again %+v, %v, %v", again, replayed, err)
	}
	if _, _, err := create(key.ID, "a", "g"); !errors.Is(err, sidecar.ErrIdempotencyMismatch) {
		t.Errorf("another body: %v", err)
	}
	for _, of := range [][2]string{{key.ID, "b"}, {other.ID, "a"}, {key.ID, ""}} {
		if made, replayed, err := create(of[0], of[1], "f"); err != nil || replayed || made.ID == first.ID {
			t.Errorf("%v: %+v, %v, %v", of, made, replayed, err)
		} else if err := w.Service.DeleteProject(t.Context(), made.ID); err != nil { // a user has three at most
			t.Fatal(err)
		}
	}
	if err := w.Service.DeleteProject(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	if made, replayed, err := create(key.ID, "a", "f"); err != nil || replayed || made.ID == first.ID {
		t.Errorf("after its deletion %+v, %v, %v", made, replayed, err)
	}
}
