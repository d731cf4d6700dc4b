package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store"
)

// oldestPostgres is the oldest version of PostgreSQL that the driver is for.
const oldestPostgres = 14

// Store asks for the store: for the PostgreSQL database that SVC_STORE names,
// or the file in the data directory, and for the ledger in it. The URL may hold a
// password: only package store reads it, and its errors don't repeat it.
func Store(ctx context.Context, dataDir string) []Check {
	if _, other := elsewhere("SVC_SIDECAR"); other {
		return nil // the store is that one's
	}
	address := os.Getenv("SVC_STORE")
	if address == "" || address == "sqlite" {
		path := filepath.Join(dataDir, store.SQLiteFile)
		return append(ledgerChecks(ctx, path), meterChecks(ctx, filepath.Join(dataDir, analytics.File), path)...)
	}
	k := Check{Name: "PostgreSQL", Required: true}
	if !store.IsPostgresURL(address) {
		k.Found, k.Advice = `SVC_STORE is neither "sqlite" nor a postgres:// URL`, "correct SVC_STORE"
		return []Check{k}
	}
	soon, cancel := context.WithTimeout(ctx, Time)
	defer cancel()
	found, err := store.InspectPostgres(soon, address)
	if err != nil {
		k.Found, k.Advice = OneLine(err), "check that the server runs and accepts the user of SVC_STORE"
		return []Check{k}
	}
	checks := inspected(found)
	if found.Schema == 0 || !checks[0].OK {
		return checks
	}
	return slices.Concat(checks, ledgerChecks(ctx, address), meterChecks(ctx, address, address))
}

// inspected judges what was found in the database.
func inspected(found store.Inspection) []Check {
	k := Check{Name: "PostgreSQL", Required: true}
	switch {
	case found.Number/10000 < oldestPostgres:
		k.Found = fmt.Sprintf("%s is of version %s", found.Place, found.Version)
		k.Advice = fmt.Sprintf("upgrade it to %d or newer", oldestPostgres)
	case found.Schema > found.Newest:
		k.Found = fmt.Sprintf("%s was written by a newer version of svc: its schema has version %d, this svc knows versions up to %d",
			found.Place, found.Schema, found.Newest)
		k.Advice = "run the newer svc, or restore a backup from before the upgrade"
	case found.Schema == 0:
		k.OK, k.Found = true, fmt.Sprintf("%s is of version %s and empty; the first start makes the tables", found.Place, found.Version)
	case found.Schema < found.Newest:
		k.OK, k.Found = true, fmt.Sprintf("%s is of version %s; the next start brings its schema from version %d to %d",
			found.Place, found.Version, found.Schema, found.Newest)
	default:
		k.OK, k.Found = true, fmt.Sprintf("%s is of version %s, its schema of version %d", found.Place, found.Version, found.Schema)
	}
	if len(found.Off) == 0 {
		return []Check{k}
	}
	off := strings.Join(found.Off, ", ")
	return []Check{k, {
		Name: "durability of PostgreSQL", Found: "off: " + off,
		Advice: "a crash may lose jobs that were accepted and TIK that was spent, or damage the database: switch them on",
	}}
}
