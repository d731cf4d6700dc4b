package keys

import (
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// announce appends a key's new state to the revocation log.
func announce(tx *store.Tx, now time.Time, keyID, state string) error {
	seq, err := tx.NextSeq(store.LogRevoke)
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO revlog (seq, at, key_id, state) VALUES (?, ?, ?, ?)",
		seq, now.UnixMilli(), keyID, state)
	return err
}
