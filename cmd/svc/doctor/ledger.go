package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

// ledgerTime bounds the check of a ledger: it reads whole tables.
const ledgerTime = 30 * time.Second

// ledgerChecks asks for the invariants of the ledger in the database at address,
// which a service may have open; nothing where there is no such file.
func ledgerChecks(ctx context.Context, address string) []Check {
	ctx, cancel := context.WithTimeout(ctx, ledgerTime)
	defer cancel()
	var findings []ledger.Finding
	err := store.ReadOnly(ctx, address, func(r *store.Reader) error {
		var err error
		findings, err = ledger.CheckInvariants(r)
		return err
	})
	k := Check{Name: "ledger", Found: "not checked: "}
	switch {
	case errors.Is(err, store.ErrMoved):
		k.Required, k.Found, k.Advice = true, k.Found+"the store was moved to PostgreSQL", "set SVC_STORE as the service has it"
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, store.ErrNewer):
		k.Required = true
		k.Found, k.Advice = k.Found+"a newer svc made the store", "run the newer svc, or restore a backup from before the upgrade"
	case errors.Is(err, store.ErrOtherVersion):
		k.Found, k.Advice = k.Found+err.Error(), "ask again once the service was started with this version of svc"
	case ctx.Err() != nil:
		k.Found, k.Advice = fmt.Sprintf("%sthat took longer than %v", k.Found, ledgerTime), "ask again when the service has less to do"
	case err != nil:
		k.Required = true
		k.Found, k.Advice = k.Found+OneLine(err), "run as the service's user, or see What doctor says of the ledger in docs/operations.md"
	default:
		return invariantChecks(findings)
	}
	return []Check{k}
}

// invariantChecks judges what was found of each invariant.
func invariantChecks(findings []ledger.Finding) []Check {
	checks := make([]Check, len(findings))
	for i, f := range findings {
		k := Check{Name: "ledger, " + f.Name, Required: true, OK: f.Holds(), Found: f.Rule}
		if !k.OK {
			k.Found = fmt.Sprintf("%s, but not %s", f.Rule, quoted(f.Violations))
			if f.More {
				k.Found += " and others"
			}
			k.Advice = "see What doctor says of the ledger in docs/operations.md"
		}
		checks[i] = k
	}
	return checks
}

// quoted lists ids, of which engines choose some, as one line.
func quoted(ids []string) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = fmt.Sprintf("%q", id)
	}
	return strings.Join(list, ", ")
}
