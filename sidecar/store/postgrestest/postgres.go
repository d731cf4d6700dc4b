// Package postgrestest gives tests a PostgreSQL server, which the test binary
// starts from Debian's programs and which ends with it. A package whose tests
// use it runs them by Main.
package postgrestest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"

	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/need"
)

// errMissing is returned where PostgreSQL is not installed.
var errMissing = errors.New("PostgreSQL is not installed: no /usr/lib/postgresql/*/bin/postgres; install the package postgresql")

// server is the PostgreSQL server of this process. Its user is postgres without
// a password, its only address a socket in its directory.
type server struct {
	child.Server
	dir string
}

var (
	startOnce sync.Once
	started   *server
	startErr  error
	schemas   atomic.Int64
)

// Main runs the tests of a package and then stops what they started. It is what
// TestMain passes to os.Exit.
func Main(m *testing.M) int {
	code := m.Run()
	if started != nil {
		if err := errors.Join(started.End(syscall.SIGINT), started.Err(), os.RemoveAll(started.dir)); err != nil {
			fmt.Fprintln(os.Stderr, "stopping PostgreSQL:", err)
			return max(code, 1)
		}
	}
	return code
}

// URL returns the URL of an empty schema on this process's server. The test is
// skipped where PostgreSQL is not installed, or fails when CI is true; and in
// short runs, those of make check.
func URL(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("short: PostgreSQL is not started")
	}
	startOnce.Do(func() { started, startErr = startServer() })
	if errors.Is(startErr, errMissing) {
		need.Missing(t, "%v", startErr)
	}
	if startErr != nil {
		t.Fatal(startErr)
	}
	schema := fmt.Sprintf("test_%d", schemas.Add(1))
	if err := started.exec(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	// A busy machine may need longer for a connection than the store waits.
	return started.url() + "&connect_timeout=60&search_path=" + schema
}

// Stop ends this process's server at once, as a crash would; Start runs it
// again.
func Stop(t testing.TB) {
	t.Helper()
	if err := started.End(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
}

// Start runs the server again that Stop ended, on the same data.
func Start(t testing.TB) {
	t.Helper()
	if err := started.start(); err != nil {
		t.Fatal(err)
	}
}

func startServer() (*server, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errMissing
	}
	slices.Sort(found)
	dir, err := os.MkdirTemp("", "pg") // short: it is the socket's directory
	if err != nil {
		return nil, err
	}
	s, bin := &server{dir: dir}, filepath.Dir(found[len(found)-1])
	if os.Geteuid() == 0 {
		if s.User, err = postgresUser(); err != nil {
			return nil, err
		}
		if err := os.Chown(dir, int(s.User.Uid), int(s.User.Gid)); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = dir, &syscall.SysProcAttr{Credential: s.User}
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("running initdb: %w: %s", err, out)
	}
	s.Log, s.Last = filepath.Join(dir, "log"), syscall.SIGINT
	// It breaks no circle: operations that wait in one fail by their time-out, and
	// are not run again as if nothing had been.
	s.Args = []string{
		filepath.Join(bin, "postgres"), "-D", data, "-k", dir, "-c", "listen_addresses=",
		"-c", "max_connections=400", "-c", "shared_buffers=64MB", "-c", "restart_after_crash=off", "-c", "deadlock_timeout=1h",
		"-c", "autovacuum=off", // tables are too small
	}
	return s, s.start()
}

// postgresUser is whom a server runs as that root starts: it refuses root.
func postgresUser() (*syscall.Credential, error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

// start runs the server, and returns once connections are accepted.
func (s *server) start() error {
	if err := s.Start(); err != nil {
		return err
	}
	return s.Answers(func(ctx context.Context) error { return s.exec(ctx, "SELECT 1") })
}

func (s *server) url() string {
	return "postgres:///postgres?" + url.Values{"host": {s.dir}, "user": {"postgres"}}.Encode()
}

func (s *server) exec(ctx context.Context, statement string) error {
	db, err := sql.Open("pgx", s.url())
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, statement)
	return errors.Join(err, db.Close())
}
