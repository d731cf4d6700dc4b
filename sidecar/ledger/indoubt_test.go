package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

// socketName is the name of PostgreSQL's socket in its folder.
const socketName = ".s.PGSQL.5432"

// losing stands before PostgreSQL and cuts, once for each time that it is told
// to, a connection in the place of the answer to its commit.
type losing struct{ answers atomic.Int32 }

// between returns the address of a database as it is reached through l.
func (l *losing) between(t testing.TB, address string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc") // short: a socket's path has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	server := filepath.Join(query.Get("host"), socketName)
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	listener, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go l.pass(conn, server)
		}
	}()
	return u.String()
}

// pass passes on what one connection and the server say.
func (l *losing) pass(conn net.Conn, server string) {
	defer conn.Close()
	to, err := net.Dial("unix", server)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(to, conn)
		_ = to.Close()
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := to.Read(buf)
		// PostgreSQL sends the end of a commit in one piece, on its own.
		if bytes.Contains(buf[:n], []byte("COMMIT\x00")) && l.answers.Add(-1) >= 0 {
			return
		}
		if _, writeErr := conn.Write(buf[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

func TestReservationWhoseCommitHasNoAnswerIsMadeOnce(t *testing.T) {
	var l losing
	f := newFixture(t, storetest.Database{Name: "PostgreSQL", New: func(t testing.TB) func() (*store.Store, error) {
		address := l.between(t, postgrestest.URL(t))
		return func() (*store.Store, error) { return store.OpenPostgres(context.Background(), address) }
	}})
	r := sidecar.Reservation{JobID: api.NewJobID(time.Now()), KeyID: f.newKey(policy.Limits{JobsPerDay: new(int64(1))}), ProjectID: f.project}
	l.answers.Store(1)
	a, err := f.ledger.Reserve(t.Context(), r)
	if err != nil || a.SessionID == "" || a.Usage.JobsToday != 1 || a.Usage.RunningJobs != 1 || *a.Limits.JobsPerDay != 1 {
		t.Errorf("admission %+v, %v", a, err)
	}
	if l.answers.Load() >= 1 {
		t.Error("no answer was lost")
	}
	f.must(f.ledger.Commit(t.Context(), r.JobID))
	// Of an operation that can't be looked for the error says what is open.
	l.answers.Store(1)
	before, err := f.keys.User(t.Context(), "alice")
	f.must(err)
	credit := keys.Credit{TIK: 1, Reference: "invoice-1"}
	if _, err := f.keys.TopUp(t.Context(), "uid:7", "alice", credit); !errors.Is(err, store.ErrInDoubt) {
		t.Errorf("a top-up: %v, want ErrInDoubt", err)
	}
	after, err := f.keys.TopUp(t.Context(), "uid:7", "alice", credit)
	if err != nil || !after.Repeated || after.Balance != before.Balance+1 {
		t.Errorf("the same top-up again: %+v, %v, want it credited once", after, err)
	}
}
