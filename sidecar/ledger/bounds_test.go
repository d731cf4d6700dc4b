package ledger

import (
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

// TestSchemaBoundsReportsAsTheCodeDoes: the numbers stand in a migration, which
// can't refer to the code.
func TestSchemaBoundsReportsAsTheCodeDoes(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		write := func(statements ...string) error {
			return s.Update(t.Context(), func(tx *store.Tx) error {
				for _, statement := range statements {
					if _, err := tx.Exec(statement); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := write(
			"INSERT INTO users (id, created_at) VALUES ('u', 1)",
			`INSERT INTO keys (id, user_id, hash, masked, name, state, version, created_at)
				VALUES ('k', 'u', '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'sk-ab****cdef', 'n', 'active', 1, 1)`,
			`INSERT INTO projects (id, owner_id, session_id, name, template, description, created_at)
				VALUES ('0123456789abcdef01234567', 'u', 's', 'n', 'blank', '', 1)`,
			`INSERT INTO jobs (id, key_id, project_id, state, status, record, day, month, created_at, deadline_at)
				VALUES ('j', 'k', '0123456789abcdef01234567', 'active', 'running', '{}', 'd', 'm', 1, 1)`,
		); err != nil {
			t.Fatal(err)
		}
		for _, tc := range []struct {
			unit            string
			quantity, steps int64
			want            bool
		}{
			{"most", contract.MaxUnits, maxSteps, true},
			{"too much", contract.MaxUnits + 1, 1, false},
			{"too often", 0, maxSteps + 1, false},
		} {
			err := s.Update(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Exec("INSERT INTO reported (job_id, unit, quantity, steps) VALUES ('j', ?, ?, ?)", tc.unit, tc.quantity, tc.steps)
				return err
			})
			if (err == nil) != tc.want {
				t.Errorf("%s: %v, want it taken: %v", tc.unit, err, tc.want)
			}
		}
	})
}
