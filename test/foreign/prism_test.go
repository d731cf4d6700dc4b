package foreign

import (
	"bytes"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// prism starts one of Prism's servers on the document and returns its address.
func prism(t *testing.T, kind string, args ...string) string {
	t.Helper()
	addr := freeport.Address(t)
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{kind, filepath.Join(rig.Root(t), "api", "openapi.yaml")}, args...)
	cmd := exec.Command("node_modules/.bin/prism", append(args, "--host", host, "--port", port)...)
	cmd.Dir = foreignFolder(t, "stoplight")
	said := new(rig.Log)
	cmd.Stdout, cmd.Stderr = said, said
	if err := child.Start(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("Prism said:\n%.8000s", said)
		}
	})
	wait.Until(t, "Prism listens", func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			err = c.Close()
		}
		return err == nil
	})
	return addr
}

// through sends requests through Prism, which answers itself when one, or the service's
// answer to it, is not as the document says.
type through struct {
	*testing.T
	addr string
	key  rig.Key
}

func (p through) wants(status int, method, path string, body any, headers ...string) rig.Answer {
	p.Helper()
	_, a, err := rig.Send(p.Context(), http.DefaultClient, p.key.Secret, method, "http://"+p.addr+path, body, headers...)
	if err != nil {
		p.Fatalf("%s %s: %v", method, path, err)
	}
	if a.Status != status || bytes.Contains(a.Body, []byte("stoplight.io/prism/errors")) {
		p.Errorf("%s %s %v: %d, want %d: %.1500s", method, path, headers, a.Status, status, a.Body)
	}
	return a
}

// streams reads a stream to its end.
func (p through) streams(path string, headers ...string) {
	p.Helper()
	_, a, err := rig.Send(p.Context(), http.DefaultClient, p.key.Secret, "GET", "http://"+p.addr+path, nil, headers...)
	if err != nil {
		p.Fatal(err)
	}
	if err := onlyStream(a.Body); err != nil {
		p.Errorf("GET %s: %d %v", path, a.Status, err)
	}
}

// TestFlowPassesPrismThatValidatesIt: a program of others between a client and the service
// finds nothing that is not as the document says, from the project to the ended job. What
// is in streams, TestRequestsMadeOfTheDocumentAreAnsweredAsItSays holds to it.
func TestFlowPassesPrismThatValidatesIt(t *testing.T) {
	long.Only(t) // TestRequestsMadeOfTheDocumentAreAnsweredAsItSays, of which each answer is validated
	g := rig.Launch(t, rig.Options{Env: []string{"SVC_RETRY_AFTER=1s"}})
	g.NewUser("foreign", "1000")
	key := g.NewKey("foreign")
	p := through{t, prism(t, "proxy", "http://"+g.Addr, "--errors"), key}

	p.wants(200, "GET", "/openapi.yaml", nil)
	p.wants(200, "GET", "/v1/models", nil)
	var made api.ProjectCreated
	body := map[string]string{"name": "Duck"}
	g.Decode(p.wants(201, "POST", "/v1/projects", body, "Idempotency-Key", "duck").Body, &made)
	p.wants(201, "POST", "/v1/projects", body, "Idempotency-Key", "duck")
	p.wants(422, "POST", "/v1/projects", map[string]string{"name": "Goose"}, "Idempotency-Key", "duck")
	project := "/v1/projects/" + made.Data.ID
	p.wants(200, "GET", "/v1/projects", nil)
	p.wants(200, "GET", project, nil)
	p.wants(403, "GET", "/v1/projects/"+api.NewProjectID(), nil)

	var sub api.Submission
	brief := map[string]string{"projectId": made.Data.ID, "prompt": "a duck that flaps through gaps"}
	wait.Until(t, "the submission is accepted", func() bool {
		_, a, err := rig.Send(t.Context(), http.DefaultClient, key.Secret, "POST", "http://"+p.addr+"/v1/generate", brief, "Idempotency-Key", "brief")
		if err != nil || a.Status != http.StatusServiceUnavailable && a.Status != http.StatusOK {
			t.Fatalf("submitting: %v %d %s", err, a.Status, a.Body)
		}
		if a.Status == http.StatusOK {
			g.Decode(a.Body, &sub)
		}
		return a.Status == http.StatusOK
	})
	p.wants(200, "POST", "/v1/generate", brief, "Idempotency-Key", "brief")
	job, query := "/v1/generate/"+sub.JobID, "?projectId="+sub.ProjectID
	p.streams(job + "/events" + query) // live, to its end
	var record api.Job
	status := p.wants(200, "GET", job+"/status"+query, nil)
	g.Decode(status.Body, &record)
	if record.Status != api.JobCompleted {
		t.Fatalf("the job ended %s", record.Status)
	}

	p.wants(304, "GET", job+"/status"+query, nil, "If-None-Match", status.Header.Get("ETag"))
	p.streams(job + "/events" + query)
	p.wants(204, "GET", job+"/events"+query, nil, "Last-Event-ID", "100000")
	p.streams(job+"/events"+query, "Last-Event-ID", "none")
	p.wants(403, "GET", job+"/status?projectId="+api.NewProjectID(), nil)
	zip := p.wants(200, "GET", job+"/files"+query, nil)
	p.wants(206, "GET", job+"/files"+query, nil, "Range", "bytes=0-99")
	p.wants(304, "GET", job+"/files"+query, nil, "If-None-Match", zip.Header.Get("ETag"))
	p.wants(412, "GET", job+"/files"+query, nil, "If-Match", `"another"`)
	p.wants(416, "GET", job+"/files"+query, nil, "Range", "bytes=99999999-")
	p.wants(200, "DELETE", job+query, nil)
	p.wants(200, "GET", "/v1/generate"+query, nil)

	var token api.StreamToken
	g.Decode(p.wants(201, "POST", job+"/events/token"+query, nil).Body, &token)
	page := through{t, p.addr, rig.Key{}}
	page.streams(job + "/events" + query + "&token=" + token.Token)
	page.wants(401, "GET", job+"/events"+query+"&token=stk-"+strings.Repeat("0", 49), nil)

	p.wants(200, "POST", project+"/publish", map[string]string{"jobId": sub.JobID})
	p.wants(200, "GET", project+"/publish", nil)
	p.wants(200, "GET", project+"/publish/settings", nil)
	p.wants(200, "GET", project+"/analytics/overview", nil)
	p.wants(200, "GET", project+"/analytics/engagement?format=csv", nil)
	p.wants(200, "DELETE", project+"/publish", nil)
	p.wants(404, "GET", project+"/webhook", nil)
	p.wants(200, "DELETE", project, nil)
}
