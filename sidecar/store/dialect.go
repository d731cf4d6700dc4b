package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// dialect is what differs between the databases.
type dialect struct {
	name       string // in the names of migrations that are for it alone
	schema     *Schema
	beginWrite string // begins a transaction that writes
	beginRead  string // begins one that reads one snapshot
	// lockSchema keeps other processes from migrating until the transaction
	// ends; "" where beginWrite does that already.
	lockSchema string
	// lockRows, appended to a query, locks the rows it finds until the
	// transaction ends; "" where there is one writer.
	lockRows string
	// clock is a query for the database's time in UTC milliseconds; "" for one
	// that has no clock but the process's.
	clock string
	// shared says that other processes write to the database as well.
	shared bool
	// numbered says that arguments are written $1, $2, and not "?".
	numbered bool
	// strict says that a text with U+0000, or one that is not UTF-8, is refused
	// as an argument, and that the transaction is lost with it.
	strict bool
	// redial says that a connection may have died since its last use, in which
	// case beginning anew on another is safe and hides it.
	redial bool
	// instant says that a read waits for nobody: no context has to end it.
	instant bool
	// timeout bounds what is done without a caller's context: an operation, and
	// the end of a transaction; 0 is no bound.
	timeout time.Duration
	// broken reports whether a statement has failed in the transaction that is
	// open, so that a commit would not commit; nil where that can't be.
	broken func(*sql.Conn) (bool, error)
}

// bounded returns a context for what no caller may interrupt.
func (d *dialect) bounded() (context.Context, context.CancelFunc) {
	if d.timeout == 0 {
		return context.Background(), func() {}
	}
	return context.WithTimeout(context.Background(), d.timeout)
}

// errText is an ErrNoRows: no row has such a text.
var errText = fmt.Errorf("a text with U+0000, or one that is not UTF-8: %w", ErrNoRows)

// check returns errText for arguments of which the database would refuse one.
func (d *dialect) check(args []any) error {
	if !d.strict {
		return nil
	}
	for _, arg := range args {
		if text, ok := arg.(string); ok && (strings.ContainsRune(text, 0) || !utf8.ValidString(text)) {
			return errText
		}
	}
	return nil
}

// rebind writes a query's arguments as the dialect wants them. No statement of
// ours has a question mark in a literal.
func (d *dialect) rebind(query string) string {
	if !d.numbered {
		return query
	}
	var out strings.Builder
	for n := 1; ; n++ {
		before, after, found := strings.Cut(query, "?")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString("$" + strconv.Itoa(n))
		query = after
	}
}
