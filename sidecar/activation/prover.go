package activation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/open-policy-agent/opa/v1/version"

	"github.com/svc-games/svc/policy"
)

// prover names the programs that prove policies as this one does: with the same schemas, the
// same OPA, and the same policy of their own, whose table is what this one tries.
var prover = sync.OnceValue(func() string {
	own, err := embedded{}.read(context.Background())
	if err != nil {
		panic(err) // of files that are part of the program
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s", version.Version, own.Digest(), policy.InputSchema, policy.DecisionSchema))
	return hex.EncodeToString(sum[:8])
})
