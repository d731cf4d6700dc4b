package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/wait"
)

// cacheLease is how long a gateway may go without contact to the revocation
// log before it uses its cache no more.
const cacheLease = 500 * time.Millisecond

// ask sends a request without a look at the answer's shape, and returns its
// status, 0 when none came.
func (s *service) ask(key apiKey, method, path, body string) int {
	status, _ := s.askBody(key, method, path, body)
	return status
}

func (s *service) askBody(key apiKey, method, path, body string) (int, []byte) {
	ctx, cancel := wait.Within(s.t.Context(), wait.Patience)
	defer cancel()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.addr+path, content)
	if err != nil {
		return 0, nil
	}
	req.Header.Set("X-API-Key", key.Secret)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil
	}
	return resp.StatusCode, answer
}

// load is requests that need the sidecar, one in twenty of which write, sent by
// many clients at once until it is ended.
type load struct {
	sent, failed atomic.Int64
	examples     sync.Map // what failed → how often
	ctx          context.Context
	cancel       context.CancelFunc
	clients      sync.WaitGroup
}

// startLoad keeps each key below its request rate, and the users of 20 keys, 5 each, below
// their 1,000 projects, however long it goes on.
func (s *service) startLoad(keys []apiKey) *load {
	ctx, cancel := context.WithCancel(s.t.Context())
	l := &load{ctx: ctx, cancel: cancel}
	for _, key := range keys {
		l.send(s, key, func(n int) (method, path, body string, want int) {
			if n%20 == 0 && n/20 < 190 {
				return "POST", "/v1/projects", `{"name":"x","template":"blank"}`, http.StatusCreated
			}
			return "GET", "/v1/projects?limit=1", "", http.StatusOK
		})
	}
	return l
}

// send has a client more, which sends what the n-th request is to be.
func (l *load) send(s *service, key apiKey, nth func(n int) (method, path, body string, want int)) {
	l.clients.Go(func() {
		pace := time.NewTicker(15 * time.Millisecond)
		defer pace.Stop()
		for n := 0; l.ctx.Err() == nil; n++ {
			<-pace.C
			method, path, body, want := nth(n)
			l.sent.Add(1)
			if status, answer := s.askBody(key, method, path, body); status != want {
				l.failed.Add(1)
				l.examples.Store(fmt.Sprintf("%s %s: %d %.200s", method, path, status, answer), true)
			}
		}
	})
}

func (l *load) end() {
	l.cancel()
	l.clients.Wait()
}

func TestRestartOfTheSidecarUnderLoadFailsOneRequestInTenThousandAtMost(t *testing.T) {
	f := onlySplit(t)
	restarts, requests := 3, int64(6_000) // of which none may fail
	if long.Asked() {
		restarts, requests = 10, 20_000
	}
	s := start(t, f)
	var keys []apiKey
	for i := range 20 {
		keys = append(keys, s.newKey(fmt.Sprintf("user%d", i%4)))
	}
	l := s.startLoad(keys)
	defer l.end()
	for restarted := 0; restarted < restarts || l.sent.Load() < requests; {
		before, old := l.sent.Load(), s.sidecar
		s.eventually("the load goes on", func() bool { return l.sent.Load() > before+requests/int64(restarts)/2 })
		if restarted == restarts {
			continue
		}
		s.startSidecar("--take-over")
		if err := old.ended(); err != nil {
			t.Errorf("the old sidecar ended with %v", err)
		}
		restarted++
	}
	l.end()
	sent, failed := l.sent.Load(), l.failed.Load()
	t.Logf("%d of %d requests failed over %d restarts", failed, sent, restarts)
	if failed > sent/10_000 {
		t.Errorf("%d of %d requests failed", failed, sent)
		l.examples.Range(func(what, _ any) bool {
			t.Log(what)
			return true
		})
	}
}

func TestAKilledSidecarRefusesSubmissionsAtOnceAndReadsSoonAndTheGatewayRecovers(t *testing.T) {
	f := onlySplit(t)
	s := start(t, f)
	key := s.newKey("demo")
	sub := s.queue(key, 1)[0]
	s.allCompleted(key, []api.Submission{sub})
	poll := fmt.Sprintf("/v1/generate/%s/status?projectId=%s", sub.JobID, sub.ProjectID)
	body, err := json.Marshal(map[string]string{"projectId": sub.ProjectID, "prompt": brief})
	if err != nil {
		t.Fatal(err)
	}
	cached := false
	for kills := 0; kills < 3 || !cached && kills < 10; kills++ {
		s.eventually("polls are answered", func() bool { return s.ask(key, "GET", poll, "") == http.StatusOK })
		done := make(chan error, 1)
		go func(p *part) { done <- p.stop(os.Kill) }(s.sidecar)
		for killed := false; !killed; {
			s.ask(key, "GET", poll, "") // keeps the mirror of the job's record warm
			select {
			case <-done:
				killed = true
			default:
			}
		}
		dead := time.Now()
		if status, answer := s.askBody(key, "POST", "/v1/generate", string(body)); status != http.StatusServiceUnavailable {
			t.Errorf("a submission without a sidecar: %d %s", status, answer)
		}
		for {
			began := time.Now()
			status := s.ask(key, "GET", poll, "")
			late := began.Sub(dead) > cacheLease
			if status == http.StatusOK && !late {
				cached = true
			} else if status != http.StatusServiceUnavailable {
				t.Errorf("a read %s after the kill: %d", began.Sub(dead), status)
			}
			if late {
				break
			}
		}
		s.startSidecar()
	}
	if !cached {
		t.Error("no cached read was answered after a kill")
	}
	s.eventually("submissions are taken again", func() bool {
		return s.ask(key, "POST", "/v1/generate", string(body)) == http.StatusOK
	})
	if u := s.usage(key); u.JobsThisMonth != 2 {
		t.Errorf("usage is %+v: a refused submission counts", u)
	}
}
