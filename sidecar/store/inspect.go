package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Inspection is what InspectPostgres finds.
type Inspection struct {
	Place   string // database and host
	Version string // of the server, like "17.4"
	Number  int    // the same as PostgreSQL numbers it, like 170004
	// Schema is the version of the schema that the database has, 0 for none, and
	// Newest the last one that this svc knows.
	Schema, Newest int
	// Off are the settings that are off, of those by which what is committed
	// survives a crash: fsync, full_page_writes and synchronous_commit.
	Off []string
}

// InspectPostgres looks at the database that a URL names, with the connections that
// OpenPostgres would use, and changes nothing. Its errors don't hold the password.
func InspectPostgres(ctx context.Context, url string) (found Inspection, err error) {
	config, err := postgresConfig(url)
	if err != nil {
		return Inspection{}, err
	}
	found.Place = fmt.Sprintf("database %s at %s", config.Database, config.Host)
	steps, err := migrations(&postgres)
	if err != nil {
		return Inspection{}, err
	}
	found.Newest = len(steps)
	if err := config.prepare(ctx, config.ConnConfig); err != nil {
		return Inspection{}, err
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return Inspection{}, fmt.Errorf("connecting to PostgreSQL %s: %w", found.Place, err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if err := found.read(ctx, conn); err != nil {
		return Inspection{}, fmt.Errorf("looking at PostgreSQL %s: %w", found.Place, err)
	}
	return found, nil
}

func (i *Inspection) read(ctx context.Context, conn *pgx.Conn) error {
	var made bool
	if err := conn.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('server_version_num')::int,
			to_regclass('schema_steps') IS NOT NULL`).Scan(&i.Version, &i.Number, &made); err != nil {
		return err
	}
	if made {
		if err := conn.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM schema_steps").Scan(&i.Schema); err != nil {
			return err
		}
	}
	rows, err := conn.Query(ctx, `SELECT name FROM pg_settings
		WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name`)
	if err != nil {
		return err
	}
	i.Off, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return err
}
