package access

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

// maxKnown bounds the pairs of a key and a project whose facts are kept.
const maxKnown = 4096

// known keeps the facts about keys and projects from one decision to the next. They are
// good while the store has the stamp that they were read with: each change of such a fact
// changes the stamp in its own transaction, whichever process makes it.
type known struct {
	facts *lru.Cache[pair, facts]
	today *atomic.Pointer[today]
}

// today is the day of the last decision with usage, with its month, as a query has them.
type today struct {
	begins     time.Time
	day, month any
}

// pair is what a decision is about; the project may be "".
type pair struct{ keyID, projectID string }

// facts are what is known of a pair, nil of what is not there.
type facts struct {
	stamp   int64
	key     *policy.Key
	project *policy.Project
	ids     [2]any // of the project and the key, as a query has them
}

func newKnown() known {
	kept, err := lru.New[pair, facts](maxKnown)
	if err != nil {
		panic(err) // of a size that is not positive
	}
	return known{kept, new(atomic.Pointer[today])}
}

// stampColumn is a number that grows with each change of what is known of a key and a
// project: the key's version, which its own changes count, and the number of changes of
// states and attributes, those of users and projects among them. Twice that leaves room for
// whether there is the project, whose id is the argument.
const stampColumn = `(version + (SELECT seq FROM heads WHERE log = '` + store.LogRevoke + `') + (SELECT seq FROM heads WHERE log = '` + store.LogAttributes + `')) * 2
	+ (SELECT count(*) FROM projects WHERE projects.id = ?) AS stamp`

// hasProject reports whether there was the project.
func hasProject(stamp int64) bool { return stamp%2 != 0 }

// errNotKept is returned for facts that are to be read from the store.
var errNotKept = errors.New("the facts are not kept")

// last returns the facts that were kept last, of a stamp that is none where there are none.
func (k known) last(of pair) facts {
	found, ok := k.facts.Get(of)
	if !ok {
		return facts{stamp: -1, ids: [2]any{of.projectID, of.keyID}}
	}
	return found
}

// with returns the facts if they have a stamp, or errNotKept.
func (f facts) with(stamp int64) (facts, error) {
	if f.stamp != stamp {
		return facts{stamp: stamp, ids: f.ids}, errNotKept
	}
	return f, nil
}

// buckets are those of a moment, as a query has them.
func (k known) buckets(at time.Time) (day, month any) {
	begins := at.UTC().Truncate(24 * time.Hour)
	if last := k.today.Load(); last != nil && last.begins.Equal(begins) {
		return last.day, last.month
	}
	day, month = ledger.UsageBuckets(at)
	k.today.Store(&today{begins, day, month})
	return day, month
}

// recall returns the facts that are kept about a key and a project, or errNotKept. It runs
// one query.
func (k known) recall(r *store.Reader, of pair) (facts, error) {
	found := k.last(of)
	var stamp [1]int64
	err := r.Numbers(stamp[:], "SELECT "+stampColumn+" FROM keys WHERE keys.id = ?", found.ids[:]...)
	if err != nil {
		return facts{}, err
	}
	return found.with(stamp[0])
}

// recallWithUsage is recall with what the key has used in the day and month of now.
func (k known) recallWithUsage(r *store.Reader, of pair, now time.Time) (facts, *policy.Usage, error) {
	found := k.last(of)
	var columns [6]int64
	day, month := k.buckets(now)
	err := r.Numbers(columns[:], "SELECT "+stampColumn+", "+ledger.UsageColumns+" FROM keys WHERE keys.id = ?", found.ids[0], day, month, month, found.ids[1])
	if err != nil {
		return facts{}, nil, err
	}
	used, current := ledger.UsageOf([5]int64(columns[1:]), now)
	if !current {
		return facts{}, nil, errNotKept
	}
	found, err = found.with(columns[0])
	return found, &used.Usage, err
}

// read returns the facts about a key and a project, which it keeps.
func (k known) read(r *store.Reader, of pair) (facts, error) {
	found, err := k.recall(r, of)
	if errors.Is(err, store.ErrNoRows) { // no such key: its refusal still names the project
		project, err := readProject(r, of.projectID)
		return facts{project: project}, err
	}
	if err == nil {
		return found, nil
	}
	if !errors.Is(err, errNotKept) {
		return facts{}, fmt.Errorf("looking for changes of the key: %w", err)
	}
	if found.key, err = readKey(r, "id", of.keyID); err != nil {
		return facts{}, err
	}
	if hasProject(found.stamp) {
		if found.project, err = readProject(r, of.projectID); err != nil {
			return facts{}, err
		}
	}
	policy.Prepare(found.key, found.project)
	k.facts.Add(of, found)
	return found, nil
}

// factsOf gathers what is known of a key, a project and the key's usage.
func (d *Door) factsOf(ctx context.Context, keyID, projectID string, action policy.Action) (policy.Input, error) {
	in := policy.Input{Action: action}
	of := pair{keyID, projectID}
	glance := func(r *store.Reader) error {
		if action != policy.ActionGenerate {
			found, err := d.known.recall(r, of)
			in.Key, in.Project = found.key, found.project
			return err
		}
		now, err := r.Now(d.now)
		if err != nil {
			return err
		}
		found, used, err := d.known.recallWithUsage(r, of, now)
		in.Key, in.Project, in.Usage = found.key, found.project, used
		return err
	}
	err := d.store.Glance(ctx, glance, func(r *store.Reader) error {
		found, err := d.known.read(r, of)
		in.Key, in.Project, in.Usage = found.key, found.project, nil
		if err != nil || action != policy.ActionGenerate || in.Key == nil {
			return err
		}
		now, err := r.Now(d.now)
		if err != nil {
			return err
		}
		used, err := ledger.ReadUsage(r, keyID, now)
		in.Usage = &used.Usage
		return err
	})
	if err != nil {
		return policy.Input{}, fmt.Errorf("gathering the facts for %s: %w", action, err)
	}
	return in, nil
}
