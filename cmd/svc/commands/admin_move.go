package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store"
)

func migrateCommand(o *localOptions) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "migrate [--to postgres://…]",
		Short: "Move the store from SQLite to PostgreSQL; the service must not run",
		Long: `Move the store from SQLite to PostgreSQL, and then the analytics. All rows are
compared before they are committed. The database must be empty and the service
stopped. Set SVC_STORE afterwards and start the service; keys, jobs, games and
engines are unchanged. The old files are kept as svc.db.moved and
analytics.db.moved; without SVC_STORE no service starts beside them. A move that was
killed between the two is ended by the same command.

A URL with a password belongs in the variable SVC_STORE: every user of the machine
sees flags.`,
		Example: "  SVC_STORE=postgres://svc:…@db/svc svc admin migrate --data-dir /srv/svc",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			begun := time.Now()
			tables, err := moveStore(c.Context(), o.dataDir, cmp.Or(to, os.Getenv("SVC_STORE")))
			return o.print(c, tables, err, func(w io.Writer) { printTables(w, tables, time.Since(begun)) })
		},
	}
	c.Flags().StringVar(&to, "to", "", "URL of the database ($SVC_STORE)")
	return c
}

func moveStore(ctx context.Context, dir, to string) (tables []store.Table, err error) {
	if !store.IsPostgresURL(to) {
		return nil, misused("name the database to move to: --to postgres://user@host/database, or SVC_STORE where the URL has a password")
	}
	file, plays := filepath.Join(dir, store.SQLiteFile), filepath.Join(dir, analytics.File)
	release, err := store.Seize(file)
	if errors.Is(err, store.ErrMoved) && store.SetAside(plays) == nil { // an earlier move was cut short
		return []store.Table{}, nil
	}
	if errors.Is(err, store.ErrInUse) {
		return nil, fmt.Errorf("the service of %s runs: stop it first", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("moving the store: %w", err)
	}
	defer func() { err = errors.Join(err, release()) }()
	err = store.CheckEmpty(ctx, to)
	if err == nil {
		err = analytics.CheckEmpty(ctx, to)
	}
	if err == nil {
		tables, err = store.Copy(ctx, file, to)
	}
	if errors.Is(err, store.ErrNotEmpty) {
		return nil, fmt.Errorf("%w: name a database of its own for svc", err)
	}
	if err != nil {
		return nil, fmt.Errorf("moving the store: %w", err)
	}
	played, err := analytics.Copy(ctx, plays, to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("moving the analytics: the store is in the database already; empty the database before the next attempt: %w", err)
	}
	// The store first: from then on no service starts on what is left.
	for _, moved := range []string{file, plays} {
		if err := store.SetAside(moved); err != nil && (moved == file || !errors.Is(err, fs.ErrNotExist)) {
			return nil, fmt.Errorf("the rows are in PostgreSQL, but the old file is still in use: %w", err)
		}
	}
	return append(tables, played...), nil
}

func printTables(w io.Writer, tables []store.Table, took time.Duration) {
	rows := [][]string{{"TABLE", "ROWS"}}
	for _, t := range tables {
		rows = append(rows, []string{t.Name, strconv.FormatInt(t.Rows, 10)})
	}
	printTable(w, rows)
	fmt.Fprintf(w, "Moved in %v. Set SVC_STORE to the database and start the service.\n", took.Round(time.Second/10))
}
