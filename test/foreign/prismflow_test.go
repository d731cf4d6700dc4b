package foreign

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

func (p through) makesAProject() string {
	p.Helper()
	var made api.ProjectCreated
	body := map[string]string{"name": "Duck"}
	p.g.Decode(p.wants(201, "POST", "/v1/projects", body, "Idempotency-Key", "duck").Body, &made)
	p.wants(201, "POST", "/v1/projects", body, "Idempotency-Key", "duck")
	p.wants(422, "POST", "/v1/projects", map[string]string{"name": "Goose"}, "Idempotency-Key", "duck")
	p.wants(200, "GET", "/v1/projects", nil)
	p.wants(200, "GET", "/v1/projects/"+made.Data.ID, nil)
	p.wants(403, "GET", "/v1/projects/"+mint.NewProjectID(), nil)
	return made.Data.ID
}

// submits submits a job twice, by one Idempotency-Key.
func (p through) submits(body map[string]any) (sub api.Submission) {
	p.Helper()
	once := rand.Text()
	wait.Until(p, "the submission is accepted", func() bool {
		_, a, err := rig.Send(p.Context(), http.DefaultClient, p.key.Secret, "POST", "http://"+p.addr+"/v1/generate", body, "Idempotency-Key", once)
		if err != nil || a.Status != http.StatusServiceUnavailable && a.Status != http.StatusOK {
			p.Fatalf("submitting: %v %d %s", err, a.Status, a.Body)
		}
		if a.Status == http.StatusOK {
			p.g.Decode(a.Body, &sub)
		}
		return a.Status == http.StatusOK
	})
	p.wants(200, "POST", "/v1/generate", body, "Idempotency-Key", once)
	return sub
}

// follows follows a job to its end, and has its game.
func (p through) follows(sub api.Submission) {
	p.Helper()
	job, query := "/v1/generate/"+sub.JobID, "?projectId="+sub.ProjectID
	p.streams(job + "/events" + query) // live, to its end
	var record api.Job
	status := p.wants(200, "GET", job+"/status"+query, nil)
	p.g.Decode(status.Body, &record)
	if record.Status != api.JobCompleted {
		p.Fatalf("the job ended %s", record.Status)
	}
	p.wants(304, "GET", job+"/status"+query, nil, "If-None-Match", status.Header.Get("ETag"))
	p.streams(job + "/events" + query)
	p.wants(204, "GET", job+"/events"+query, nil, "Last-Event-ID", "100000")
	p.streams(job+"/events"+query, "Last-Event-ID", "none")
	p.wants(403, "GET", job+"/status?projectId="+mint.NewProjectID(), nil)
	zip := p.wants(200, "GET", job+"/files"+query, nil)
	p.wants(206, "GET", job+"/files"+query, nil, "Range", "bytes=0-99")
	p.wants(304, "GET", job+"/files"+query, nil, "If-None-Match", zip.Header.Get("ETag"))
	p.wants(412, "GET", job+"/files"+query, nil, "If-Match", `"another"`)
	p.wants(416, "GET", job+"/files"+query, nil, "Range", "bytes=99999999-")
	p.wants(200, "DELETE", job+query, nil)
	p.wants(200, "GET", "/v1/generate"+query, nil)

	var token api.StreamToken
	p.g.Decode(p.wants(201, "POST", job+"/events/token"+query, nil).Body, &token)
	page := p
	page.key = rig.Key{}
	page.streams(job + "/events" + query + "&token=" + token.Token)
	page.wants(401, "GET", job+"/events"+query+"&token=stk-"+strings.Repeat("0", 49), nil)
}

// publishes has players get the game, and changes all that is set for it.
func (p through) publishes(project, jobID string) {
	p.Helper()
	p.wants(200, "POST", project+"/publish", map[string]string{"jobId": jobID})
	p.wants(200, "GET", project+"/publish", nil)
	p.wants(200, "GET", project+"/publish/settings", nil)
	p.wants(200, "POST", project+"/publish/settings", map[string]any{"origins": []string{"https://example.com"}, "tikPerMonth": 5})
	p.wants(200, "POST", project+"/publish/key", map[string]int{"keepDays": 0})
	p.wants(200, "POST", project+"/experiments", map[string]any{"id": "speed", "values": []string{"1", "1.25"}})
	p.wants(200, "GET", project+"/experiments", nil)
	p.wants(200, "POST", project+"/board", map[string]any{"better": "higher", "most": 1000, "rewards": []any{}})
	p.wants(200, "GET", project+"/board", nil)
	p.wants(200, "GET", project+"/analytics/overview", nil)
	p.wants(200, "GET", project+"/analytics/engagement?format=csv", nil)
	p.wants(200, "GET", project+"/analytics/engagement", nil)
}

// isPostedTo sets a webhook, cancels a running job that has one of its own, and replays
// what was posted of it.
func (p through) isPostedTo(project string) {
	p.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	p.Cleanup(receiver.Close)
	hook := project + "/webhook"
	p.wants(404, "GET", hook, nil)
	p.wants(200, "POST", hook, map[string]any{"url": receiver.URL, "events": []string{"job.completed"}})
	p.wants(200, "GET", hook, nil)
	p.wants(200, "POST", hook+"/secret", nil)

	brief := map[string]any{
		"projectId": strings.TrimPrefix(project, "/v1/projects/"), "prompt": "make it faster",
		"webhook": map[string]any{"url": receiver.URL + "/own", "events": []string{"job.cancelled"}},
	}
	var job api.Job
	watcher := p.g.NewKey("foreign") // who polls may have to slow down
	wait.Until(p, "a job is cancelled while it runs", func() bool {
		sub := p.submits(brief)
		at, query := "/v1/generate/"+sub.JobID, "?projectId="+sub.ProjectID
		wait.Until(p, "the job is no more in the queue", func() bool {
			a := p.g.Call(watcher, "GET", at+"/status"+query, nil)
			p.g.Decode(a.Body, &job)
			return a.Status == http.StatusOK && job.Status != api.JobQueued
		})
		ran := job.Status == api.JobRunning
		p.g.Decode(p.wants(200, "DELETE", at+query, nil).Body, &job)
		return ran && job.Status == api.JobCancelled
	})
	var list api.DeliveryList
	wait.Until(p, "its end is posted", func() bool {
		p.g.Decode(p.wants(200, "GET", hook+"/deliveries?state=delivered", nil).Body, &list)
		return len(list.Data) > 0
	})
	if one := list.Data[0]; one.JobID != job.JobID || one.Event != api.HookCancelled {
		p.Errorf("posted was %+v, want the end of %s", one, job.JobID)
	}
	p.wants(200, "POST", hook+"/replay", map[string]string{"deliveryId": list.Data[0].ID})
	p.wants(200, "DELETE", hook, nil)
}
