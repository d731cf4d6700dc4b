package foreign

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/openapi"
	"github.com/svc-games/svc/test/rig"
)

// TestMockAnswersEachOperationWithAnExampleThatFits: who builds against a mock of the
// document, before there is a service, gets answers as the service's would be.
func TestMockAnswersEachOperationWithAnExampleThatFits(t *testing.T) {
	d, err := openapi.Read()
	if err != nil {
		t.Fatal(err)
	}
	addr := prism(t, "mock")
	m := newMaker(d.Doc, seed)
	for _, o := range m.operations {
		r := m.request(o, "")
		var body any
		if raw, is := r.body.([]byte); is {
			body = raw
		}
		req, a, err := rig.Send(t.Context(), http.DefaultClient, "sk-mock", r.method, "http://"+addr+r.path, body, r.header...)
		if err != nil {
			t.Errorf("%s: %v", o.OperationID, err)
			continue
		}
		if o.OperationID == "streamEvents" { // Prism writes no object as text, whatever the example
			if a.Status != http.StatusInternalServerError || !bytes.Contains(a.Body, []byte("NO_COMPLEX_OBJECT_TEXT")) {
				t.Errorf("the stream is %d %v %.300q: docs/api.md says what Prism does otherwise", a.Status, a.Header, a.Body)
			}
			continue
		}
		if a.Status/100 != 2 {
			t.Errorf("%s %s %.300q: %d %.500s", o.OperationID, r.path, r.body, a.Status, a.Body)
			continue
		}
		for name := range a.Header { // of Prism's own
			if strings.HasPrefix(name, "Access-Control-") || name == "Connection" || name == "Keep-Alive" || name == "Vary" {
				a.Header.Del(name)
			}
		}
		if err := d.Check(req, a); err != nil {
			t.Errorf("%s: %v %.500s\n%v", o.OperationID, a.Header, a.Body, err)
		}
	}
}

// TestClientsGoThroughTheFlowAgainstAMock: with the examples that the document has, a
// program that is built against a mock gets from a project to a game. It has no events, as
// docs/api.md says: who waits for a job turns to its record.
func TestClientsGoThroughTheFlowAgainstAMock(t *testing.T) {
	long.Only(t) // TestMockAnswersEachOperationWithAnExampleThatFits is the short one
	base := "http://" + prism(t, "mock")
	programs, clients := filepath.Join(rig.Root(t), "test", "foreign", "stoplight"), filepath.Join(rig.Root(t), "client")
	t.Run("TypeScript", func(t *testing.T) {
		env := []string{"SVC_BASE_URL=" + base}
		if out := inFolder(t, programs, env, "node", "mock.mjs", filepath.Join(clients, "typescript", "index.js")); out != "2 true test\n" {
			t.Errorf("the client says %q", out)
		}
	})
	t.Run("Python", func(t *testing.T) {
		env := []string{"SVC_BASE_URL=" + base, "PYTHONPATH=" + filepath.Join(clients, "python")}
		if out := inFolder(t, programs, env, "python3", "-B", "mock.py"); out != "2 True test\n" {
			t.Errorf("the client says %q", out)
		}
	})
	t.Run("Go", func(t *testing.T) { goFlow(t, base, "sk-mock") })
}

// goFlow goes from a project to a game with the Go client.
func goFlow(t *testing.T, base, key string) {
	t.Helper()
	ctx := t.Context()
	c, err := client.New(client.Options{APIKey: key, BaseURL: base})
	if err != nil {
		t.Fatal(err)
	}
	project, err := c.CreateProject(ctx, api.ProjectRequest{Name: "Duck"})
	if err != nil {
		t.Fatal(err)
	}
	job, err := c.Generate(ctx, api.GenerateRequest{ProjectID: project.ID, Prompt: "a duck"})
	if err != nil {
		t.Fatal(err)
	}
	record, err := job.Wait(ctx)
	if err != nil || record.Status != api.JobCompleted || record.ProjectID != project.ID {
		t.Errorf("the record is %+v: %v", record, err)
	}
	if _, err := job.Download(ctx, filepath.Join(t.TempDir(), "game.zip")); err != nil {
		t.Error(err)
	}
}
