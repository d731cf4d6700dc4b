package activation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/change"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/replay"
	"github.com/svc-games/svc/policy/verify"
)

const (
	// DefaultThreshold is how many recorded decisions a policy may change without
	// waiting in shadow.
	DefaultThreshold = 100
	// comparedTime and comparedBytes are the part of the decision log that counts: its
	// end, which takes about two seconds of one core.
	comparedTime  = time.Hour
	comparedBytes = 16 << 20
	// triedTime bounds the comparison of tables, which takes some seconds of one core.
	triedTime = 2 * time.Minute
	// rowsPerDecision is how many decisions of the table may change where one that was
	// recorded may: a rule for readers changes some hundred, one that allows all thousands.
	rowsPerDecision = 10
)

// Errors of what waits.
var (
	// ErrNoneWaits is returned, wrapped, when no policy waits, or another one does.
	ErrNoneWaits = errors.New("no such policy waits")
	// ErrApproval is returned, wrapped, for an approval that does not count.
	ErrApproval = errors.New("the approval does not count")
)

// Held is why a policy waits in shadow before it becomes active.
type Held struct {
	// Approval says that someone whose key is among the approvers, and who did not sign
	// the policy, must agree.
	Approval bool `json:"approval,omitempty"`
	// Changed is how many of Decisions, those that the end of the decision log has of the
	// last hour, the policy would have made otherwise than the active one.
	Changed   int `json:"changed"`
	Decisions int `json:"decisions"`
	// Rows is how many decisions of the table of svc policy diff the policy changes, those
	// on two literals left out. It is counted where what was recorded can't show that a
	// policy changes too much: of what the source holds, which nobody was shown.
	Rows int `json:"rows,omitempty"`
	// Untried says that the table was too long to be tried as a whole.
	Untried bool `json:"untried,omitempty"`
	// Mask says that the mask of the decision log differs: of what the source holds, which
	// nobody was shown.
	Mask bool `json:"mask,omitempty"`
}

func (h Held) String() string {
	text := fmt.Sprintf("it changes %d of %s of the last hour", h.Changed, change.Count(h.Decisions, "decision"))
	if h.Rows > 0 {
		text += fmt.Sprintf(", and %s of the table", change.Count(h.Rows, "decision"))
	}
	if h.Untried {
		text += ", and the table was too long to be tried as a whole"
	}
	if h.Mask {
		text += ", and hides or shows other parts of the decision log"
	}
	if h.Approval {
		text += ", and needs the approval of a second person"
	}
	return text
}

// mustWait returns why a policy must wait, nil when it need not. The policy of the
// program need not, nor does one that finds none active.
func (e *Engine) mustWait(ctx context.Context, from base, g *Generation, r Request) (*Held, *Failure) {
	active := from.active
	if g.trust == BuiltIn || active == nil || active.Digest == g.Digest {
		return nil, nil
	}
	h := &Held{Approval: len(e.approvers) > 0}
	if g.Revision != active.Revision {
		report, err := e.compare(ctx, g.Evaluator, active.Evaluator)
		if err != nil {
			return nil, &Failure{StepCompare, err}
		}
		h.Changed, h.Decisions = report.Changed(), report.Decisions
		h.Mask = r.Actor == ByService && len(verify.Masks(active.Evaluator, g.Evaluator)) > 0
		enough := report.OfKeys > e.o.Threshold && report.Unreadable == 0
		if r.Actor == ByService && h.Changed <= e.o.Threshold && !enough {
			if err := e.try(ctx, from, g, r.Files, h); err != nil {
				return nil, &Failure{StepCompare, err}
			}
		}
	}
	if !h.Approval && h.Changed <= e.o.Threshold && h.Rows <= rowsPerDecision*e.o.Threshold && !h.Untried && !h.Mask {
		return nil, nil
	}
	return h, nil
}

// compare has both policies make recorded decisions again.
func (e *Engine) compare(ctx context.Context, next, active *policy.Evaluator) (report replay.Report, err error) {
	if e.o.Log == nil {
		return report, nil
	}
	since := e.o.Now().Add(-comparedTime)
	log, err := decisionlog.OpenEnd(e.o.Log.Path(), since, comparedBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return report, nil
	}
	if err != nil {
		return report, err
	}
	defer log.Close()
	return replay.Run(ctx, log, next, replay.Options{Since: since, Against: active, Workers: 1})
}

// tables is what two policies, named by their digests, decide otherwise on the table.
type tables struct {
	from, to string
	rows     int
	whole    bool
}

// try has the active policy and the next one decide on the table. The last answer is kept:
// a start with a store that sidecars share asks twice.
func (e *Engine) try(ctx context.Context, from base, g *Generation, next fs.FS, h *Held) error {
	if last := e.tried; last.from == from.active.Digest && last.to == g.Digest {
		h.Rows, h.Untried = last.rows, !last.whole
		return nil
	}
	if from.unread != nil {
		return from.unread
	}
	limit := triedTime
	if deadline, ok := ctx.Deadline(); ok { // a start must come to its end
		limit = min(limit, time.Until(deadline)/2)
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	rows, whole, err := e.o.changed(bounded, from.files, next)
	switch {
	case ctx.Err() != nil:
		return cmp.Or(err, ctx.Err())
	case bounded.Err() != nil:
		rows, whole = 0, false
	case err != nil:
		return err
	}
	e.tried = tables{from.active.Digest, g.Digest, rows, whole}
	h.Rows, h.Untried = rows, !whole
	return nil
}

// hold keeps a policy for an approval, and has it decide along until then.
func (e *Engine) hold(ctx context.Context, g *Generation, r Request, sourceDigest string) *Failure {
	if failure := r.Confirm.ask(ctx, g.Info); failure != nil {
		return failure
	}
	if err := e.kept.hold(g.Info, r.Files, sourceDigest); err != nil {
		return &Failure{StepKeep, err}
	}
	e.o.Logger.Warn("policy waits in shadow for an approval",
		zap.Int64("generation", g.Number), zap.String("revision", g.Revision), zap.String("source", g.Source),
		zap.Int("changed", g.Held.Changed), zap.Int("decisions", g.Held.Decisions), zap.Int("rows", g.Held.Rows), zap.Bool("untried", g.Held.Untried), zap.Bool("mask", g.Held.Mask),
		zap.Bool("second_person", g.Held.Approval))
	e.rehearse(ctx, g)
	return nil
}

// rehearse has the policy that waits decide along, and ends that of one that does not wait
// any more. known may be the policy that waits.
func (e *Engine) rehearse(ctx context.Context, known *Generation) {
	waiting := e.kept.state.Waiting
	digest, count := "", 0.
	if waiting != nil {
		digest, count = waiting.Digest, 1
	}
	e.o.Metrics.waiting.Set(count)
	if digest == e.rehearsed {
		return
	}
	if old := e.shadow.Load(); old != nil && old.candidate.Digest == e.rehearsed {
		e.replaceShadow(nil)
	}
	e.rehearsed = digest
	if waiting == nil {
		return
	}
	if known == nil {
		var failure *Failure
		if known, failure = e.restore(ctx, *waiting); failure != nil {
			e.o.Logger.Error("waiting policy can't run in shadow", failure.fields()...)
			return
		}
	}
	e.replaceShadow(newShadow(known, 1, e.o))
}

// Approval agrees to the policy that waits.
type Approval struct {
	Actor string
	// Revision is that of the policy, or how it begins.
	Revision string
	// Signature is that of Statement, where a second person's approval is needed.
	Signature []byte
	// Confirm may be nil.
	Confirm Confirm
}

// Statement is what an approver signs, as files of a bundle: that one generation may
// follow the active one. It holds for nothing else.
func Statement(waiting Info, active string) (bundle.Snapshot, error) {
	text, err := json.Marshal(struct {
		Generation int64  `json:"generation"`
		Digest     string `json:"digest"`
		After      string `json:"after"`
	}{waiting.Number, waiting.Digest, active})
	return bundle.Snapshot{"approval.json": text}, err
}

// Approve makes the policy that waits the active one.
func (e *Engine) Approve(ctx context.Context, a Approval) (Info, error) {
	e.activating.Lock()
	defer e.activating.Unlock()
	ctx, cancel := context.WithTimeout(ctx, activationTimeout)
	defer cancel()
	if failure := e.pullFirst(ctx); failure != nil {
		return Info{}, failure
	}
	waiting, err := e.kept.state.waiting(a.Revision)
	if err != nil {
		return Info{}, err
	}
	g, failure := e.restore(ctx, waiting)
	if failure != nil {
		e.o.Metrics.failures.WithLabelValues(failure.Step).Inc()
		return Info{}, failure
	}
	files, err := e.kept.read(waiting)
	if err != nil {
		return Info{}, &Failure{StepRead, err}
	}
	by, err := e.approver(waiting, files, a)
	if err != nil {
		return Info{}, err
	}
	g.ProposedBy, g.ActivatedBy, g.Held = waiting.ActivatedBy, by, nil
	g.ActivatedAt = e.o.Now().UTC().Truncate(time.Millisecond)
	if failure := a.Confirm.ask(ctx, g.Info); failure != nil {
		return Info{}, failure
	}
	if err := e.kept.add(g.Info, files, e.kept.state.SourceDigest); err != nil {
		return Info{}, &Failure{StepKeep, err}
	}
	e.swap(g)
	return g.Info, nil
}

// approver returns who agrees: whoever asks, or where a second person must agree, the
// key that did.
func (e *Engine) approver(waiting Info, files bundle.Snapshot, a Approval) (string, error) {
	if len(e.approvers) == 0 {
		if waiting.Held != nil && waiting.Held.Approval {
			return "", fmt.Errorf("%w: another sidecar wants a second person's, and this one has no approvers to know them by", ErrApproval)
		}
		return a.Actor, nil
	}
	statement, err := Statement(waiting, e.Active().Revision)
	if err != nil {
		return "", err
	}
	if a.Signature != nil {
		statement[bundle.SignaturesFile] = a.Signature
	}
	key, err := statement.SignedBy(e.approvers)
	if err != nil {
		return "", fmt.Errorf("%w: it must be signed with the key of an approver: %w", ErrApproval, err)
	}
	if author, err := files.SignedBy(slices.Concat(e.approvers, e.keys)); err == nil && author == key {
		return "", fmt.Errorf("%w: the same key signed the policy; a second person must agree", ErrApproval)
	}
	return "key:" + key, nil
}

// Refuse forgets the policy that waits. Its source is looked at again when it changes.
func (e *Engine) Refuse(ctx context.Context, revision string, confirm Confirm) (Info, error) {
	e.activating.Lock()
	defer e.activating.Unlock()
	if failure := e.pullFirst(ctx); failure != nil {
		return Info{}, failure
	}
	waiting, err := e.kept.state.waiting(revision)
	if err != nil {
		return Info{}, err
	}
	if failure := confirm.ask(ctx, waiting); failure != nil {
		return Info{}, failure
	}
	if err := e.kept.refuse(); err != nil {
		return Info{}, &Failure{StepKeep, err}
	}
	e.rehearse(ctx, nil)
	return waiting, nil
}

// waiting returns the policy that waits, if its revision begins like that.
func (s state) waiting(revision string) (Info, error) {
	switch {
	case s.Waiting == nil:
		return Info{}, fmt.Errorf("%w: there is none", ErrNoneWaits)
	case len(revision) < minPrefix || !strings.HasPrefix(s.Waiting.Revision, revision):
		return Info{}, fmt.Errorf("%w: %s does, not %s", ErrNoneWaits, s.Waiting.Revision, cmp.Or(revision, "one without a name"))
	}
	return *s.Waiting, nil
}
