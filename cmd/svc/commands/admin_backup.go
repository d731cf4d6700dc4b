package commands

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/cmd/svc/backup"
)

func backupCommand(o *localOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "backup DIR",
		Short: "Copy the store, the archive and all else but volumes to a new folder, while the service runs",
		Long: `Copy the store, the archive, policies, logs and secrets of the data directory to a new
folder, which only its owner can read. The service goes on meanwhile. The store of SVC_STORE
or of the data directory is copied as it is at one moment. Volumes are listed and not copied.

The folder holds key hashes and secrets: keep it as safe as the data directory. sha256sum -c
SHA256SUMS checks it. Where the engine proxy has a data directory of its own, make one there as
well, after that of the sidecar.`,
		Example: "  svc admin backup --data-dir /srv/svc /mnt/backup/monday",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := backup.Make(c.Context(), o.dataDir, os.Getenv("SVC_STORE"), args[0], time.Now)
			if errors.Is(err, backup.ErrNothing) {
				err = fmt.Errorf("%w: name the data directory with --data-dir, and the store in SVC_STORE", err)
			}
			return o.print(c, s, err, func(w io.Writer) {
				what := "the store as it was at"
				if s.Store == backup.StoreNone {
					what = "without a store, which is the sidecar's, as of"
				}
				fmt.Fprintf(w, "%s: %d files, %d bytes, %s %s\n", args[0], s.Files, s.Bytes, what, s.Begun.Format(time.RFC3339))
				printVolumes(w, s.Volumes)
			})
		},
	}
}

func restoreCommand(o *localOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "restore DIR",
		Short: "Make a new data directory of a backup; with SVC_STORE its store goes to PostgreSQL",
		Long: `Make a data directory of what svc admin backup copied to a folder. The data directory must
not be there yet, or be empty, and so must the database that SVC_STORE names; the backup is checked
before anything is written. svc doctor --deep says after it whether all is in order.

What was done since the backup was begun is lost: keys that were revoked since work again, and
credits, jobs and settings since are gone. Stop the old service before, with its engines.`,
		Example: "  svc admin restore --data-dir /srv/new /mnt/backup/monday\n  svc doctor --deep --data-dir /srv/new",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := backup.Restore(c.Context(), args[0], o.dataDir, os.Getenv("SVC_STORE"))
			return o.print(c, s, err, func(w io.Writer) {
				lost := time.Since(s.Begun).Round(time.Second)
				fmt.Fprintf(w, "%s: %d files\nWhat was done since %s is lost: the last %d seconds before now.\n",
					o.dataDir, s.Files, s.Begun.Format(time.RFC3339), int(lost.Seconds()))
				fmt.Fprintln(w, "Look at svc doctor --deep before you start the service.")
				printVolumes(w, s.Volumes)
			})
		},
	}
}

// printVolumes says which volumes are not in a backup.
func printVolumes(w io.Writer, volumes []backup.Volume) {
	if len(volumes) == 0 {
		return
	}
	fmt.Fprintf(w, "Not in the backup: %d volumes. Copy them by the means of their disk; a project without its own begins anew.\n", len(volumes))
	rows := [][]string{{"PROJECT", "VOLUME"}}
	for _, v := range volumes {
		rows = append(rows, []string{v.ProjectID, v.Place})
	}
	printTable(w, rows)
}
