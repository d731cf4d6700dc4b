package keys

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/store"
)

// maxEntries bounds one page of a statement or of the audit log.
const maxEntries = 500

// Kinds of entries.
const (
	EntryCredit = "credit"
	EntryCharge = "charge"
)

// Entry is a movement of a user's balance.
type Entry struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`
	// TIK is the effect on the balance: negative for a charge.
	TIK api.TIK `json:"tik"`
	// The following are of charges. What they name may be deleted by now. One for events
	// of a game that is played has no key and no job.
	KeyID     string          `json:"keyId,omitempty"`
	ProjectID string          `json:"projectId,omitempty"`
	JobID     string          `json:"jobId,omitempty"`
	Units     []contract.Unit `json:"units,omitempty"`
}

// Statement is a page of what moved a user's balance, oldest first.
type Statement struct {
	UserID  string  `json:"userId"`
	Balance api.TIK `json:"balance"` // now
	Entries []Entry `json:"entries"`
	// Next asks for the following page; "" after the last one.
	Next string `json:"next,omitempty"`
}

// place is where a page ended: the order of a statement's entries.
type place struct {
	At      int64
	Project string
	Feed    string
	Seq     int64
}

// Statement returns the movements of a user's balance, those of one key when
// keyID is not "", after the cursor "" or one that an earlier page returned.
func (g *Registry) Statement(ctx context.Context, userID, keyID, after string) (Statement, error) {
	from, err := parsePlace(after)
	if err != nil {
		return Statement{}, err
	}
	st := Statement{UserID: userID, Entries: []Entry{}}
	err = g.store.View(ctx, func(r *store.Reader) error {
		err := r.Row("SELECT tik FROM balances WHERE user_id = ?", userID).Scan(&st.Balance)
		if errors.Is(err, store.ErrNoRows) {
			return unknownUser(userID)
		}
		if err != nil {
			return err
		}
		if keyID != "" {
			key, err := readKey(r, keyID)
			if err != nil {
				return err
			}
			if key.UserID != userID {
				return refuse(ErrInvalid, "key %s does not belong to user %s", keyID, userID)
			}
		}
		return st.read(r, keyID, from)
	})
	if err != nil {
		return Statement{}, fmt.Errorf("reading the statement of %s: %w", userID, err)
	}
	return st, nil
}

// read appends the page that follows from.
func (st *Statement) read(r *store.Reader, keyID string, from place) error {
	var last place
	err := r.Each(func(scan store.Scan) error {
		if len(st.Entries) == maxEntries {
			st.Next = last.String()
			return nil
		}
		e := Entry{Kind: EntryCharge}
		var key, job *string
		var units string
		if err := scan(&last.At, &last.Project, &last.Feed, &last.Seq, &key, &job, &e.TIK, &units); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(units), &e.Units); err != nil {
			return fmt.Errorf("reading the units of record %d of feed %s: %w", last.Seq, last.Feed, err)
		}
		e.At, e.ProjectID = time.UnixMilli(last.At).UTC(), last.Project
		if last.Project == "" {
			e.Kind = EntryCredit
		}
		if key != nil {
			e.KeyID = *key
		}
		if job != nil {
			e.JobID = *job
		}
		st.Entries = append(st.Entries, e)
		return nil
	}, `SELECT at, project_id, feed_id, seq, key_id, job_id, delta, units FROM tik_entries
		WHERE user_id = ? AND (? = '' OR key_id = ?) AND (at, project_id, feed_id, seq) > (?, ?, ?, ?)
		ORDER BY at, project_id, feed_id, seq LIMIT ?`,
		st.UserID, keyID, keyID, from.At, from.Project, from.Feed, from.Seq, maxEntries+1)
	return err
}

// String returns the place as a cursor.
func (p place) String() string {
	text, _ := json.Marshal(p) // of strings and numbers: can't fail
	return base64.RawURLEncoding.EncodeToString(text)
}

func parsePlace(cursor string) (place, error) {
	p := place{At: -1}
	if cursor == "" {
		return p, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return place{}, refuse(ErrInvalid, "%q is not a cursor of a statement", cursor)
	}
	return p, nil
}
