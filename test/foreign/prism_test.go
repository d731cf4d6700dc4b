package foreign

import (
	"bytes"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/openapi"
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
	g      *rig.Gateway // to read what it answers
	addr   string
	key    rig.Key
	passed map[string]bool // by method and address: succeeded
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
	p.pass(method, path, status)
	return a
}

func (p through) pass(method, path string, status int) {
	address, _, _ := strings.Cut(path, "?")
	if status/100 == 2 {
		p.passed[method+" "+address] = true
	}
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
	p.pass("GET", path, http.StatusOK)
}

// TestFlowPassesPrismThatValidatesIt: a program of others between a client and the service
// finds nothing that is not as the document says, in any operation. It sees no event of a
// stream and no file of a ZIP, which TestRequestsMadeOfTheDocumentAreAnsweredAsItSays and
// TestReadersOfOthersUnpackAGame do, nor what is posted to webhooks. The short form goes from
// a project to its game.
func TestFlowPassesPrismThatValidatesIt(t *testing.T) {
	g := rig.Launch(t, rig.Options{Env: []string{"SVC_RETRY_AFTER=1s", "SVC_WEBHOOK_NETWORKS=127.0.0.0/8"}})
	g.NewUser("foreign", "1000")
	p := through{t, g, prism(t, "proxy", "http://"+g.Addr, "--errors"), g.NewKey("foreign"), map[string]bool{}}

	p.wants(200, "GET", "/openapi.yaml", nil)
	p.wants(200, "GET", "/v1/models", nil)
	made := p.makesAProject()
	project := "/v1/projects/" + made
	sub := p.submits(map[string]any{"projectId": made, "prompt": "a duck that flaps through gaps"})
	p.follows(sub)
	if !long.Asked() {
		return
	}
	p.publishes(project, sub.JobID)
	p.isPostedTo(project)
	p.wants(200, "DELETE", project+"/publish", nil)
	p.wants(200, "DELETE", project, nil)

	named := strings.NewReplacer(made, "{projectId}", sub.JobID, "{jobId}", "analytics/engagement", "analytics/{view}")
	passed := map[string]bool{}
	for at := range p.passed {
		passed[named.Replace(at)] = true
	}
	d, err := openapi.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range newMaker(d.Doc, seed).operations {
		if !passed[o.method+" "+o.path] {
			t.Errorf("%s did not succeed through Prism", o.OperationID)
		}
	}
}
