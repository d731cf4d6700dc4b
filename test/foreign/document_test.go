package foreign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/openapi"
	"github.com/svc-games/svc/test/rig"
)

const (
	seed     = 24
	requests = 300    // of the short form
	many     = 10_000 // of the long one
	keys     = 12     // one key may send 100 a second
	jobs     = "4"    // that each key may submit
	reading  = 300 * time.Millisecond
)

// unreached are operations that never succeed here, and why.
var unreached = map[string]string{
	"replayDelivery": "no delivery's id is known",
}

// TestRequestsMadeOfTheDocumentAreAnsweredAsItSays: whatever is wrong with a request,
// the answer has a status, headers and a body that the document names, and none is a 500.
// In the long form each operation succeeds at least once.
func TestRequestsMadeOfTheDocumentAreAnsweredAsItSays(t *testing.T) {
	d, err := openapi.Read()
	if err != nil {
		t.Fatal(err)
	}
	s := newScene(t, d)
	n := requests
	if long.Asked() {
		n = many
	}
	seen, succeeded := map[string]int{}, map[string]bool{}
	for i := range n {
		r := s.next(i)
		a, problem := s.send(i, r)
		if problem != nil {
			t.Errorf("request %d, %s: %s %.300s %q %.300q: %d %.300s\n%v", i, r.operation, r.method, r.path, r.header, r.body, a.Status, a.Body, problem)
		}
		s.learn(r, a.Status, a.Body)
		seen[fmt.Sprint(a.Status)]++
		if r.whole && a.Status/100 == 2 {
			succeeded[r.operation] = true
		}
	}
	for _, o := range s.operations {
		if excused := unreached[o.OperationID] != ""; long.Asked() && succeeded[o.OperationID] == excused {
			t.Errorf("%s: it is excused: %t, and succeeded: %t", o.OperationID, excused, succeeded[o.OperationID])
		}
	}
	t.Logf("answers by status: %v", seen)
}

// blocks returns what of a stream is whole blocks.
func blocks(raw []byte) []byte {
	const end = "\n\n"
	i := bytes.LastIndex(raw, []byte(end))
	if i < 0 {
		return nil
	}
	return raw[:i+len(end)]
}

func TestBlocksHaveNoHalfOne(t *testing.T) {
	for raw, want := range map[string]string{"": "", ":": "", ": ok\n": "", ": ok\n\n": ": ok\n\n", ": ok\n\nid: 1\nda": ": ok\n\n"} {
		if got := blocks([]byte(raw)); string(got) != want {
			t.Errorf("of %q come %q, want %q", raw, got, want)
		}
	}
}

// scene is a service with a project of which a job has ended.
type scene struct {
	*maker
	d    *openapi.Description
	g    *rig.Gateway
	keys []rig.Key
}

func newScene(t *testing.T, d *openapi.Description) *scene {
	t.Helper()
	s := &scene{maker: newMaker(d.Doc, seed), d: d, g: rig.Launch(t, rig.Options{Env: []string{"SVC_RETRY_AFTER=1s"}})}
	s.g.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.g.NewUser("foreign", "1000")
	for range keys {
		s.keys = append(s.keys, s.g.NewKey("foreign", "--jobs-per-day", jobs, "--max-concurrent-jobs", "1"))
	}
	project := s.g.NewProject(s.keys[0])
	sub := s.g.Generate(s.keys[0], project)
	if job := s.g.Finish(s.keys[0], sub); job.Status != "completed" {
		t.Fatalf("the job ended %s", job.Status)
	}
	s.known["ProjectId"], s.known["JobId"] = []string{project}, []string{sub.JobID}
	return s
}

// send sends a request and returns how its answer differs from the document.
func (s *scene) send(n int, r request) (rig.Answer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var body io.Reader
	if raw, is := r.body.([]byte); is {
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, "http://"+s.g.Addr+r.path, body)
	if err != nil {
		return rig.Answer{}, err
	}
	if r.key {
		req.Header.Set("X-API-Key", s.keys[n%len(s.keys)].Secret)
	}
	for i := 0; i+1 < len(r.header); i += 2 {
		req.Header.Set(r.header[i], r.header[i+1])
	}
	res, err := s.g.HTTP.Do(req)
	if err != nil {
		return rig.Answer{}, err
	}
	defer res.Body.Close()
	stream := strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
	if stream { // of a job that runs
		defer time.AfterFunc(reading, cancel).Stop()
	}
	raw, err := io.ReadAll(res.Body)
	if stream && errors.Is(err, context.Canceled) {
		raw, err = blocks(raw), nil
	}
	a := rig.Answer{Status: res.StatusCode, Header: res.Header, Body: raw}
	if err != nil {
		return a, err
	}
	if clean := path.Clean(req.URL.Path); !strings.HasPrefix(clean, "/v1/") && clean != "/openapi.yaml" { // what the site has, or not
		if a.Status >= http.StatusInternalServerError {
			return a, errors.New("a defect")
		}
		return a, nil
	}
	return a, s.d.Check(req, a)
}
