package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/caddymodule/gateway/joblog"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

var errDown = errors.New("down for the test")

// fakeSidecar answers what its fields say and counts what it is told.
type fakeSidecar struct {
	sidecar.Service // methods that a test doesn't set panic

	decision  policy.Decision
	decideErr error
	withheld  string // the project that the policy lets nobody use
	page      sidecar.JobPage
	refuses   policy.Action // "" for none
	decided   []string      // "action project"
	unfit     error         // about a job's webhook
	jobs      map[string]sidecar.Job
	jobErr    error
	awaitErr  error
	replay    *sidecar.Job
	replayErr error

	reserveErr, renewErr, commitErr, releaseErr error
	reserved                                    sidecar.Reservation
	renewals, commits, releases                 atomic.Int32
}

func (f *fakeSidecar) Decide(_ context.Context, _, projectID string, action policy.Action) (policy.Decision, error) {
	f.decided = append(f.decided, string(action)+" "+projectID)
	if projectID != "" && projectID == f.withheld || action == f.refuses {
		return policy.Decision{Status: http.StatusForbidden, Error: "no"}, f.decideErr
	}
	return f.decision, f.decideErr
}

func (f *fakeSidecar) CheckJobWebhook(context.Context, string, api.WebhookRequest) error {
	return f.unfit
}

func (f *fakeSidecar) Jobs(context.Context, sidecar.JobQuery) (sidecar.JobPage, error) {
	return f.page, nil
}

func (f *fakeSidecar) Job(_ context.Context, id string) (sidecar.Job, error) {
	if f.jobErr != nil {
		return sidecar.Job{}, f.jobErr
	}
	job, ok := f.jobs[id]
	if !ok {
		return sidecar.Job{}, sidecar.ErrUnknownJob
	}
	return job, nil
}

func (f *fakeSidecar) AwaitEnd(ctx context.Context, id string) (sidecar.Job, error) {
	if f.awaitErr != nil {
		return sidecar.Job{}, f.awaitErr
	}
	return f.Job(ctx, id)
}

func (f *fakeSidecar) Replay(context.Context, string, string, string) (*sidecar.Job, error) {
	return f.replay, f.replayErr
}

func (f *fakeSidecar) Reserve(_ context.Context, r sidecar.Reservation) (sidecar.Admission, error) {
	f.reserved = r
	return sidecar.Admission{SessionID: "ses_x"}, f.reserveErr
}

func (f *fakeSidecar) Renew(context.Context, string, time.Duration) error {
	f.renewals.Add(1)
	return f.renewErr
}

func (f *fakeSidecar) Commit(context.Context, string) error {
	f.commits.Add(1)
	return f.commitErr
}

func (f *fakeSidecar) Release(context.Context, string) error {
	f.releases.Add(1)
	return f.releaseErr
}

// fakeEngines is an engine proxy with at most one engine.
type fakeEngines struct {
	engineproxy.Engines

	submitErr, attachErr, cancelErr, fenceErr error
	verdict                                   contract.FenceVerdict
	fences, cancels, released                 int
	asked                                     engineproxy.Project // by the last submission
	log                                       sse.Log
	at                                        string // where the engine listens
	logErr                                    error  // of the first look at it
}

func (f *fakeEngines) lease() *engineproxy.Lease {
	return &engineproxy.Lease{Endpoint: engineproxy.Endpoint{Network: "tcp", Address: f.at, Token: "t"}, Release: func() { f.released++ }}
}

func (f *fakeEngines) Submit(_ context.Context, p engineproxy.Project, _ time.Duration) (*engineproxy.Lease, error) {
	f.asked = p
	if f.submitErr != nil {
		return nil, f.submitErr
	}
	return f.lease(), nil
}

func (f *fakeEngines) Attach(context.Context, string) (*engineproxy.Lease, error) {
	if f.attachErr != nil {
		return nil, f.attachErr
	}
	return f.lease(), nil
}

func (f *fakeEngines) AwaitReady(context.Context, string) error { return nil }

func (f *fakeEngines) Cancel(context.Context, engineproxy.Project, string) error {
	f.cancels++
	return f.cancelErr
}

func (f *fakeEngines) Fence(context.Context, engineproxy.Project, string) (contract.FenceVerdict, error) {
	f.fences++
	return f.verdict, f.fenceErr
}

func (f *fakeEngines) Events(context.Context, string) (sse.Log, error) {
	if err := f.logErr; err != nil {
		f.logErr = nil
		return nil, err
	}
	if f.log == nil {
		return nil, engineproxy.ErrNotArchived
	}
	return f.log, nil
}

func (f *fakeEngines) Files(context.Context, string) (engineproxy.File, error) {
	return engineproxy.File{}, engineproxy.ErrNotArchived
}

// handled is what EngineEvents is, but for the engine: next answers in its place.
type handled struct {
	EngineEvents

	next Next
}

// served has next answer where l asks an engine for events.
func served(l *Locator, next Next) *Locator {
	l.Jobs = joblog.New(&handled{EngineEvents{Engines: l.Engines, Sidecar: l.Sidecar}, next})
	return l
}

// Open implements joblog.Source.
func (h *handled) Open(ctx context.Context, job joblog.Job, after uint64) (joblog.Events, error) {
	lease, err := h.Engines.Attach(ctx, job.ProjectID)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	from, to := io.Pipe()
	w := &piped{PipeWriter: to, header: make(http.Header), answered: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
			w.WriteHeader(http.StatusOK)
			_ = to.CloseWithError(io.ErrUnexpectedEOF)
		}()
		_ = h.next(w, eventsRequest(lease.Token, job, after).WithContext(ctx))
	}()
	events := &handledEvents{newEventScanner(from), func() {
		cancel()
		_ = from.Close()
		<-done
		lease.Release()
	}}
	select {
	case <-w.answered:
		err = checkEvents(&http.Response{StatusCode: w.status, Header: w.header}, lease.InstanceID)
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		events.Close()
		return nil, err
	}
	return events, nil
}

type handledEvents struct {
	*eventScanner

	close func()
}

func (h *handledEvents) Close() { h.close() }

// piped is an answer that is read while it is written.
type piped struct {
	*io.PipeWriter

	header   http.Header
	status   int
	answered chan struct{}
}

func (p *piped) Header() http.Header { return p.header }

func (p *piped) WriteHeader(status int) {
	if p.status == 0 {
		p.status = status
		close(p.answered)
	}
}

func (p *piped) Write(data []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	return p.PipeWriter.Write(data)
}

// endedLog is the log of a job that ended with its first event.
type endedLog struct{}

func (endedLog) Read(after uint64) ([]sse.Record, sse.State, error) {
	state := sse.State{Last: 1, Ended: true}
	if after >= 1 {
		return nil, state, nil
	}
	return []sse.Record{{ID: 1, Type: api.EventCompleted, Data: []byte(`{}`)}}, state, nil
}
