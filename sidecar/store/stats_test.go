package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestFaultsOfTheDatabaseAreCountedAndRefusalsAreNot: what an operation decides is no fault,
// nor is a caller who left.
func TestFaultsOfTheDatabaseAreCountedAndRefusalsAreNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), SQLiteFile)
	s := open(t, path)
	refusal := errors.New("a limit is reached")
	if err := s.Update(t.Context(), func(*Tx) error { return refusal }); !errors.Is(err, refusal) {
		t.Fatal(err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if err := s.View(left, func(*Reader) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := s.View(t.Context(), func(r *Reader) error { return r.Row("SELECT 1 FROM nothing").Scan(new(int)) }); err == nil {
		t.Fatal("a table that is not there is read")
	}
	if got := s.Stats(); got.Readers != (Connections{0, readers}) || got.Writers != (Connections{0, 1}) {
		t.Errorf("nobody uses the store: %+v", got)
	}
	// Another process has the lock.
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := s.Update(soon, func(*Tx) error { return nil }); err == nil {
		t.Fatal("written beside a lock")
	}
	got := s.Stats()
	for _, one := range []struct {
		of    map[Fault]int64
		fault Fault
		want  int64
	}{{got.Reads, FaultOther, 1}, {got.Writes, FaultLocked, 1}} {
		for _, f := range faults {
			if want := map[bool]int64{true: one.want}[f == one.fault]; one.of[f] != want {
				t.Errorf("%s: %d, want %d", f, one.of[f], want)
			}
		}
	}
}

func TestFaultsOfPostgreSQLHaveTheirReasons(t *testing.T) {
	for want, errs := range map[Fault][]error{
		FaultUnreachable: {&pgconn.ConnectError{}, ErrInDoubt, &pgconn.PgError{Code: "57P01", SeverityUnlocalized: "FATAL"}},
		FaultLocked:      {&pgconn.PgError{Code: deadlockDetected, SeverityUnlocalized: "ERROR"}, errLocked},
		FaultFull:        {&pgconn.PgError{Code: "53100", SeverityUnlocalized: "ERROR"}},
		FaultTimeout:     {context.DeadlineExceeded, ErrBusy},
		FaultOther:       {&pgconn.PgError{Code: "42601", SeverityUnlocalized: "ERROR"}},
		"":               {nil, ErrNoRows, context.Canceled, ErrClosed},
	} {
		for _, err := range errs {
			if err != nil {
				err = fmt.Errorf("writing: %w", err)
			}
			if got := faultOf(err); got != want {
				t.Errorf("%v is %q, want %q", err, got, want)
			}
		}
	}
}
