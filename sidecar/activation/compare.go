package activation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
	// Silent is how many sidecars with the same store did not say what their logs have.
	Silent int `json:"silent,omitempty"`

	most int // of Changed: what one log has
}

func (c Compared) String() string {
	text := "no decision of the last hour is recorded"
	if c.Decisions > 0 {
		text = fmt.Sprintf("it changes %d of %s of the last hour", c.Changed, change.Count(c.Decisions, "decision"))
	}
	if c.Silent > 0 {
		text += fmt.Sprintf(", without those of %s that did not answer", change.Count(c.Silent, "sidecar"))
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

// within reports whether that is little enough for nobody to look at it first. A sidecar that
// did not answer counts as the one whose log has most.
func (c Compared) within(threshold int) bool {
	return c.Changed+c.Silent*c.most <= threshold && c.Rows <= rowsPerDecision*threshold && !c.Untried && !c.Mask
}

func (c Compared) fields() []zap.Field {
	return []zap.Field{
		zap.Int("changed", c.Changed), zap.Int("decisions", c.Decisions), zap.Int("rows", c.Rows),
		zap.Bool("untried", c.Untried), zap.Bool("mask", c.Mask), zap.Int("silent", c.Silent),
	}
}

// compare counts what a policy changes of the base. The table is tried of what the source
// holds, also where the log has much: what nobody asked in the last hour is in no record.
func (e *Engine) compare(ctx context.Context, from base, g *Generation, r Request, waits bool) (c Compared, err error) {
	if from.unread != nil && from.active.Evaluator == nil {
		return c, fmt.Errorf("the active policy: %w", from.unread)
	}
	if err := e.again(ctx, from, g.Evaluator, &c); err != nil {
		return c, err
	}
	if r.Actor != ByService {
		return c, nil
	}
	c.Mask = len(verify.Masks(from.active.Evaluator, g.Evaluator)) > 0
	c.Untried = from.instead
	if !waits && c.within(e.o.Threshold) {
		c.Rows, c.Untried, err = e.try(ctx, from, g, r.Files)
	}
	return c, err
}

// again has both policies make recorded decisions again: those of the log here, and those of
// the logs of other sidecars with the same store.
func (e *Engine) again(ctx context.Context, from base, next *policy.Evaluator, c *Compared) error {
	since := e.o.Now().Add(-comparedTime)
	count := func(log io.Reader) error {
		report, err := replay.Run(ctx, log, next, replay.Options{Since: since, Against: from.active.Evaluator, Workers: 1})
		c.Changed += report.Changed()
		c.Decisions += report.Decisions
		c.most = max(c.most, report.Changed())
		return err
	}
	if e.o.Log != nil {
		log, err := decisionlog.OpenEnd(e.o.Log.Path(), since, comparedBytes)
		if err == nil {
			err = errors.Join(count(log), log.Close())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	all, err := from.others.gather(ctx, decisionlog.Query{Filter: decisionlog.Filter{Since: since}, Bytes: comparedBytes})
	if err != nil {
		return err
	}
	c.Silent = len(all.Silent)
	for _, part := range all.Parts {
		log, err := part.Open()
		if err == nil {
			err = count(log)
		}
		if err != nil {
			return err
		}
	}
	return nil
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
