package e2e

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// TestWebhookPageIsTrueInEachLanguage: who copies a receiver of docs/webhooks.md is told of
// the end of a job, once, and of nothing that the service did not post.
func TestWebhookPageIsTrueInEachLanguage(t *testing.T) {
	s := start(t, inOneForm(t), toLoopback)
	key := s.newKey("demo")
	all := programsOf(t, "docs/webhooks.md")
	if len(all) != 3 {
		t.Errorf("docs/webhooks.md has %d languages, want 3", len(all))
	}
	for language, program := range all {
		s.wantReceived(key, language, program)
	}
}

func (s *service) wantReceived(key apiKey, language, program string) {
	t := s.t
	t.Helper()
	at, project := freeport.Address(t), s.newProject(key)
	_, port, _ := net.SplitHostPort(at)
	secret := s.setWebhook(key, project, "http://"+at)
	receiver := s.program(t.Context(), language, program, "PORT="+port, "SVC_WEBHOOK_SECRET="+secret)
	said := new(rig.Log)
	receiver.Stdout, receiver.Stderr = said, said
	if err := child.Start(receiver); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = receiver.Process.Kill() // it may have ended
		_ = receiver.Wait()
		t.Logf("the receiver in %s said:\n%s", language, said)
	}()
	wait.Until(t, "the receiver listens", func() bool {
		c, err := net.Dial("tcp", at)
		if err == nil {
			err = c.Close()
		}
		return err == nil
	})
	forged, err := http.Post("http://"+at, "application/json", strings.NewReader(`{"type":"job.completed","data":{"jobId":"forged"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := forged.Body.Close(); err != nil || forged.StatusCode != http.StatusBadRequest {
		t.Errorf("%s: a post of another is answered %s: %v", language, forged.Status, err)
	}
	job := s.submit(key, map[string]any{"projectId": project, "prompt": brief})
	s.finish(key, job)
	delivered := func() bool {
		var list api.DeliveryList
		s.decode(s.call(key, "GET", "/v1/projects/"+project+"/webhook/deliveries?state=delivered", nil).body, &list)
		return len(list.Data) == 1
	}
	wait.Until(t, "the end of the job is posted", delivered)
	replay := map[string]string{"deliveryId": api.DeliveryID(job.JobID)}
	if a := s.call(key, "POST", "/v1/projects/"+project+"/webhook/replay", replay); a.status != http.StatusOK {
		t.Errorf("a replay: %d %s", a.status, a.body)
	}
	wait.Until(t, "it is posted again", delivered)
	line := api.HookCompleted + " " + job.JobID + "\n"
	wait.Until(t, "the end of the job is said", func() bool { return strings.Contains(said.String(), line) })
	if strings.Count(said.String(), job.JobID) != 1 || strings.Contains(said.String(), "forged") {
		t.Errorf("%s: it does not say the end once", language)
	}
}
