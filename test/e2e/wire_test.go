package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/test/wait"
)

// wire is a connection on which a test writes HTTP by hand.
type wire struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func (s *service) dial() *wire {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	ctx, cancel := wait.Context(s.t)
	s.t.Cleanup(cancel)
	context.AfterFunc(ctx, func() { conn.Close() }) // reads and writes fail from then on
	return &wire{s.t, conn, bufio.NewReader(conn)}
}

func (w *wire) send(lines ...string) {
	w.t.Helper()
	if _, err := io.WriteString(w.conn, strings.Join(lines, "\r\n")); err != nil {
		w.t.Fatal(err)
	}
}

// status reads the next status line and its headers, nothing behind them.
func (w *wire) status() int {
	w.t.Helper()
	var status int
	line, err := w.in.ReadString('\n')
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := fmt.Sscanf(line, "HTTP/1.1 %d", &status); err != nil {
		w.t.Fatalf("status line %q: %v", line, err)
	}
	for line != "\r\n" {
		if line, err = w.in.ReadString('\n'); err != nil {
			w.t.Fatal(err)
		}
	}
	return status
}

func TestExpectContinueIsAnsweredOnceAndOnlyToAGoodKey(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("demo")
	project := s.newProject(key)
	s.generate(key, project, brief) // so that an engine is ready
	body := fmt.Sprintf(`{"projectId":%q,"prompt":%q}`, project, brief)
	head := func(secret string) []string {
		return []string{
			"POST /v1/generate HTTP/1.1", "Host: " + s.addr, "X-API-Key: " + secret, "Content-Type: application/json",
			fmt.Sprintf("Content-Length: %d", len(body)), "Expect: 100-continue", "", "",
		}
	}
	bad := s.dial()
	bad.send(head(mint.NewKey())...)
	if got := bad.status(); got != http.StatusUnauthorized {
		t.Errorf("a key no one has is answered %d first", got)
	}
	good := s.dial()
	good.send(head(key.Secret)...)
	if got := good.status(); got != http.StatusContinue {
		t.Fatalf("a good key is answered %d first", got)
	}
	good.send(body)
	if got := good.status(); got != http.StatusOK {
		t.Errorf("after the body: %d", got)
	}
}

func TestAChunkedSubmissionArrivesWhole(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("demo")
	project := s.newProject(key)
	s.generate(key, project, brief) // so that an engine is ready
	w := s.dial()
	w.send("POST /v1/generate HTTP/1.1", "Host: "+s.addr, "X-API-Key: "+key.Secret, "Content-Type: application/json",
		"Transfer-Encoding: chunked", "", "")
	body := fmt.Sprintf(`{"projectId":%q,"prompt":%q}`, project, brief)
	for len(body) > 0 {
		n := min(7, len(body))
		w.send(fmt.Sprintf("%x", n), body[:n], "")
		body = body[n:]
	}
	w.send("0", "", "")
	if got := w.status(); got != http.StatusOK {
		t.Errorf("answered %d", got)
	}
}

func TestHeadersOfOursFromAClientAreDropped(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("demo")
	project := s.newProject(key)
	s.generate(key, project, brief) // so that an engine is ready
	forged := "job_01JD0000000000000000000000"
	a := s.call(key, "POST", "/v1/generate", map[string]string{"projectId": project, "prompt": brief},
		"Svc-Job-Id", forged, "Svc-Session-Id", "ses_forged", "Svc-Refused", "true")
	var sub api.Submission
	s.decode(a.body, &sub)
	if a.status != http.StatusOK || sub.JobID == forged || sub.SessionID == "ses_forged" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if job := s.finish(key, sub); job.SessionID != sub.SessionID {
		t.Errorf("the session is %s", job.SessionID)
	}
}

func TestNoKeyReachesAnEngineOrItsEnvironment(t *testing.T) {
	inEveryForm(t, noKeyReachesAnEngineOrItsEnvironment)
}

func noKeyReachesAnEngineOrItsEnvironment(t *testing.T, f form) {
	s := start(t, f, "SECRET_OF_THE_OPERATOR=swordfish")
	key := s.newKey("demo")
	s.finish(key, s.generate(key, s.newProject(key), brief))
	pids := s.enginePIDs()
	if len(pids) != 1 {
		t.Fatalf("engines: %v", pids)
	}
	for _, file := range []string{"environ", "cmdline"} {
		raw := s.read(fmt.Sprintf("/proc/%d/%s", pids[0], file))
		if strings.Contains(raw, "swordfish") || strings.Contains(raw, key.Secret) {
			t.Errorf("a secret is in the engine's %s", file)
		}
	}
	for _, log := range s.glob("engines/*/engine.log") {
		if strings.Contains(s.read(log), key.Secret) {
			t.Errorf("the key is in %s", log)
		}
	}
	for _, path := range s.glob("projects/*/jobs/*/*") {
		if strings.Contains(s.read(path), key.Secret) {
			t.Errorf("the key is in %s", path)
		}
	}
}
