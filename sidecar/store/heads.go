package store

import "fmt"

// Names of the numbered logs.
const (
	LogAudit  = "audit"
	LogRevoke = "revlog"
	LogCredit = "credit"
	// LogAttributes counts changes of projects' attributes and of users' states and attributes; it has no entries.
	LogAttributes = "attributes"
)

// NextSeq takes the next number of a log, from 1. It locks the log's head until
// the operation is committed.
func (t *Tx) NextSeq(log string) (int64, error) {
	var seq int64
	err := t.Row("UPDATE heads SET seq = seq + 1 WHERE log = ? RETURNING seq", log).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("numbering an entry of %s: %w", log, err)
	}
	return seq, nil
}
