package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/svc-games/svc/peer/secret"
)

const (
	// postgresWriters and postgresReaders are the connections of one sidecar.
	postgresWriters = 16
	postgresReaders = 8
	// postgresTimeout bounds an operation, so that a database that no longer
	// answers refuses submissions instead of keeping them.
	postgresTimeout = 10 * time.Second
	connectTimeout  = 2 * time.Second
)

// schemaLock is the number of the advisory lock under which the schema changes.
// Any would do that nobody else uses in the same database.
const schemaLock = "7384510963"

// postgres locks rows against other writers, but not against new rows that
// refer to them. Statements run one by one at "read committed": they see what
// was committed when they began, which for a row under a lock is the truth.
var postgres = dialect{
	name:       "postgres",
	schema:     &main,
	beginWrite: "BEGIN ISOLATION LEVEL READ COMMITTED",
	beginRead:  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
	lockSchema: "SELECT pg_advisory_xact_lock(" + schemaLock + ")",
	lockRows:   " FOR NO KEY UPDATE",
	clock:      "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
	shared:     true,
	numbered:   true,
	strict:     true,
	redial:     true,
	timeout:    postgresTimeout,
	broken:     transactionBroken,
}

// ErrPostgresURL is returned for an address that is no PostgreSQL URL. It
// doesn't repeat the address, or what is wrong with it: either may hold a part
// of the password.
var ErrPostgresURL = errors.New("the store's address is not acceptable: " +
	"want postgres://user:password@host:5432/database, with special characters of the password percent-encoded")

// ErrAway is returned, wrapped, when no server answers at the address, or one that takes
// no connections for now: it may later.
var ErrAway = errors.New("the database server is not reachable")

// IsPostgresURL reports whether an address is meant as one for OpenPostgres.
func IsPostgresURL(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// OpenPostgres connects to the database that a URL names and brings its schema
// up to date. A database of a newer version is refused with ErrNewer. Its
// errors don't hold the password. Connections keep prepared statements: a pooler
// in between must give each its own session.
func OpenPostgres(ctx context.Context, url string) (*Store, error) {
	return OpenPostgresOf(ctx, url, main)
}

// OpenPostgresOf is OpenPostgres for tables of another schema, which may stand in the
// same database.
func OpenPostgresOf(ctx context.Context, url string, schema Schema) (*Store, error) {
	d := postgres
	d.schema = &schema
	config, err := postgresConfig(url)
	if err != nil {
		return nil, err
	}
	db := config.open()
	db.SetMaxOpenConns(postgresWriters + postgresReaders)
	db.SetMaxIdleConns(0) // conn keeps its connection for good
	c := newConn(db, &d, d.beginWrite)
	if err := errors.Join(migrate(ctx, c), c.discard()); err != nil {
		if away(err) {
			err = fmt.Errorf("%w: %w", ErrAway, err)
		}
		return nil, errors.Join(fmt.Errorf("opening PostgreSQL database %s at %s: %w", config.Database, config.Host, err), db.Close())
	}
	return newStore(&d, newPool(db, &d, postgresWriters), postgresReaders, db), nil
}

// away reports whether a connection failed for want of a server. What one says of user,
// password and database stays as it is.
func away(err error) bool {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		// It starts, stops or has as many as it may: cannot_connect_now, admin_shutdown,
		// crash_shutdown, too_many_connections.
		return slices.Contains([]string{"57P03", "57P01", "57P02", "53300"}, refused.Code)
	}
	_, unanswered := errors.AsType[*pgconn.ConnectError](err)
	return unanswered
}

// connecting is how connections to a database are made.
type connecting struct {
	*pgx.ConnConfig
	password string // file of the password, which each connection reads anew; "" for none
}

func (c connecting) open() *sql.DB {
	return stdlib.OpenDB(*c.ConnConfig, stdlib.OptionBeforeConnect(c.prepare))
}

// prepare puts the password into what a connection is made by.
func (c connecting) prepare(_ context.Context, to *pgx.ConnConfig) (err error) {
	if c.password != "" {
		to.Password, err = secret.Read(c.password)
	}
	return err
}

// postgresConfig returns how connections to the database of a URL are made, or
// ErrPostgresURL.
func postgresConfig(url string) (connecting, error) {
	bare, password, err := secret.Cut(url)
	if err != nil {
		return connecting{}, errors.Join(ErrPostgresURL, err)
	}
	config, err := pgx.ParseConfig(bare)
	if err != nil || !IsPostgresURL(url) {
		return connecting{}, ErrPostgresURL
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, connectTimeout)
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "svc"
	}
	// A sidecar that hangs must not keep the rows it locked.
	config.RuntimeParams["idle_in_transaction_session_timeout"] = fmt.Sprint(postgresTimeout.Milliseconds())
	return connecting{config, password}, nil
}

// transactionBroken asks the connection, not the database.
func transactionBroken(c *sql.Conn) (bool, error) {
	broken := false
	err := c.Raw(func(driverConn any) error {
		conn, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("unexpected driver connection %T", driverConn)
		}
		broken = conn.Conn().PgConn().TxStatus() != 'T'
		return nil
	})
	return broken, err
}
