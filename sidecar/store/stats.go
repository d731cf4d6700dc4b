package store

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Fault is why the database did not do what it was asked.
type Fault string

// The faults of Stats.
const (
	FaultUnreachable Fault = "unreachable" // no connection, or one that broke
	FaultLocked      Fault = "locked"      // by another process, or another transaction
	FaultTimeout     Fault = "timeout"     // it took too long, the wait for a turn included
	FaultFull        Fault = "full"        // the disk
	FaultOther       Fault = "other"
)

// faults are all of them, in the order of Stats.
var faults = []Fault{FaultUnreachable, FaultLocked, FaultTimeout, FaultFull, FaultOther}

// Stats say how a store does.
type Stats struct {
	// Reads and Writes are how many failed by a fault of the database since the store was
	// opened.
	Reads, Writes map[Fault]int64
	// Readers and Writers are the connections.
	Readers, Writers Connections
}

// Connections are those that the store may have for one use, and how many of them are in
// use.
type Connections struct{ Used, Most int }

// counts are the faults of reads or of writes.
type counts [5]atomic.Int64

// note counts an error that is a fault of the database.
func (c *counts) note(err error) {
	if err == nil { // faultOf allocates
		return
	}
	if f := faultOf(err); f != "" {
		c[slices.Index(faults, f)].Add(1)
	}
}

func (c *counts) all() map[Fault]int64 {
	m := make(map[Fault]int64, len(faults))
	for i, f := range faults {
		m[f] = c[i].Load()
	}
	return m
}

// Codes of PostgreSQL that are no fault of a statement's own.
var (
	pgLocked = []string{serializationFailure, deadlockDetected, "55P03"}
	pgFull   = []string{"53100"}
)

// faultOf returns the fault that an error is, "" for one of the operation itself: a limit
// that is reached, or a caller who left.
func faultOf(err error) Fault {
	var lite *driver.Error
	var refused *pgconn.PgError
	switch {
	case errors.Is(err, context.Canceled):
		return ""
	case errors.Is(err, errLocked):
		return FaultLocked
	case errors.As(err, &lite):
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return FaultLocked
		case sqlite3.SQLITE_FULL:
			return FaultFull
		}
		return FaultOther
	case errors.As(err, &refused) && slices.Contains(pgLocked, refused.Code):
		return FaultLocked
	case errors.As(err, &refused) && slices.Contains(pgFull, refused.Code):
		return FaultFull
	case errors.As(err, &refused) && refused.SeverityUnlocalized == "ERROR":
		return FaultOther
	case errors.As(err, &refused), errors.As(err, new(*pgconn.ConnectError)), errors.Is(err, ErrInDoubt), errors.Is(err, net.ErrClosed):
		return FaultUnreachable
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrBusy):
		return FaultTimeout
	case errors.As(err, new(net.Error)):
		return FaultUnreachable
	}
	return ""
}

// Stats returns how the store does.
func (s *Store) Stats() Stats {
	return Stats{
		Reads: s.reads.all(), Writes: s.writes.all(),
		Readers: Connections{Used: cap(s.idle) - len(s.idle), Most: cap(s.idle)}, Writers: s.writing.connections(),
	}
}
