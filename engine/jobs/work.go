package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
)

// pricedStep is the one priced step of a job of the embedded generator.
const pricedStep = "generator.job"

// grace is how long a generator may take to return once it is told to stop.
// A cancelled job ends within two seconds.
const grace = 1500 * time.Millisecond

// unreturnedGrace is how much longer it may take before the engine gives it up.
const unreturnedGrace = 10 * time.Second

// What a job's record shows at the steps that are the engine's own.
var (
	queued    = api.Progress{Stage: api.StageQueued, Message: "Waiting for its turn."}
	begun     = api.Progress{Stage: api.StagePlanning, Message: "Reading the brief."}
	packaging = api.Progress{Stage: api.StagePackaging, Percent: 99, Message: "Packing the files."}
	done      = api.Progress{Stage: api.StageDone, Percent: 100, Message: "Done."}
)

var (
	errCancelled = errors.New("the job was cancelled")
	errTimeout   = errors.New("the job took too long")
	// errAbandoned: Run ended, so the job is left for the next Recover to end.
	errAbandoned = errors.New("the engine stopped")
	// errUnreturned ends Run: nothing but the end of the process stops a goroutine.
	errUnreturned = errors.New("the generator of an ended job does not stop")
)

// stopError interrupts a job that the ledger wants to end.
type stopError struct{ code api.FailureCode }

func (e *stopError) Error() string { return "the job was stopped: " + string(e.code) }

// timeout returns how long the generator may take. Waiting for
// acknowledgements is not counted.
func timeout(level api.ReasoningLevel) time.Duration {
	switch level {
	case api.ReasoningLow:
		return 8 * time.Minute
	case api.ReasoningHigh:
		return 45 * time.Minute
	}
	return 20 * time.Minute
}

// attempt runs a job up to the point where only its end is left to store.
func (m *Manager) attempt(ctx context.Context, j *job) (verdict, error) {
	seq, err := m.begin(j)
	if err != nil {
		return verdict{}, err
	}
	if err := m.await(ctx, seq); err != nil {
		return interruption(err)
	}
	v, err := m.generate(ctx, j)
	if err != nil || v.status != api.JobCompleted {
		return v, err
	}
	if !v.free {
		if seq, err = m.charge(j); err != nil {
			return verdict{}, err
		}
		if err := m.await(ctx, seq); err != nil {
			return interruption(err)
		}
	}
	rep := m.newReporter(j)
	rep.Progress(packaging.Stage, packaging.Percent, packaging.Message)
	rep.close()
	return v, nil
}

// begin makes a job run and reports it, with the priced step that is to come. One
// that only goes back to an earlier revision has none, and needs no balance.
func (m *Manager) begin(j *job) (seq uint64, err error) {
	now := m.now()
	s := m.snapshot(j)
	s.Record.Status, s.Record.StartedAt, s.Record.Progress = api.JobRunning, &now, begun
	if err := j.save(s); err != nil {
		return 0, err
	}
	m.mu.Lock()
	j.stored = s
	m.mu.Unlock()
	if err := m.event(j, now, api.EventStarted, nil); err != nil {
		return 0, err
	}
	next := pricedStep
	if j.undo = m.undoOf(j); j.undo != nil && j.undo.Rest == "" {
		next = ""
	}
	return m.report(j, contract.FeedRecord{Kind: contract.FeedStarted, Next: next})
}

// charge reports that the priced step was done.
func (m *Manager) charge(j *job) (seq uint64, err error) {
	units := []contract.Unit{{Name: pricedStep, Quantity: 1}}
	if err := m.event(j, m.now(), api.EventUsage, map[string]any{"units": units}); err != nil {
		return 0, err
	}
	return m.report(j, contract.FeedRecord{Kind: contract.FeedUsage, Units: units})
}

// await returns nil once seq is acknowledged and nothing interrupts the job.
func (m *Manager) await(ctx context.Context, seq uint64) error {
	if err := m.feed.Wait(ctx, seq); err != nil {
		return err
	}
	return context.Cause(ctx) // an acknowledgement may carry a stop
}

// generate runs the generator on what the job asks for and what its project
// gives it.
func (m *Manager) generate(ctx context.Context, j *job) (verdict, error) {
	req, err := j.request()
	if err != nil {
		return verdict{}, err
	}
	inherited, err := m.prepare(ctx, j, req)
	if ctx.Err() != nil {
		return interruption(context.Cause(ctx))
	}
	if full, ok := errors.AsType[*fullError](err); ok {
		return failed(api.FailureGeneration, full.Error()), nil
	}
	if err != nil {
		m.cfg.Log.Error("workspace unusable", zap.String("job", j.id), zap.Error(err))
		return failed(api.FailureInternal, "The project's files could not be prepared."), nil
	}
	limit := m.cfg.TimeLimit
	if limit <= 0 {
		limit = timeout(inherited.Settings.ReasoningLevel)
	}
	timed, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	rep := m.newReporter(j)
	m.choose(timed, j, rep, &inherited.Settings)
	out := m.carryOut(timed, j, rep, gen.Request{
		JobID: j.id, ProjectID: m.cfg.ProjectID, Prompt: req.Prompt,
		Instructions: inherited.Instructions, Context: req.Context, Skills: inherited.Skills,
		Settings: inherited.Settings, Workspace: m.space.Root(), Change: m.changeUnlocked, Locked: m.Locks(),
	})
	rep.close()
	if out.err != nil {
		m.reviseWritten(j, out.result.Written)
	}

	var panicked *panicError
	switch {
	case ctx.Err() != nil:
		return interruption(context.Cause(ctx))
	case out.err == nil:
		m.learn(j, out.result)
		return completed(out.result), nil
	case errors.As(out.err, &panicked):
		m.cfg.Log.Error("generator panicked", zap.String("job", j.id), zap.String("panic", panicked.kind), zap.ByteString("stack", panicked.stack))
		return failed(api.FailureInternal, "The generator broke down."), nil
	case timed.Err() != nil:
		return interruption(errTimeout)
	case errors.Is(out.err, gen.ErrExhausted):
		return interruption(&stopError{code: api.FailureTIKExhausted})
	}
	return failed(api.FailureGeneration, out.err.Error()), nil
}

// learn keeps what a successful run has taught the project. A job does not fail
// for it.
func (m *Manager) learn(j *job, r gen.Result) {
	if r.Learned == nil {
		return
	}
	if err := m.space.Learn(*r.Learned, m.room); err != nil {
		m.cfg.Log.Warn("skill not kept", zap.String("job", j.id), zap.Error(err))
	}
}

type outcome struct {
	result gen.Result
	err    error
}

// panicError is what a generator that panicked returns. It keeps only the type
// of the panic's value, since that may hold words of the brief.
type panicError struct {
	kind  string
	stack []byte
}

func (e *panicError) Error() string { return "the generator panicked with a " + e.kind }

// call runs the generator until it returns, or for grace after ctx's end. A
// generator that is still running then is unreturned: no further job begins beside
// it.
func (m *Manager) call(ctx context.Context, j *job, rep *reporter, req gen.Request) outcome {
	result, returned := make(chan outcome, 1), make(chan struct{})
	go func() {
		defer close(returned)
		defer func() {
			if value := recover(); value != nil {
				result <- outcome{err: &panicError{fmt.Sprintf("%T", value), debug.Stack()}}
			}
		}()
		r, err := m.cfg.Generator.Generate(ctx, req, rep)
		result <- outcome{r, err}
	}()
	select {
	case out := <-result:
		return out
	case <-ctx.Done():
	}
	select {
	case out := <-result:
		return out
	case <-time.After(grace):
		m.cfg.Log.Warn("generator does not stop", zap.String("job", j.id))
		m.unreturned = returned
		return outcome{err: context.Cause(ctx)}
	}
}

// awaitUnreturned returns once no generator of an ended job is left. One that works
// on for long may do so for hours: the compiler can't be interrupted, and some
// sources of a few thousand bytes keep it busy for that long. The jobs that
// wait would then be held, and lost, for what another one asked for.
func (m *Manager) awaitUnreturned(ctx context.Context) error {
	if m.unreturned == nil {
		return nil
	}
	select {
	case <-m.unreturned:
		m.unreturned = nil
	case <-ctx.Done():
	case <-time.After(unreturnedGrace):
		return errUnreturned
	}
	return nil
}

// interruption returns how a job ends that is interrupted for this cause.
func interruption(cause error) (verdict, error) {
	var stop *stopError
	switch {
	case errors.Is(cause, errCancelled):
		return verdict{status: api.JobCancelled}, nil
	case errors.Is(cause, errTimeout):
		return failed(api.FailureTimeout, "The job took longer than its reasoning level allows."), nil
	case errors.As(cause, &stop) && stop.code == api.FailureTIKExhausted:
		return failed(stop.code, "The TIK balance is exhausted."), nil
	case errors.As(cause, &stop):
		return failed(stop.code, "The service ended the job."), nil
	}
	return verdict{}, errAbandoned
}
