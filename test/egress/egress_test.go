// Package egress tests the way from an engine to a model over a real ledger.
package egress

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/service"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

const token = "the-instance-token"

// rig is a project whose engine may call a model, and a user with 100 TIK.
type rig struct {
	t        *testing.T
	side     *service.Service
	project  string
	provider *fakeprovider.Provider
	options  egress.Options
	open     *egress.Egress
	socket   string
	seq      uint64
}

func newRig(t *testing.T, answers ...fakeprovider.Answer) *rig {
	t.Helper()
	return newRigOf(t, func(*egress.Endpoint) {}, answers...)
}

// newRigOf is a rig whose endpoint has been changed.
func newRigOf(t *testing.T, change func(at *egress.Endpoint), answers ...fakeprovider.Answer) *rig {
	t.Helper()
	return newRigWith(t, func(c *egress.Config) { change(&c.Endpoints[0]) }, answers...)
}

// newRigWith is a rig with another configuration of its egress.
func newRigWith(t *testing.T, change func(c *egress.Config), answers ...fakeprovider.Answer) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "egr") // short: a socket's path has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	provider := fakeprovider.New(t, answers...)
	at := egress.Endpoint{URL: provider.URL, Chat: []string{"writer"}, Images: []string{"painter"}, Speech: []string{"speaker"}}
	config := egress.Config{Endpoints: []egress.Endpoint{at}}
	change(&config)
	prices := map[string]api.TIK{"generator.job": api.MicroPerTIK, "image": api.MicroPerTIK, "audio": api.MicroPerTIK}
	for _, unit := range config.Units() {
		if strings.HasSuffix(unit, ".input") {
			prices[unit], prices[strings.TrimSuffix(unit, "input")+"output"] = 1_000, 2_000_000
		}
	}
	side, err := service.Open(t.Context(), service.Options{DataDir: dir, Policy: policytest.Embedded(t), Prices: prices})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := side.Keys().CreateUser(t.Context(), "test", "alice", 100*api.MicroPerTIK); err != nil {
		t.Fatal(err)
	}
	project, err := side.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "game", Template: api.TemplateBlank})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{
		t: t, side: side, project: project.ID, provider: provider, socket: filepath.Join(dir, "run", project.ID, "egress.sock"),
		options: egress.Options{Dir: filepath.Join(dir, "egress"), Ledger: side, Config: config},
	}
	t.Cleanup(func() {
		if err := r.open.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := side.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := os.MkdirAll(filepath.Dir(r.socket), 0o700); err != nil {
		t.Fatal(err)
	}
	r.serve()
	return r
}

// serve opens an egress on what the one before left, if there was one.
func (r *rig) serve() {
	r.t.Helper()
	e, err := egress.New(r.options)
	if err == nil {
		err = e.Start(r.t.Context(), nil)
	}
	if err == nil {
		err = e.Serve(r.project, r.socket, token)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.open = e
}

// accept makes a job of the project that its engine has taken.
func (r *rig) accept() string {
	r.t.Helper()
	key, err := r.side.Keys().Create(r.t.Context(), "test", "alice", "key", policy.Limits{})
	if err != nil {
		r.t.Fatal(err)
	}
	id := mint.NewJobID(time.Now())
	_, err = r.side.Reserve(r.t.Context(), sidecar.Reservation{JobID: id, KeyID: key.ID, ProjectID: r.project})
	if err == nil {
		err = r.side.Commit(r.t.Context(), id)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

// report feeds a job's status, with the next priced step.
func (r *rig) report(kind contract.FeedKind, jobID string, status api.JobStatus, next string) contract.FeedVerdict {
	r.t.Helper()
	r.seq++
	v, err := r.side.ApplyFeed(r.t.Context(), contract.FeedBatch{ProjectID: r.project, FeedID: "feed", Records: []contract.FeedRecord{{
		FeedID: "feed", Seq: r.seq, Kind: kind, JobID: jobID, Next: next,
		Record: &contract.JobRecord{JobID: jobID, Status: status},
	}}})
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// call calls the model as the engine does, and returns the status.
func (r *rig) call() int {
	r.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", r.socket)
	}}}
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, "http://egress/v1/chat/completions",
		strings.NewReader(`{"model":"writer","messages":[{"role":"user","content":"a duck"}]}`))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

func (r *rig) wantBalance(want api.TIK) {
	r.t.Helper()
	u, err := r.side.Keys().User(r.t.Context(), "alice")
	if err != nil {
		r.t.Fatal(err)
	}
	if u.Balance != want {
		r.t.Errorf("balance %s, want %s", u.Balance, want)
	}
}

func TestModelCallsArePaidByTheRunningJobUntilTheBalanceIsUsedUp(t *testing.T) {
	t.Parallel()
	usage := &fakeprovider.Usage{PromptTokens: 1000, CompletionTokens: 24}
	r := newRig(t, fakeprovider.Chat{Text: "a game", Usage: usage}.Answer())
	if got := r.call(); got != http.StatusConflict {
		t.Errorf("without a job: %d", got)
	}
	job := r.accept()
	if got := r.call(); got != http.StatusConflict {
		t.Errorf("with a queued job: %d", got)
	}
	if v := r.report(contract.FeedStarted, job, api.JobRunning, "model"); len(v.Stop) != 0 {
		t.Fatalf("stopped at once: %v", v.Stop)
	}
	// One call costs 1000 × 0.001 + 24 × 2 = 49 TIK: the third begins at 2.
	for i, want := range []api.TIK{51, 2, -47} {
		if got := r.call(); got != http.StatusOK {
			t.Fatalf("call %d: %d", i, got)
		}
		r.wantBalance(want * api.MicroPerTIK)
	}
	if got := r.call(); got != http.StatusPaymentRequired {
		t.Errorf("without balance: %d", got)
	}
	r.wantBalance(-47 * api.MicroPerTIK)
	if j, err := r.side.Job(t.Context(), job); err != nil || j.TIKSpent != 147*api.MicroPerTIK {
		t.Errorf("the job spent %s, %v", j.TIKSpent, err)
	}
	r.report(contract.FeedEnded, job, api.JobFailed, "")
	if got := r.call(); got != http.StatusConflict {
		t.Errorf("after the end: %d", got)
	}
}
