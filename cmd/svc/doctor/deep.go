package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine-proxy/archive"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

// archiveDir is where the archive is in the data directory.
const archiveDir = "archive"

// maxListed bounds the names in a line.
const maxListed = 5

// Deep reads all that a data directory keeps: after a restore that proves it.
func Deep(ctx context.Context, dataDir string) []Check {
	return slices.Concat(fileChecks(ctx, dataDir), archiveChecks(ctx, dataDir), policyChecks(dataDir))
}

// fileChecks read every page of the SQLite files. A folder with a sidecar's policies lacks
// its store unless that is in PostgreSQL.
func fileChecks(ctx context.Context, dataDir string) (checks []Check) {
	_, err := os.Stat(filepath.Join(dataDir, activation.KeptDir))
	needed := err == nil && !store.IsPostgresURL(os.Getenv("SVC_STORE"))
	for _, name := range []string{store.SQLiteFile, analytics.File} {
		k := Check{Name: "file " + name, Required: true}
		faults, err := store.CheckFile(ctx, filepath.Join(dataDir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == store.SQLiteFile && needed:
			k.Found, k.Advice = "it is missing", "restore a backup, or set SVC_STORE where the store is in PostgreSQL"
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			k.Found, k.Advice = OneLine(err), "restore a backup; the disk may fail"
		case len(faults) > 0:
			k.Found, k.Advice = OneLine(errors.New(strings.Join(faults, "; "))), "restore a backup; the disk may fail"
		default:
			k.OK, k.Found = true, "each page and index is in order"
		}
		checks = append(checks, k)
	}
	return checks
}

// archiveChecks read every job of the archive, and look for those of the ledger that are
// not there.
func archiveChecks(ctx context.Context, dataDir string) []Check {
	dir := filepath.Join(dataDir, archiveDir)
	k := Check{Name: "archive", Required: true}
	found, err := archive.Check(ctx, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Join(dataDir, state.StatesDir)); err != nil { // engines are elsewhere, and the archive with them
			return nil
		}
		return missingChecks(ctx, dataDir, dir)
	case err != nil:
		k.Found, k.Advice = "not checked: "+err.Error(), "run as the service's user"
	case len(found.Damaged) > 0:
		k.Found = fmt.Sprintf("%d of %d jobs and %d snapshots are damaged: %s",
			len(found.Damaged), found.Jobs, found.Snapshots, some(found.Damaged))
		k.Advice = "put their folders back from a backup; the disk may fail"
	default:
		k.OK = true
		k.Found = fmt.Sprintf("%d jobs, each event and checksum in order, and %d snapshots; %d bytes", found.Jobs, found.Snapshots, found.Bytes)
	}
	return append([]Check{k}, missingChecks(ctx, dataDir, dir)...)
}

// missingChecks look for jobs that the ledger says have ended and the archive lacks. They
// are asked for where both are in this data directory or the ledger is in PostgreSQL.
func missingChecks(ctx context.Context, dataDir, dir string) []Check {
	address := os.Getenv("SVC_STORE")
	if !store.IsPostgresURL(address) {
		address = filepath.Join(dataDir, store.SQLiteFile)
	}
	k := Check{Name: "archive, jobs of the ledger", Required: true}
	missing, jobs, err := notArchived(ctx, address, dir)
	if err == nil && len(missing) > 0 { // those that were deleted meanwhile are in the ledger no more
		var again []string
		again, jobs, err = notArchived(ctx, address, dir)
		missing = slices.DeleteFunc(missing, func(id string) bool { return !slices.Contains(again, id) })
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, store.ErrOtherVersion):
		return nil // the checks of the ledger say so
	case err != nil:
		k.Found, k.Advice = "not checked: "+OneLine(err), "see that the store answers"
	case len(missing) > 0:
		k.Found = fmt.Sprintf("%d of %d are not there: %s", len(missing), jobs, some(missing))
		k.Advice = "their events and games are gone unless a backup has them"
	default:
		k.OK, k.Found = true, fmt.Sprintf("all %d that have ended are there", jobs)
	}
	return []Check{k}
}

// notArchived returns the jobs that have ended and are not in the archive, of how many.
func notArchived(ctx context.Context, address, dir string) (missing []string, jobs int, err error) {
	var ended []string
	err = store.ReadOnly(ctx, address, func(r *store.Reader) error {
		ended, err = ledger.EndedJobs(r)
		return err
	})
	for _, id := range ended {
		if _, err := os.Stat(filepath.Join(dir, id)); errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, id)
		}
	}
	return missing, len(ended), err
}

// policyChecks read the policies that are kept to roll back to.
func policyChecks(dataDir string) []Check {
	k := Check{Name: "policies", Required: true}
	kept, damaged, err := activation.CheckKept(dataDir, store.IsPostgresURL(os.Getenv("SVC_STORE")))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		k.Found, k.Advice = OneLine(err), "put the folder policy back from a backup"
	case len(damaged) > 0:
		k.Found, k.Advice = OneLine(errors.Join(damaged...)), "put the file back from a backup, or activate that policy anew"
	default:
		k.OK, k.Found = true, fmt.Sprintf("%d are kept, each with its checksum", kept)
	}
	return []Check{k}
}

// some lists the first few of many.
func some(names []string) string {
	text := strings.Join(names[:min(len(names), maxListed)], ", ")
	if len(names) > maxListed {
		text += " and others"
	}
	return text
}
