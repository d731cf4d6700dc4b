package doctor

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

// meterChecks asks whether what is kept of games that are played is paid: of the
// database at address, by the ledger in another one, which may be the same. It asks
// nothing where no game was ever played.
func meterChecks(ctx context.Context, address, ledgerAddress string) []Check {
	ctx, cancel := context.WithTimeout(ctx, ledgerTime)
	defer cancel()
	k := Check{Name: "meters", Required: true, OK: true, Found: "each event that is kept of a game is of a block that is paid"}
	found, err := analytics.CheckMeters(ctx, address, func() (blocks map[string]int64, err error) {
		err = store.ReadOnly(ctx, ledgerAddress, func(r *store.Reader) error {
			blocks, err = ledger.Blocks(r)
			return err
		})
		return blocks, err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, store.ErrOtherVersion):
		k.OK, k.Required, k.Found, k.Advice = false, false, "not checked: "+err.Error(), "ask again once the service was started with this version of svc"
	case err != nil:
		k.OK, k.Found, k.Advice = false, "not checked: "+OneLine(err), "run as the service's user, or see What doctor says of the ledger in docs/operations.md"
	case len(found) > 0:
		k.OK, k.Found, k.Advice = false, strings.Join(found, "; "), "see What doctor says of the ledger in docs/operations.md"
	}
	return []Check{k}
}
