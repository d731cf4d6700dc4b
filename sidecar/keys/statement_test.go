package keys_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
)

// charge puts charges of 1 micro-TIK each into a user's entries.
func charge(t *testing.T, s *store.Store, keyID string, first, n int) {
	t.Helper()
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		for i := first; i < first+n; i++ {
			if _, err := tx.Exec(`INSERT INTO tik_entries (project_id, feed_id, seq, user_id, key_id, job_id, delta, units, at)
				VALUES ('0123456789abcdef01234567', 'feed', ?, 'alice', ?, ?, -1, '[{"name":"step","quantity":1}]', ?)`,
				i, keyID, fmt.Sprint("job_", i), noon.UnixMilli()+int64(i/3)); err != nil { // three at a time
				return err
			}
		}
		_, err := tx.Exec("UPDATE balances SET tik = tik - ? WHERE user_id = 'alice'", n)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPagesOfAStatementHaveEachMovementOnceAndAddUpToTheBalance(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, s *store.Store) {
		one, two := create(t, g, "one"), create(t, g, "two")
		charge(t, s, one.ID, 1, 700)
		charge(t, s, two.ID, 1001, 400)
		if _, err := g.CreateUser(t.Context(), "uid:7", "bob", 1); err != nil {
			t.Fatal(err)
		}
		for _, tc := range []struct {
			key            string
			pages, entries int
			sum            api.TIK
		}{
			{"", 3, 1101, 5*api.MicroPerTIK - 1100},
			{one.ID, 2, 700, -700},
			{two.ID, 1, 400, -400},
		} {
			var sum api.TIK
			seen, pages, next := make(map[string]bool), 0, ""
			for pages == 0 || next != "" {
				st, err := g.Statement(t.Context(), "alice", tc.key, next)
				if err != nil || st.Balance != 5*api.MicroPerTIK-1100 {
					t.Fatalf("balance %s, %v", st.Balance, err)
				}
				for _, e := range st.Entries {
					if seen[e.JobID] {
						t.Errorf("job %s twice", e.JobID)
					}
					if credit := e.KeyID == ""; credit != (e.Kind == keys.EntryCredit) || !credit && e.Units[0].Name != "step" {
						t.Errorf("entry %+v", e)
					}
					seen[e.JobID] = true
					sum += e.TIK
				}
				next = st.Next
				pages++
			}
			if len(seen) != tc.entries || sum != tc.sum || pages != tc.pages {
				t.Errorf("key %q: %d entries on %d pages, sum %s; want %+v", tc.key, len(seen), pages, sum, tc)
			}
		}
	})
}

func TestStatementOfWhatIsNotThereIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, _ *store.Store) {
		if _, err := g.CreateUser(t.Context(), "uid:7", "bob", 0); err != nil {
			t.Fatal(err)
		}
		key, err := g.Create(t.Context(), "uid:7", "bob", "key", policy.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for name, tc := range map[string]struct {
			user, key, after string
			want             error
		}{
			"user":               {"carol", "", "", keys.ErrUnknownUser},
			"key":                {"alice", "key_x", "", sidecar.ErrUnknownKey},
			"another user's key": {"alice", key.ID, "", keys.ErrInvalid},
			"cursor":             {"alice", "", "x", keys.ErrInvalid},
		} {
			if _, err := g.Statement(t.Context(), tc.user, tc.key, tc.after); !errors.Is(err, tc.want) {
				t.Errorf("%s: %v, want %v", name, err, tc.want)
			}
		}
	})
}

func TestAuditLogIsFoundByKeyAndByUserNewestFirst(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, _ *store.Store) {
		ctx := t.Context()
		if _, err := g.CreateUser(ctx, "uid:7", "bob", 0); err != nil {
			t.Fatal(err)
		}
		key := create(t, g, "ci")
		for i := range 510 {
			if _, err := g.Rename(ctx, "uid:8", key.ID, fmt.Sprint("n", i)); err != nil {
				t.Fatal(err)
			}
		}
		for name, tc := range map[string]struct {
			key, user string
			want      int
			first     string // action of the newest
		}{
			"all":       {"", "", 513, "key.rename"},
			"the key":   {key.ID, "", 511, "key.rename"},
			"alice":     {"", "alice", 512, "key.rename"},
			"bob":       {"", "bob", 1, "user.create"},
			"a nobody":  {"", "carol", 0, ""},
			"the wrong": {key.ID, "bob", 0, ""},
		} {
			var entries []keys.AuditEntry
			var next int64
			for page := 0; page == 0 || next > 0; page++ {
				log, err := g.Audit(ctx, tc.key, tc.user, next)
				if err != nil {
					t.Fatal(err)
				}
				entries, next = append(entries, log.Entries...), log.Next
			}
			if len(entries) != tc.want || tc.want > 0 && entries[0].Action != tc.first {
				t.Errorf("%s: %d entries, want %d", name, len(entries), tc.want)
			}
			for i := 1; i < len(entries); i++ {
				if entries[i].Seq >= entries[i-1].Seq {
					t.Fatalf("%s: entry %d after %d", name, entries[i].Seq, entries[i-1].Seq)
				}
			}
		}
		log, err := g.Audit(ctx, key.ID, "", 0)
		if e := log.Entries[0]; err != nil || e.Actor != "uid:8" || e.Subject != key.ID || !e.At.Equal(noon) ||
			string(e.Detail) != `{"from":"n508","to":"n509"}` {
			t.Errorf("newest entry %+v (%s), %v", e, e.Detail, err)
		}
	})
}
