package fakeengine

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// models has the engine ask at its egress which models there are, and
// passes the answer on; 404 without one, 502 when it does not answer.
func (e *Engine) models(w http.ResponseWriter, r *http.Request) {
	if e.cfg.Egress == "" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	res, err := e.ask(r.Context(), http.MethodGet, "/v1/models", "")
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer res.Body.Close()
	w.WriteHeader(res.StatusCode)
	_, _ = io.Copy(w, res.Body)
}

// ask sends a request to the egress.
func (e *Engine) ask(ctx context.Context, method, path, body string) (*http.Response, error) {
	transport := &http.Transport{DisableKeepAlives: true}
	base, err := e.cfg.Egress, error(nil)
	if strings.HasPrefix(base, "https://") {
		transport.TLSClientConfig, err = e.cfg.Secrets.Client()
	} else {
		base = "http://egress"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", e.cfg.Egress)
		}
	}
	req, asked := http.NewRequestWithContext(ctx, method, base+path, strings.NewReader(body))
	if err = errors.Join(err, asked); err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+e.cfg.Token)
	req.Header.Set("Content-Type", "application/json")
	return (&http.Client{Transport: transport}).Do(req)
}

// consult asks a job's model once, and lets the job go on whatever it says: only
// an empty balance ends it. It is called without mu.
func (e *Engine) consult(ctx context.Context, id, model string) {
	res, err := e.ask(ctx, http.MethodPost, "/v1/chat/completions", `{"model":"`+model+`","messages":[{"role":"user","content":"a game"}]}`)
	exhausted := false
	if err == nil {
		exhausted = res.StatusCode == http.StatusPaymentRequired
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	e.goOn(id, func(j *contract.JobRecord) {
		if exhausted {
			e.interrupt(j, api.JobFailed, &api.Failure{Code: api.FailureTIKExhausted, Message: "The TIK balance is exhausted."})
		}
	})
}

// runOut ends a job whose time is up. It is called without mu.
func (e *Engine) runOut(ctx context.Context, id string) {
	select {
	case <-ctx.Done():
	case <-time.After(e.cfg.Stuck):
		e.goOn(id, func(j *contract.JobRecord) {
			e.interrupt(j, api.JobFailed, &api.Failure{Code: api.FailureTimeout, Message: "The job took too long."})
		})
	}
}

// goOn takes a job up that was held.
func (e *Engine) goOn(id string, then func(j *contract.JobRecord)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.Works[id].held = false
	then(e.job(id))
	e.advance()
	if err := e.save(); err != nil {
		e.cfg.Exit(1) // storage that fails ends an engine
	}
}
