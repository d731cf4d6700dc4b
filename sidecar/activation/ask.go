package activation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/decisionlog"
)

const (
	// answerEvery is how often a sidecar looks for what others ask, lookEvery how often one
	// that asks looks for answers.
	answerEvery = 500 * time.Millisecond
	lookEvery   = 100 * time.Millisecond
	// answerTimeout is how long answers are waited for.
	answerTimeout = 5 * time.Second
)

// question is what a sidecar asks the others of their decision logs: one member is set.
type question struct {
	Decisions *decisionlog.Query `json:"decisions,omitempty"`
	// Policy is the revision of a policy that decided.
	Policy string `json:"policy,omitempty"`
}

// answer is what a sidecar says to that. One that has nothing says so, too.
type answer struct {
	Part   decisionlog.Part `json:"part,omitzero"`
	Policy bundle.Snapshot  `json:"policy,omitempty"`
	// Error is why it can't be answered.
	Error string `json:"error,omitempty"`
}

// Gathered is what the decision logs of the other sidecars with the same store have.
type Gathered struct {
	Parts []decisionlog.Part `json:"parts"`
	// Silent names those that are there and did not answer in time: the service on them is
	// of a former version, or busy, or about to be forgotten.
	Silent []string `json:"silent,omitempty"`
}

// Gather asks the other sidecars with the same store for decisions that they recorded.
func (e *Engine) Gather(ctx context.Context, q decisionlog.Query) (Gathered, error) {
	e.activating.Lock()
	all := e.othersLocked()
	e.activating.Unlock()
	return all.gather(ctx, q)
}

// Decided returns the files of a policy, tests left out, that is kept with what it decided,
// here or at another sidecar with the same store. It returns ErrUnknownRevision, wrapped,
// where there is none.
func (e *Engine) Decided(ctx context.Context, revision string) (bundle.Snapshot, error) {
	if e.o.Log != nil {
		if files, err := decisionlog.Policy(e.o.Log.Path(), revision); err == nil {
			return files, nil
		}
	}
	e.activating.Lock()
	all := e.othersLocked()
	e.activating.Unlock()
	answers, _, err := all.ask(ctx, question{Policy: revision})
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		if files := answers[name].Policy; len(files) > 0 {
			return files, nil
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownRevision, revision)
}

// others is the way of a sidecar to the others with the same store; without one there are none.
type others struct {
	shared Shared
	name   string // its own
}

// othersLocked is that way; the lock is held.
func (e *Engine) othersLocked() others {
	if e.kept.shared == nil {
		return others{}
	}
	return others{e.kept.shared.Shared, e.kept.shared.name}
}

func (o others) gather(ctx context.Context, q decisionlog.Query) (g Gathered, err error) {
	g.Parts = []decisionlog.Part{}
	answers, silent, err := o.ask(ctx, question{Decisions: &q})
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		g.Parts = append(g.Parts, answers[name].Part)
	}
	g.Silent = silent
	return g, err
}

// ask asks all others, and waits for their answers.
func (o others) ask(ctx context.Context, q question) (answers map[string]answer, silent []string, err error) {
	if o.shared == nil {
		return nil, nil, nil
	}
	text, err := json.Marshal(q)
	if err != nil {
		return nil, nil, fmt.Errorf("asking the other sidecars: %w", err)
	}
	id, names, err := o.shared.Ask(ctx, o.name, text)
	if err != nil {
		return nil, nil, fmt.Errorf("asking the other sidecars: %w", err)
	}
	if len(names) == 0 {
		return nil, nil, nil
	}
	defer func() { // what is not withdrawn now is with the next question
		_ = o.shared.Withdraw(context.WithoutCancel(ctx), id)
	}()
	answers, err = o.await(ctx, id, len(names))
	if err != nil {
		return nil, nil, fmt.Errorf("asking the other sidecars: %w", err)
	}
	for _, name := range names {
		if a, ok := answers[name]; !ok || a.Error != "" {
			silent = append(silent, name)
			delete(answers, name)
		}
	}
	return answers, silent, nil
}

// await returns the answers that come in time, by sidecar.
func (o others) await(ctx context.Context, id string, wanted int) (map[string]answer, error) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	end := time.NewTimer(answerTimeout)
	defer end.Stop()
	answers := map[string]answer{}
	for late := false; len(answers) < wanted && !late; {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-end.C:
			late = true
		case <-tick.C:
		}
		texts, err := o.shared.Answers(ctx, id, slices.Collect(maps.Keys(answers)))
		if err != nil {
			return nil, err
		}
		for name, text := range texts {
			var a answer
			if err := json.Unmarshal(text, &a); err != nil {
				a.Error = err.Error()
			}
			answers[name] = a
		}
	}
	return answers, nil
}

// answerOthers answers what other sidecars ask until its context ends. Nothing waits for it:
// it may take a second.
func (e *Engine) answerOthers(ctx context.Context) {
	e.activating.Lock()
	all := e.othersLocked()
	e.activating.Unlock()
	tick := time.NewTicker(answerEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		questions, err := all.shared.Asked(ctx, all.name)
		if err != nil {
			continue // the follower says that the store can't be read
		}
		for id, text := range questions {
			said, err := json.Marshal(e.answerTo(text))
			if err == nil {
				err = all.shared.Answer(ctx, id, all.name, said)
			}
			if err != nil && ctx.Err() == nil {
				e.o.Logger.Warn("a question of another sidecar is not answered", zap.Error(err))
			}
		}
	}
}

func (e *Engine) answerTo(text []byte) (a answer) {
	var q question
	err := json.Unmarshal(text, &q)
	switch {
	case err != nil:
	case e.o.Log == nil:
	case q.Decisions != nil:
		a.Part, err = decisionlog.Collect(e.o.Log.Path(), *q.Decisions)
	case q.Policy != "":
		a.Policy, _ = decisionlog.Policy(e.o.Log.Path(), q.Policy) // most have it not
	default:
		err = errors.New("what is asked is not known here")
	}
	if err != nil {
		a.Error = err.Error()
		e.o.Logger.Warn("a question of another sidecar can't be answered", zap.Error(err))
	}
	return a
}
