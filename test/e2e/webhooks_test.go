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

// toLoopback has the service post to receivers of a test.
const toLoopback = "SVC_WEBHOOK_NETWORKS=127.0.0.0/8, ::1/128"

// post is what a receiver got.
type post struct {
	header http.Header
	body   []byte
}

// receiver takes posts, and returns its address.
func receiver(t *testing.T) (address string, posts chan post) {
	t.Helper()
	posts = make(chan post, 8)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		posts <- post{r.Header, body}
	}))
	t.Cleanup(server.Close)
	return server.URL, posts
}

// setWebhook sets the webhook of a project and returns its secret.
func (s *service) setWebhook(key apiKey, project, address string) string {
	s.t.Helper()
	var hook api.WebhookFound
	s.decode(s.call(key, "POST", "/v1/projects/"+project+"/webhook", map[string]string{"url": address}).body, &hook)
	return hook.Data.Secret
}

// wantPost verifies a post, and wants it to be of the end of a job.
func (s *service) wantPost(got post, secret string, job api.Submission) {
	s.t.Helper()
	if err := client.VerifyWebhook(got.header, got.body, secret); err != nil {
		s.t.Errorf("%v: %s", err, got.body)
	}
	var said api.WebhookPost
	s.decode(got.body, &said)
	if said.Data.JobID != job.JobID || said.Type != api.HookCompleted || got.header.Get("Webhook-Id") != api.DeliveryID(job.JobID) {
		s.t.Errorf("posted %+v", said)
	}
}

// TestEndOfAJobReachesItsWebhook sets a webhook through /v1, and verifies what is posted.
func TestEndOfAJobReachesItsWebhook(t *testing.T) { inEveryForm(t, endOfAJobReachesItsWebhook) }

func endOfAJobReachesItsWebhook(t *testing.T, f form) {
	address, posts := receiver(t)
	s := start(t, f, toLoopback)
	key := s.newKey("demo")
	project := s.newProject(key)
	secret := s.setWebhook(key, project, address)
	job := s.submit(key, map[string]any{"projectId": project, "prompt": brief})
	s.finish(key, job)
	s.wantPost(wait.For(t, "the post", posts), secret, job)
	wait.Until(t, "the note of the delivery", func() bool {
		var list api.DeliveryList
		s.decode(s.call(key, "GET", "/v1/projects/"+project+"/webhook/deliveries?state=delivered", nil).body, &list)
		return len(list.Data) == 1 && list.Data[0].JobID == job.JobID
	})
	replay := map[string]string{"deliveryId": api.DeliveryID(job.JobID)}
	if a := s.call(key, "POST", "/v1/projects/"+project+"/webhook/replay", replay); a.status != http.StatusOK {
		t.Errorf("a replay: %d %s", a.status, a.body)
	}
	if again := wait.For(t, "the replay", posts); again.header.Get("Webhook-Id") != api.DeliveryID(job.JobID) {
		t.Errorf("posted %v", again.header)
	}
}

// TestEndOfAJobWithAWebhookOfItsOwnReachesThatOneAlone, signed by the project's secret; the
// next job is the project's again.
func TestEndOfAJobWithAWebhookOfItsOwnReachesThatOneAlone(t *testing.T) {
	inEveryForm(t, endOfAJobWithAWebhookOfItsOwnReachesThatOneAlone)
}

func endOfAJobWithAWebhookOfItsOwnReachesThatOneAlone(t *testing.T, f form) {
	address, projects := receiver(t)
	own, jobs := receiver(t)
	s := start(t, f, toLoopback)
	key := s.newKey("demo")
	project := s.newProject(key)
	secret := s.setWebhook(key, project, address)
	job := s.submit(key, map[string]any{"projectId": project, "prompt": brief, "webhook": map[string]string{"url": own}})
	next := s.submit(key, map[string]any{"projectId": project, "prompt": "make it faster"})
	s.finish(key, next)
	s.wantPost(wait.For(t, "the post of the job with a webhook of its own", jobs), secret, job)
	s.wantPost(wait.For(t, "the post of the next one", projects), secret, next)
	if len(jobs)+len(projects) > 0 {
		t.Errorf("%d posts more to the job's webhook, %d to the project's", len(jobs), len(projects))
	}
}
