package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/test/rig"
)

// prober is clients that submit, poll and stream until it is ended. They do what
// docs/errors.md tells clients to do, and note each answer that is not on that page.
type prober struct {
	t    *testing.T
	to   *rig.Gateway
	keys []rig.Key
	ctx  context.Context

	end     context.CancelFunc
	clients sync.WaitGroup

	answered, refused atomic.Int64 // answers in all, and those that put the client off

	mu       sync.Mutex // guards the following fields
	wrong    []string
	refusals map[string]int
	accepted map[rig.Key][]api.Submission
}

// pace is how long a client waits between two requests.
const pace = 20 * time.Millisecond

// probe starts the clients: of each key one that submits a job and streams it to its end,
// again and again, and one that polls.
func probe(t *testing.T, to *rig.Gateway, keys []rig.Key) *prober {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	p := &prober{t: t, to: to, keys: keys, ctx: ctx, end: end, refusals: make(map[string]int), accepted: make(map[rig.Key][]api.Submission)}
	for _, key := range keys {
		project := to.NewProject(key)
		newest := make(chan api.Submission, 1)
		p.clients.Go(func() { p.work(key, project, newest) })
		p.clients.Go(func() { p.poll(key, newest) })
	}
	t.Cleanup(p.clients.Wait)
	return p
}

// rest waits a moment, and reports whether the test goes on.
func (p *prober) rest() bool {
	select {
	case <-time.After(pace):
		return true
	case <-p.t.Context().Done():
		return false
	}
}

// finish ends the clients, each after the job that it has under way.
func (p *prober) finish() {
	p.t.Helper()
	p.end()
	p.clients.Wait()
	for _, wrong := range p.wrong {
		p.t.Error(wrong)
	}
}

// refusedWith returns how often which refusal was given.
func (p *prober) refusedWith() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.refusals)
}

func (p *prober) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.wrong) < 20 {
		p.wrong = append(p.wrong, fmt.Sprintf(format, args...))
	}
}

// ask sends a request until it is answered with a success, and returns its body. Refusals
// that the page of errors has it waits out.
func (p *prober) ask(key rig.Key, method, path string, body any, headers ...string) []byte {
	for p.rest() {
		a, err := p.to.Do(p.t.Context(), key, method, path, body, headers...)
		p.answered.Add(1)
		switch {
		case err != nil:
			p.note("%s %s: %v", method, path, err)
		case a.Status == http.StatusOK:
			return a.Body
		case p.putOff(method, a):
		default:
			p.note("%s %s: %d %.300s", method, path, a.Status, a.Body)
			return nil
		}
	}
	return nil
}

// putOff reports whether an answer is a documented refusal that a client waits out.
func (p *prober) putOff(method string, a rig.Answer) bool {
	var said struct{ Error string }
	known := a.Status == http.StatusServiceUnavailable ||
		method == http.MethodPost && (a.Status == http.StatusGatewayTimeout || a.Status == http.StatusConflict)
	if !known || a.Header.Get("Retry-After") == "" && a.Status != http.StatusGatewayTimeout ||
		json.Unmarshal(a.Body, &said) != nil || said.Error == "" {
		return false
	}
	p.refused.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusals[fmt.Sprintf("%s %d %s", method, a.Status, said.Error)]++
	return true
}

// work submits jobs, one after the other, and follows each to its end.
func (p *prober) work(key rig.Key, project string, newest chan api.Submission) {
	brief := map[string]string{"projectId": project, "prompt": "a yellow duck that flaps through gaps between pipes"}
	for p.ctx.Err() == nil {
		var sub api.Submission
		if raw := p.ask(key, http.MethodPost, "/v1/generate", brief, "Idempotency-Key", rand.Text()); raw == nil || json.Unmarshal(raw, &sub) != nil {
			p.note("a submission was answered with %s", raw)
			return
		}
		p.mu.Lock()
		p.accepted[key] = append(p.accepted[key], sub)
		p.mu.Unlock()
		select {
		case <-newest:
		default:
		}
		newest <- sub
		p.follow(key, sub)
	}
}

// poll asks for the record of the newest job, and for the projects.
func (p *prober) poll(key rig.Key, newest chan api.Submission) {
	var sub api.Submission
	for p.ctx.Err() == nil {
		select {
		case sub = <-newest:
		default:
		}
		if sub.JobID != "" {
			p.ask(key, http.MethodGet, rig.StatusPath(sub), nil)
		}
		p.ask(key, http.MethodGet, "/v1/projects?limit=1", nil)
	}
}

// follow reads a job's events to the last one, from where it was each time that the stream
// breaks off. None may be missing or come twice.
func (p *prober) follow(key rig.Key, sub api.Submission) {
	path := strings.Replace(rig.StatusPath(sub), "/status?", "/events?", 1)
	for last, ended := uint64(0), false; !ended && p.rest(); {
		r, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://"+p.to.Addr+path, nil)
		if err != nil {
			p.note("%s: %v", path, err)
			return
		}
		r.Header.Set("X-API-Key", key.Secret)
		if last > 0 {
			r.Header.Set("Last-Event-ID", fmt.Sprint(last))
		}
		resp, err := p.to.HTTP.Do(r)
		p.answered.Add(1)
		if err != nil {
			p.note("GET %s: %v", path, err)
			return
		}
		if last, ended, err = p.read(resp, last); err != nil {
			p.note("GET %s: %v", path, err)
			return
		}
	}
}

// read reads one answer to follow after the event last.
func (p *prober) read(resp *http.Response, last uint64) (uint64, bool, error) {
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		raw, err := io.ReadAll(resp.Body)
		if err == nil && !p.putOff(http.MethodGet, rig.Answer{Status: resp.StatusCode, Header: resp.Header, Body: raw}) {
			err = fmt.Errorf("after event %d: %d %.300s", last, resp.StatusCode, raw)
		}
		return last, false, err
	}
	for events := sse.NewReader(resp.Body); ; {
		event, err := events.Next()
		if err != nil {
			return last, false, nil // it broke off
		}
		if event.ID == 0 {
			continue
		}
		if event.ID != last+1 {
			return last, false, fmt.Errorf("event %d came after %d", event.ID, last)
		}
		if last = event.ID; api.TerminalEvent(event.Type) {
			return last, true, nil
		}
	}
}
