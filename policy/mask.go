package policy

import (
	"context"

	"github.com/open-policy-agent/opa/v1/ast"
)

// MaskPath is the document, a set, by which a policy takes members out of the
// decision log, as OPA does: JSON pointers of members to erase, or objects
// {"op": "remove"|"upsert", "path": …, "value": …}. Its input is the record.
const MaskPath = "data.system.log.mask"

var maskPath = ast.MustParseRef(MaskPath)

// Masks reports whether the policy masks records of the decision log.
func (e *Evaluator) Masks() bool { return e.masks }

// Mask returns the policy's mask for a record, nil when there is nothing to
// mask.
func (e *Evaluator) Mask(ctx context.Context, record ast.Value) (ast.Value, error) {
	return e.mask.eval(ctx, record, nil)
}
