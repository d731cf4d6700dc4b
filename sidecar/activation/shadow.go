package activation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/change"
)

// Bounds of a shadow.
const (
	// shadowQueue is how many decisions may wait for the candidate; more are
	// dropped and counted.
	shadowQueue = 256
	// shadowShare is the part of one core that the candidate may use.
	shadowShare = 0.1
	// shadowTimeout bounds one decision of the candidate.
	shadowTimeout = 50 * time.Millisecond
	// shadowGroups bounds the kinds of differences that are reported,
	// shadowExamples the lines that each has in the log.
	shadowGroups   = 1000
	shadowExamples = 10
)

// shadow has a candidate decide beside the active policy, off the request path.
type shadow struct {
	candidate Candidate
	evaluator *policy.Evaluator
	logger    *zap.Logger
	metrics   *Metrics

	queue chan shadowed
	stop  context.CancelFunc
	done  chan struct{}

	mu     sync.Mutex // guards report and groups
	report Report
	groups map[change.Kind]*Difference
}

// shadowed is a decision that was made.
type shadowed struct {
	in       policy.Input
	decision policy.Decision
}

// Shadow replaces the candidate, which decides beside the active policy without
// effect. It passes the steps of an activation first: what is tried can be
// activated.
func (e *Engine) Shadow(ctx context.Context, r Request, sample float64) (Candidate, error) {
	if sample <= 0 || sample > 1 {
		return Candidate{}, fmt.Errorf("sample must be above 0 and at most 1, is %g", sample)
	}
	ctx, cancel := context.WithTimeout(ctx, activationTimeout)
	defer cancel()
	r.Older = true // it decides nothing
	g, failure := e.prepare(ctx, r, 0)
	if failure != nil {
		return Candidate{}, failure
	}
	e.activating.Lock()
	defer e.activating.Unlock()
	g.ActivatedAt, g.ActivatedBy = e.o.Now().UTC(), r.Actor
	if failure := r.Confirm.ask(ctx, e.Active().Info, g.Info); failure != nil {
		return Candidate{}, failure
	}
	s := newShadow(g, sample, e.o)
	e.replaceShadow(s)
	e.o.Logger.Info("candidate policy runs in shadow",
		zap.String("revision", g.Revision), zap.String("by", r.Actor), zap.Float64("sample", sample))
	return s.candidate, nil
}

// EndShadow ends the candidate, if there is one, and returns its report. A policy that
// waits for an approval, and whose place the candidate took, decides along again. confirm
// may be nil; where it fails the candidate stays.
func (e *Engine) EndShadow(ctx context.Context, confirm Confirm) (last Report, running bool, err error) {
	e.activating.Lock()
	defer e.activating.Unlock()
	s := e.shadow.Load()
	if s == nil {
		return Report{}, false, nil
	}
	if failure := confirm.ask(ctx, e.Active().Info, s.candidate.Info); failure != nil {
		return Report{}, true, failure
	}
	e.replaceShadow(nil)
	if s.candidate.Digest != e.rehearsed {
		e.rehearsed = ""
		e.rehearse(ctx, nil)
	}
	return s.sum(), true, nil
}

// replaceShadow ends the shadow and puts s, which may be nil, in its place.
func (e *Engine) replaceShadow(s *shadow) {
	if old := e.shadow.Swap(s); old != nil {
		old.stop()
		<-old.done
	}
}

func newShadow(g *Generation, sample float64, o Options) *shadow {
	ctx, stop := context.WithCancel(context.Background())
	s := &shadow{
		candidate: Candidate{Info: g.Info, Sample: sample, Since: g.ActivatedAt},
		evaluator: g.Evaluator, logger: o.Logger.Named("shadow"), metrics: o.Metrics,
		queue: make(chan shadowed, shadowQueue), stop: stop, done: make(chan struct{}),
		groups: map[change.Kind]*Difference{},
	}
	go s.run(ctx)
	return s
}

// offer hands over a decision and does not wait.
func (s *shadow) offer(in policy.Input, d policy.Decision) {
	if s.candidate.Sample < 1 && rand.Float64() >= s.candidate.Sample {
		return
	}
	select {
	case s.queue <- shadowed{in, d}:
	default:
		s.count(shadowDropped)
	}
}

// run decides one by one, and rests after each as long as its share of the
// processor demands.
func (s *shadow) run(ctx context.Context) {
	defer close(s.done)
	for {
		select {
		case <-ctx.Done():
			return
		case made := <-s.queue:
			begin := time.Now()
			s.compare(ctx, made)
			peer.Sleep(ctx, time.Duration(float64(time.Since(begin))*(1/shadowShare-1)))
		}
	}
}

// compare decides with the candidate and notes a difference.
func (s *shadow) compare(ctx context.Context, made shadowed) {
	ctx, cancel := context.WithTimeout(ctx, shadowTimeout)
	defer cancel()
	d, err := s.evaluator.Decide(ctx, made.in)
	if err != nil {
		s.count(shadowFailed)
		if few := s.note(made.in, change.Outcome(&made.decision), change.None); few {
			s.logger.Warn("candidate would make no decision", append(made.fields(s.candidate.Revision), zap.Error(err))...)
		}
		return
	}
	from, to, differ := change.Between(&made.decision, &d)
	if !differ {
		s.count(shadowSame)
		return
	}
	s.count(shadowDiffers)
	s.metrics.shadowDiffs.WithLabelValues(fmt.Sprint(made.decision.Status), fmt.Sprint(d.Status), s.label(d.Rule)).Inc()
	if few := s.note(made.in, from, to); few {
		s.logger.Info(words(made.decision, d), append(made.fields(s.candidate.Revision),
			zap.Int("to_status", d.Status), zap.String("to_rule", d.Rule))...)
	}
}

// label keeps a metric's label within bounds: a candidate could make up a rule
// for each request.
func (s *shadow) label(rule string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.groups) >= shadowGroups {
		return "other"
	}
	return rule
}

// words are a shadow's own: it denies nothing, it would.
func words(before, after policy.Decision) string {
	switch {
	case before.Allow && !after.Allow:
		return "candidate would deny"
	case !before.Allow && after.Allow:
		return "candidate would allow"
	}
	return "candidate would answer otherwise"
}

func (m shadowed) fields(revision string) []zap.Field {
	fields := []zap.Field{
		zap.String("revision", revision), zap.String("action", string(m.in.Action)),
		zap.Int("from_status", m.decision.Status), zap.String("from_rule", m.decision.Rule),
	}
	if m.in.Key != nil {
		fields = append(fields, zap.String("key_id", m.in.Key.ID))
	}
	if m.in.Project != nil {
		fields = append(fields, zap.String("project_id", m.in.Project.ID))
	}
	return fields
}

// note counts a difference, and reports whether its group has few of them yet.
func (s *shadow) note(in policy.Input, from, to string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := change.Kind{Action: in.Action, From: from, To: to}
	group := s.groups[key]
	if group == nil {
		if len(s.groups) >= shadowGroups {
			return false
		}
		group = &Difference{Action: key.Action, From: key.From, To: key.To}
		if in.Key != nil {
			group.KeyID = in.Key.ID
		}
		if in.Project != nil {
			group.ProjectID = in.Project.ID
		}
		s.groups[key] = group
	}
	group.Count++
	return group.Count <= shadowExamples
}

// count counts what became of a decision.
func (s *shadow) count(outcome string) {
	s.metrics.shadowed.WithLabelValues(outcome).Inc()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch outcome {
	case shadowDropped:
		s.report.Dropped++
	case shadowFailed:
		s.report.Failed++
	default:
		s.report.Compared++
	}
}
