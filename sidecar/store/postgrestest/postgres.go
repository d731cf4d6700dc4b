// Package postgrestest gives tests a PostgreSQL server, which the test binary
// starts from Debian's programs and which ends with it. A package whose tests
// use it runs them by Main.
package postgrestest

import (
	"bufio"
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"
)

// errMissing is returned where PostgreSQL is not installed.
var errMissing = errors.New("PostgreSQL is not installed: no /usr/lib/postgresql/*/bin/postgres; install the package postgresql")

// server is the PostgreSQL server of this process. Its user is postgres without
// a password, its only address a socket in its directory.
type server struct {
	dir, bin string
	cred     *syscall.Credential // nil: as this process

	mu      sync.Mutex // guards running and exited
	running *exec.Cmd
	exited  chan error
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
		if err := errors.Join(started.stop(syscall.SIGINT), os.RemoveAll(started.dir)); err != nil {
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
	if errors.Is(startErr, errMissing) && os.Getenv("CI") != "true" {
		t.Skip(startErr)
	}
	if startErr != nil {
		t.Fatal(startErr)
	}
	schema := fmt.Sprintf("test_%d", schemas.Add(1))
	if err := started.createSchema(schema); err != nil {
		t.Fatal(err)
	}
	// A busy machine may need longer for a connection than the store waits.
	return started.url() + "&connect_timeout=60&search_path=" + schema
}

// Stop ends this process's server at once, as a crash would; Start runs it
// again.
func Stop(t testing.TB) {
	t.Helper()
	if err := started.stop(syscall.SIGQUIT); err != nil {
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
	s := &server{dir: dir, bin: filepath.Dir(found[len(found)-1])}
	if os.Geteuid() == 0 {
		if s.cred, err = postgresUser(); err != nil {
			return nil, err
		}
		if err := os.Chown(dir, int(s.cred.Uid), int(s.cred.Gid)); err != nil {
			return nil, err
		}
	}
	if err := s.run("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return nil, err
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

func (s *server) data() string { return filepath.Join(s.dir, "data") }

// start runs the server until it is stopped, or this process ends in whatever
// way: the kernel interrupts it then. It returns once connections are accepted.
func (s *server) start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	// It breaks no circle: operations that wait in one fail by their time-out, and
	// are not run again as if nothing had been.
	cmd := s.command("postgres", "-D", s.data(), "-k", s.dir, "-c", "listen_addresses=",
		"-c", "max_connections=400", "-c", "shared_buffers=64MB", "-c", "restart_after_crash=off", "-c", "deadlock_timeout=1h",
		"-c", "autovacuum=off") // tables are too small
	cmd.SysProcAttr.Pdeathsig = syscall.SIGINT
	log, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	starting, ready, exited := make(chan error), make(chan string, 1), make(chan error, 1)
	go func() {
		// The signal comes when the thread ends that started the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		starting <- err
		if err == nil {
			ready <- untilReady(log)
			exited <- cmd.Wait()
		}
	}()
	if err := <-starting; err != nil {
		return err
	}
	if said := <-ready; said != "" {
		return errors.Join(fmt.Errorf("starting postgres: %s", said), <-exited)
	}
	s.running, s.exited = cmd, exited
	return nil
}

// untilReady reads the server's log, returns "" once it accepts connections, or
// all it said when it ended before, and goes on reading so that it never blocks.
func untilReady(log io.Reader) string {
	var said strings.Builder
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "ready to accept connections") {
			go func() {
				for lines.Scan() {
				}
			}()
			return ""
		}
		said.WriteString(lines.Text() + "\n")
	}
	return said.String()
}

func (s *server) stop(how syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return nil
	}
	if err := s.running.Process.Signal(how); err != nil {
		return err
	}
	err := <-s.exited
	s.running = nil
	var status *exec.ExitError
	if how != syscall.SIGINT && errors.As(err, &status) {
		return nil // a crash is no clean exit
	}
	return err
}

func (s *server) url() string {
	return "postgres:///postgres?" + url.Values{"host": {s.dir}, "user": {"postgres"}}.Encode()
}

func (s *server) createSchema(name string) error {
	db, err := sql.Open("pgx", s.url())
	if err != nil {
		return err
	}
	_, err = db.Exec("CREATE SCHEMA " + name)
	return errors.Join(err, db.Close())
}

func (s *server) run(program string, args ...string) error {
	var out bytes.Buffer
	cmd := s.command(program, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running %s: %w: %s", program, err, out.String())
	}
	return nil
}

func (s *server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.cred}
	return cmd
}
