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
		Short: "Back up the data directory without volumes to a new folder, while the service runs",
		Long: `Copy the store, the archive, policies, logs and secrets of the data directory to a new
folder, which only its owner can read. The service keeps running. The store, that of SVC_STORE
or of the data directory, is copied as of one moment. Volumes are listed and not copied.

The folder holds key hashes and secrets: keep it as safe as the data directory. sha256sum -c
SHA256SUMS checks it. Where the engine proxy has a data directory of its own, back that up too,
after the sidecar's.`,
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
		Short: "Restore a backup to a new data directory; with SVC_STORE the store goes to PostgreSQL",
		Long: `Restore a folder that svc admin backup made to a data directory. The data directory must be
missing or empty, and the database that SVC_STORE names must be empty. The backup is checked
before anything is written. Run svc doctor --deep afterwards to check the result.

Everything since the start of the backup is lost: credits, jobs and settings are gone, and keys
revoked since then work again. Stop the old service and its engines first.`,
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
