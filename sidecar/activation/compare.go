package activation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/policy"
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

// Compared is how much a policy changes of the one that was active before.
type Compared struct {
	// Changed is how many of Decisions, those that the end of the decision log has of the
	// last hour, the policy would have made otherwise than the active one.
	Changed   int `json:"changed"`
	Decisions int `json:"decisions"`
	// Rows is how many decisions of the table of svc policy diff the policy changes, those
	// on two literals left out. It is counted of what the source holds, which nobody was
	// shown, unless Changed says enough.
	Rows int `json:"rows,omitempty"`
	// Untried says that the table could not be tried as a whole: it was too long, or the
	// program's own policy stands in the place of what was active.
	Untried bool `json:"untried,omitempty"`
	// Mask says that the mask of the decision log differs: of what the source holds, which
	// nobody was shown.
	Mask bool `json:"mask,omitempty"`
}

func (c Compared) String() string {
	text := "no decision of the last hour is recorded"
	if c.Decisions > 0 {
		text = fmt.Sprintf("it changes %d of %s of the last hour", c.Changed, change.Count(c.Decisions, "decision"))
	}
	if c.Rows > 0 {
		text += fmt.Sprintf(", and it changes %s of the table", change.Count(c.Rows, "decision"))
	}
	if c.Untried {
		text += ", and the table could not be tried as a whole"
	}
	if c.Mask {
		text += ", and hides or shows other parts of the decision log"
	}
	return text
}

// within reports whether that is little enough for nobody to look at it first. Of decisions a
// sidecar's log has its own alone: of those that share a store each counts for its part.
func (c Compared) within(threshold, sidecars int) bool {
	return c.Changed*max(1, sidecars) <= threshold && c.Rows <= rowsPerDecision*threshold && !c.Untried && !c.Mask
}

func (c Compared) fields() []zap.Field {
	return []zap.Field{
		zap.Int("changed", c.Changed), zap.Int("decisions", c.Decisions), zap.Int("rows", c.Rows),
		zap.Bool("untried", c.Untried), zap.Bool("mask", c.Mask),
	}
}

// compare counts what a policy changes of the base. The table is tried of what the source
// holds, also where the log has much: what nobody asked in the last hour is in no record.
func (e *Engine) compare(ctx context.Context, from base, g *Generation, r Request, waits bool) (c Compared, err error) {
	if from.unread != nil && from.active.Evaluator == nil {
		return c, fmt.Errorf("the active policy: %w", from.unread)
	}
	report, err := e.again(ctx, g.Evaluator, from.active.Evaluator)
	if err != nil {
		return c, err
	}
	c.Changed, c.Decisions = report.Changed(), report.Decisions
	if r.Actor != ByService {
		return c, nil
	}
	c.Mask = len(verify.Masks(from.active.Evaluator, g.Evaluator)) > 0
	c.Untried = from.instead
	if !waits && c.within(e.o.Threshold, e.others()+1) {
		c.Rows, c.Untried, err = e.try(ctx, from, g, r.Files)
	}
	return c, err
}

// again has both policies make recorded decisions again.
func (e *Engine) again(ctx context.Context, next, active *policy.Evaluator) (report replay.Report, err error) {
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
func (e *Engine) try(ctx context.Context, from base, g *Generation, next fs.FS) (rows int, untried bool, err error) {
	if last := e.tried; last.from == from.active.Digest && last.to == g.Digest {
		return last.rows, !last.whole, nil
	}
	if from.unread != nil {
		return 0, false, from.unread
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
		return 0, false, cmp.Or(err, ctx.Err())
	case bounded.Err() != nil:
		rows, whole = 0, false
	case err != nil:
		return 0, false, err
	}
	e.tried = tables{from.active.Digest, g.Digest, rows, whole}
	return rows, !whole, nil
}
