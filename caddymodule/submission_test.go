package caddymodule_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
)

const testProject = "0123456789abcdef01234567"

// accept reads the submission and answers like an engine that took it.
func accept(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	fmt.Fprint(w, `{"jobId":"x","projectId":"x","status":"queued","sessionId":"x"}`)
}

// breakOff ends the connection in the middle of an answer.
func breakOff(w http.ResponseWriter, head string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(conn, head)
	conn.Close()
}

func TestWhatTheEngineAnswersSettlesTheReservation(t *testing.T) {
	refuse := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(contract.HeaderRefused, "true")
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error":"no room"}`)
		}
	}
	answer := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
	}
	lost := func(w http.ResponseWriter, _ *http.Request) { breakOff(w, "") }
	halfway := func(w http.ResponseWriter, _ *http.Request) {
		breakOff(w, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
	}
	unreachable := engineproxy.ErrUnreachable

	tests := map[string]struct {
		engine   http.HandlerFunc // nil: nothing listens
		verdict  contract.FenceVerdict
		fenceErr error
		status   int
		calls    string
	}{
		"accepted":                           {accept, "", nil, 200, "reserve commit"},
		"refused, marked":                    {refuse(503), "", nil, 503, "reserve release"},
		"refused as invalid, marked":         {refuse(400), "", nil, 400, "reserve release"},
		"4xx without the mark, never will":   {answer(404), contract.Fenced, nil, 503, "reserve fence release"},
		"5xx without the mark, never will":   {answer(500), contract.Fenced, nil, 503, "reserve fence release"},
		"5xx without the mark, took it":      {answer(502), contract.Accepted, nil, 200, "reserve fence commit"},
		"dial error":                         {nil, "", nil, 503, "reserve release"},
		"lost, took it":                      {lost, contract.Accepted, nil, 200, "reserve fence commit"},
		"lost, never will":                   {lost, contract.Fenced, nil, 503, "reserve fence release"},
		"lost, unreachable":                  {lost, "", unreachable, 504, "reserve fence"},
		"broken off in its answer, took it":  {halfway, contract.Accepted, nil, 200, "reserve fence commit"},
		"broken off in its answer, will not": {halfway, contract.Fenced, nil, 503, "reserve fence release"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := newFakeBackend(t)
			d.verdict, d.fenceErr = tc.verdict, tc.fenceErr
			if tc.engine != nil {
				d.engine(t, tc.engine)
			}
			resp, err := http.DefaultClient.Do(d.gateway(t, wholeAPI).submission(t.Context()))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != tc.status {
				t.Errorf("%d %s, %v; want %d", resp.StatusCode, body, err, tc.status)
			}
			d.wantCalls(t, tc.calls)
			if tc.status == 200 && !bytes.Contains(body, []byte(`"sessionId":"ses_x"`)) {
				t.Errorf("the body is the engine's: %s", body)
			}
			if resp.Header.Get("Retry-After") == "" && tc.status == 503 {
				t.Error("503 without Retry-After")
			}
			if tc.calls == "reserve release" && tc.engine == nil && !bytes.Contains(body, []byte(`"retryAfterSeconds":30`)) {
				t.Errorf("a dial error answers %s", body)
			}
			if tc.status == 504 && !api.ValidJobID(resp.Header.Get(contract.HeaderJobID)) {
				t.Error("504 without the job's id")
			}
		})
	}
}

func TestAClientThatLeavesNeitherCancelsNorReleases(t *testing.T) {
	gone := make(chan struct{})
	tests := map[string]http.HandlerFunc{
		"before the engine's answer": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-gone
			fmt.Fprint(w, `{}`)
		},
		"in the middle of it": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Length", "2")
			_, _ = io.WriteString(w, "{")
			_ = http.NewResponseController(w).Flush()
			<-gone
			_, _ = io.WriteString(w, "}")
		},
	}
	for name, engine := range tests {
		t.Run(name, func(t *testing.T) {
			gone = make(chan struct{})
			d := newFakeBackend(t)
			began := make(chan struct{})
			d.engine(t, func(w http.ResponseWriter, r *http.Request) {
				close(began)
				engine(w, r)
			})
			g := d.gateway(t, wholeAPI)
			ctx, leave := context.WithCancel(t.Context())
			left := make(chan error, 1)
			go func() {
				resp, err := http.DefaultClient.Do(g.submission(ctx))
				if err == nil {
					resp.Body.Close()
				}
				left <- err
			}()
			<-began
			leave()
			if err := <-left; err == nil {
				t.Fatal("the client got an answer before it left")
			}
			close(gone)
			<-d.settled
			d.wantCalls(t, "reserve commit")
		})
	}
}

func TestTheAnswerOfAnotherInstanceIsNotTaken(t *testing.T) {
	d := newFakeBackend(t)
	d.verdict, d.fenceErr, d.instance = contract.Fenced, nil, "another"
	d.engine(t, accept)
	resp, err := http.DefaultClient.Do(d.gateway(t, wholeAPI).submission(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 503 {
		t.Errorf("the client got %d", resp.StatusCode)
	}
	d.wantCalls(t, "reserve fence release")
}

func TestAnotherInstanceNeverReceivesTheBody(t *testing.T) {
	d := newFakeBackend(t)
	d.verdict, d.fenceErr = contract.Fenced, nil
	g := d.gateway(t, wholeAPI)
	// An engine of another start listens where the first one did. It refuses
	// the token without looking at the body, as the contract demands.
	l, err := net.Listen("unix", d.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	received := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			received <- err.Error()
			return
		}
		r := bufio.NewReader(conn)
		if _, err := http.ReadRequest(r); err != nil {
			received <- err.Error()
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		rest, _ := io.ReadAll(r)
		received <- string(rest)
	}()
	resp, err := http.DefaultClient.Do(g.submission(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if rest := <-received; rest != "" {
		t.Errorf("it received %q", rest)
	}
	if resp.StatusCode != 503 {
		t.Errorf("the client got %d", resp.StatusCode)
	}
	d.wantCalls(t, "reserve fence release")
}
