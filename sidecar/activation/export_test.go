package activation

import (
	"context"
	"io/fs"
	"maps"
	"sync"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
)

var proven sync.Map // digests of rules and tests

// TryTablesAs has f in place of the trial of two tables, in which nothing changes otherwise
// after ProveOnce: TestChangedCountsLittleForARuleAndMuchForOneThatAllowsAll of policy/verify has the trial itself.
func (o *Options) TryTablesAs(f func(context.Context, fs.FS, fs.FS) (int, bool, error)) {
	o.changed = f
}

// ProveAs has f in place of a policy's own tests and its table.
func (o *Options) ProveAs(f func(context.Context) *Failure) {
	o.proof = func(ctx context.Context, _ *policy.Evaluator, _ bundle.Snapshot) *Failure { return f(ctx) }
}

// ProveOnce has files that some activation of this process has proven taken for
// proven: tests that are about what comes after activate the same ones again and
// again. What is refused is proven anew each time.
func (o *Options) ProveOnce() {
	if o.changed == nil {
		o.changed = func(context.Context, fs.FS, fs.FS) (int, bool, error) { return 0, true, nil }
	}
	if o.proof != nil {
		return
	}
	o.proof = func(ctx context.Context, e *policy.Evaluator, files bundle.Snapshot) *Failure {
		rules := maps.Clone(files)
		delete(rules, bundle.ManifestFile)
		delete(rules, bundle.SignaturesFile)
		digest := rules.Digest()
		if _, known := proven.Load(digest); known {
			return nil
		}
		failure := testAndCheck(ctx, e, files)
		if failure == nil {
			proven.Store(digest, true)
		}
		return failure
	}
}
