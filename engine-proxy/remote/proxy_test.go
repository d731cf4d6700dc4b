package remote_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/test/wait"
)

// through sends a request to a Proxy before a stub.
func through(stub *stubEngines, method, path string, header http.Header, body string) *http.Response {
	r := httptest.NewRequest(method, "http://engines"+path, strings.NewReader(body))
	r.Header = header
	w := httptest.NewRecorder()
	remote.NewProxy(stub, zap.NewNop()).ServeHTTP(w, r)
	return w.Result()
}

func TestProxyPassesThePublicRoutesAndNothingElse(t *testing.T) {
	t.Parallel()
	got := make(chan string, 100)
	stub := newStub(t, func(_ http.ResponseWriter, r *http.Request) { got <- r.Method + " " + r.URL.RequestURI() })
	at := "/engines/" + someProject
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"POST", at + "/v1/generate", 200},
		{"GET", at + "/v1/generate/" + someJob + "/status?projectId=" + someProject, 200},
		{"GET", at + "/v1/generate/" + someJob + "/events?lastEventId=3", 200},
		{"HEAD", at + "/v1/generate/" + someJob + "/files", 200},
		{"DELETE", at + "/v1/generate/" + someJob, 200},

		{"GET", at + "/internal/jobs", 404},
		{"POST", at + "/internal/fence", 404},
		{"POST", at + "/v1/generate/../../internal/fence", 404},
		{"GET", at + "/v1/generate/" + someJob + "/status/../../../../internal/jobs", 404},
		{"GET", at + "/v1/generate/%2e%2e/internal", 404},
		{"GET", at + "//internal/jobs", 404},
		{"GET", at + "/v1/generate", 404},
		{"PUT", at + "/v1/generate/" + someJob, 404},
		{"POST", at + "/v1/generate/" + someJob + "/status", 404},
		{"GET", at + "/v1/generate/" + someJob + "/logs", 404},
		{"GET", at + "/v1/generate/nojob/status", 404},
		{"GET", "/engines/noproject/v1/generate/" + someJob + "/status", 404},
		{"GET", at, 404},
	} {
		before, attached, _ := stub.asked()
		res := through(stub, c.method, c.path, http.Header{}, "")
		if res.StatusCode != c.status {
			t.Errorf("%s %s: %d", c.method, c.path, res.StatusCode)
		}
		if after, attaches, _ := stub.asked(); c.status == 404 && (after != before || attaches != attached) {
			t.Errorf("%s %s: the engines were asked", c.method, c.path)
		}
	}
	if n := len(got); n != 5 { // each answer of 200 came after its request was noted
		t.Errorf("the engine got %d requests, of them:", n)
		for range n {
			t.Errorf("%q", <-got)
		}
	}
	if submits, attaches, held := stub.asked(); submits != 1 || attaches != 4 || held != 0 {
		t.Errorf("%d submissions, %d attached, %d leases held", submits, attaches, held)
	}
}

func TestProxyLeavesTheClientsCredentialsBehind(t *testing.T) {
	t.Parallel()
	asked := make(chan http.Header, 1)
	stub := newStub(t, func(_ http.ResponseWriter, r *http.Request) { asked <- r.Header.Clone() })
	through(stub, "POST", "/engines/"+someProject+"/v1/generate", http.Header{
		"Authorization": {"Bearer sk-client"}, "X-Api-Key": {"sk-client"}, "Cookie": {"session=1"},
		contract.HeaderJobID: {someJob}, contract.HeaderSessionID: {"ses_1"},
	}, `{}`)
	got := wait.For(t, "the engine is asked", asked)
	if got.Get("Authorization") != "Bearer "+engineToken || got.Get(contract.HeaderJobID) != someJob || got.Get(contract.HeaderSessionID) != "ses_1" {
		t.Errorf("the engine got %v", got)
	}
	for name, values := range got {
		if strings.Contains(fmt.Sprint(values), "sk-client") || name == "Cookie" {
			t.Errorf("the engine got %s: %v", name, values)
		}
	}
}

func TestProxyAsksNoInstanceButTheOneThatIsMeant(t *testing.T) {
	t.Parallel()
	stub := newStub(t, func(http.ResponseWriter, *http.Request) { t.Error("the engine was reached") })
	res := through(stub, "POST", "/engines/"+someProject+"/v1/generate", http.Header{contract.HeaderInstance: {"another"}}, `{}`)
	if res.StatusCode != 503 || res.Header.Get(contract.HeaderRefused) != "true" || res.Header.Get(contract.HeaderInstance) != "another" {
		t.Errorf("got %d %v", res.StatusCode, res.Header)
	}
	if _, _, held := stub.asked(); held != 0 {
		t.Error("the lease is held")
	}
}

func TestProxyBelievesNoOtherInstance(t *testing.T) {
	t.Parallel()
	stub := newStub(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(contract.HeaderInstance, "another")
		w.Header().Set(contract.HeaderRefused, "true")
	})
	res := through(stub, "POST", "/engines/"+someProject+"/v1/generate", http.Header{}, `{}`)
	if res.StatusCode != 502 || res.Header.Get(contract.HeaderRefused) != "" {
		t.Errorf("got %d %v", res.StatusCode, res.Header)
	}
}

func TestSubmissionThatReachedNoEngineIsMarkedAsRefused(t *testing.T) {
	t.Parallel()
	asks := http.Header{contract.HeaderInstance: {instance}}
	for name, spoil := range map[string]func(*stubEngines){
		"the engine starts":      func(s *stubEngines) { s.err = &engineproxy.StartingError{Phase: "booting"} },
		"the driver is away":     func(s *stubEngines) { s.err = engineproxy.ErrUnreachable },
		"nothing listens there":  func(s *stubEngines) { s.at.Address += ".gone" },
		"the actor has no lease": func(s *stubEngines) { s.err = errors.New("closing") },
	} {
		stub := newStub(t, func(http.ResponseWriter, *http.Request) { t.Error("the engine was reached") })
		spoil(stub)
		res := through(stub, "POST", "/engines/"+someProject+"/v1/generate", asks.Clone(), `{}`)
		if res.StatusCode != 503 || res.Header.Get(contract.HeaderRefused) != "true" || res.Header.Get(contract.HeaderInstance) != instance {
			t.Errorf("%s: got %d %v", name, res.StatusCode, res.Header)
		}
	}
}

func TestAnswerThatBreaksOffIsNoRefusal(t *testing.T) {
	t.Parallel()
	stub := newStub(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	res := through(stub, "POST", "/engines/"+someProject+"/v1/generate", http.Header{contract.HeaderInstance: {instance}}, `{}`)
	if res.StatusCode != 502 || res.Header.Get(contract.HeaderRefused) != "" || res.Header.Get(contract.HeaderInstance) != "" {
		t.Errorf("got %d %v", res.StatusCode, res.Header)
	}
}

// TestEventsComeThroughAtOnce goes all the way from a gateway on another host:
// bridge, mutual TLS, proxy, engine.
func TestEventsComeThroughAtOnce(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	stub := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "id: %d\n\n", i)
			if err := http.NewResponseController(w).Flush(); err != nil {
				return
			}
			select {
			case <-next: // the test has read it
			case <-r.Context().Done():
				return
			}
		}
	})
	engines := overStub(t, stub)
	lease, err := engines.Attach(t.Context(), someProject)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	res, err := ask(t.Context(), lease, "GET", "/v1/generate/"+someJob+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for i := range 3 {
		if !lines.Scan() || lines.Text() != fmt.Sprintf("id: %d", i) {
			t.Fatalf("event %d: %q, %v", i, lines.Text(), lines.Err())
		}
		lines.Scan()
		next <- struct{}{}
	}
}

func TestSubmissionFromAnotherHostArrivesWhole(t *testing.T) {
	t.Parallel()
	brief := strings.Repeat("a duck ", 100_000)
	stub := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != brief || r.Header.Get("Authorization") != "Bearer "+engineToken || r.Header.Get("X-Api-Key") != "" {
			t.Errorf("the engine got %d bytes, %v, %v", len(body), err, r.Header)
		}
		w.WriteHeader(http.StatusOK)
	})
	engines := overStub(t, stub)
	lease, err := engines.Submit(t.Context(), engineproxy.Project{ID: someProject}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if lease.Token == engineToken {
		t.Error("the gateway got the engine's token")
	}
	res, err := ask(t.Context(), lease, "POST", "/v1/generate", bytes.NewReader([]byte(brief)))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 200 || res.Header.Get(contract.HeaderInstance) != instance {
		t.Errorf("got %s %v", res.Status, res.Header)
	}
	if submits, _, _ := stub.asked(); submits != 2 {
		t.Errorf("the actor was asked %d times, want for the lease and for the submission", submits)
	}
	lease.Release()
	if res, err = ask(t.Context(), lease, "GET", "/v1/generate/"+someJob+"/events", nil); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("after the lease's end: %s", res.Status)
	}
}
