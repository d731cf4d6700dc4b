package activation

import (
	"context"
	"maps"
	"sync"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
)

var proven sync.Map // digests of rules and tests

// ProveOnce has files that some activation of this process has proven taken for
// proven: tests that are about what comes after activate the same ones again and
// again. What is refused is proven anew each time.
func (o *Options) ProveOnce() {
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
