package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
	"github.com/svc-games/svc/test/wait"
)

// TestEndOfAJobReachesItsWebhook sets a webhook through /v1, and verifies what is posted.
func TestEndOfAJobReachesItsWebhook(t *testing.T) { inEveryForm(t, endOfAJobReachesItsWebhook) }

func endOfAJobReachesItsWebhook(t *testing.T, f form) {
	type post struct {
		header http.Header
		body   []byte
	}
	posts := make(chan post, 8)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		posts <- post{r.Header, body}
	}))
	t.Cleanup(receiver.Close)
	s := start(t, f, "SVC_WEBHOOK_NETWORKS=127.0.0.0/8, ::1/128")
	key := s.newKey("demo")
	project := s.newProject(key)
	var hook api.WebhookFound
	s.decode(s.call(key, "POST", "/v1/projects/"+project+"/webhook", map[string]string{"url": receiver.URL}).body, &hook)
	job := s.submit(key, map[string]any{"projectId": project, "prompt": brief})
	s.finish(key, job)
	got := wait.For(t, "the post", posts)
	if err := client.VerifyWebhook(got.header, got.body, hook.Data.Secret); err != nil {
		t.Errorf("%v: %s", err, got.body)
	}
	var said api.WebhookPost
	s.decode(got.body, &said)
	if said.Data.JobID != job.JobID || said.Type != api.HookCompleted || got.header.Get("Webhook-Id") != api.DeliveryID(job.JobID) {
		t.Errorf("posted %+v", said)
	}
	wait.Until(t, "the note of the delivery", func() bool {
		var list api.DeliveryList
		s.decode(s.call(key, "GET", "/v1/projects/"+project+"/webhook/deliveries?state=delivered", nil).body, &list)
		return len(list.Data) == 1 && list.Data[0].JobID == job.JobID
	})
}
