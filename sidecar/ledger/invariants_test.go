package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

// violations returns the invariants that do not hold, with the ids that break them.
func violations(r *store.Reader) (map[string][]string, error) {
	broken := make(map[string][]string)
	findings, err := ledger.CheckInvariants(r)
	for _, f := range findings {
		if !f.Holds() {
			broken[f.Name] = f.Violations
		}
	}
	return broken, err
}

// wantInvariants fails a test unless every invariant holds in a store.
func wantInvariants(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, s *store.Store) {
	t.Helper()
	err := s.View(context.Background(), func(r *store.Reader) error {
		broken, err := violations(r)
		if len(broken) > 0 {
			t.Fatalf("the ledger breaks its invariants: %v", broken)
		}
		return err
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// lift takes away, in SQLite and PostgreSQL, the constraints that rows may break
// which are older than they.
var lift = map[bool][]string{
	false: {"PRAGMA ignore_check_constraints = ON", "PRAGMA defer_foreign_keys = ON", "DROP TRIGGER keys_per_user", "DROP TRIGGER jobs_status_moves"},
	true: {"ALTER TABLE tik_entries DROP CONSTRAINT tik_entries_shape_check", "DROP TRIGGER keys_per_user ON keys",
		"SET LOCAL session_replication_role = replica"}, // without references
}

// errUndo undoes what a case wrote.
var errUndo = errors.New("undone")

// TestEachInvariantsViolationIsFound breaks each invariant by SQL, also those that
// the schema keeps for new rows.
func TestEachInvariantsViolationIsFound(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		f.must(second(f.keys.CreateUser(t.Context(), "test", "bob", 1)))
		f.must(second(f.keys.TopUp(t.Context(), "test", "bob", keys.Credit{TIK: 7, Reference: "invoice-1"})))
		ended, open, released := f.accept(key), f.accept(key), f.reserve(key)
		f.feed(f.used(ended, "step", 1, ""), f.ended(ended, api.JobCompleted), f.started(open, "step"))
		f.must(f.ledger.Release(t.Context(), released))
		wantInvariants(t, f.store)

		charge := fmt.Sprintf("'%s', 'feed', %%d, '%%s', '%s', '%s'", f.project, key, ended)
		insert := "INSERT INTO tik_entries (project_id, feed_id, seq, user_id, key_id, job_id, delta, units, at) VALUES (%s, %d, '[]', 1)"
		day := "d:2026-11-20"
		for _, tc := range []struct {
			name, id   string
			statements []string
		}{
			{"balances", "alice", []string{"UPDATE balances SET tik = tik + 1 WHERE user_id = 'alice'"}},
			{"balances", "bob", []string{"DELETE FROM balances WHERE user_id = 'bob'"}},
			{"balances", "bob", []string{"DELETE FROM tik_entries WHERE user_id = 'bob'"}},
			{"entries", f.project + "/feed/9", []string{fmt.Sprintf(insert, fmt.Sprintf(charge, 9, "alice"), 5)}},
			{"entries", f.project + "/feed/9", []string{fmt.Sprintf(insert, fmt.Sprintf(charge, 9, "bob"), -5)}},
			{"entries", "fedcba9876543210fedcba98/feed/9", []string{
				fmt.Sprintf(insert, fmt.Sprintf("'fedcba9876543210fedcba98', 'feed', 9, 'alice', '%s', '%s'", key, ended), -5)}},
			{"entries", "/credit/99", []string{fmt.Sprintf(insert, "'', 'credit', 99, 'alice', NULL, NULL", -5)}},
			{"entries", f.project + "/feed/9", []string{fmt.Sprintf(insert, fmt.Sprintf("'%s', 'feed', 9, 'alice', '%s', NULL", f.project, key), -5)}},
			{"entries", f.project + "/play blocks/9", []string{fmt.Sprintf(insert, fmt.Sprintf("'%s', 'play blocks', 9, 'alice', '%s', NULL", f.project, key), -5)}},
			{"entries", f.project + "/play blocks/9", []string{fmt.Sprintf(insert, fmt.Sprintf("'%s', 'play blocks', 9, 'alice', NULL, NULL", f.project), 5)}},
			{"blocks", f.project, []string{fmt.Sprintf(insert, fmt.Sprintf("'%s', 'play blocks', 9, 'alice', NULL, NULL", f.project), -5)}},
			{"credits", "invoice-1", []string{"UPDATE credits SET tik = 8"}},
			{"running", key, []string{"UPDATE keys SET running = 0 WHERE id = '" + key + "'"}},
			{"running", key, []string{"UPDATE jobs SET state = 'settled', status = 'failed', next_step = '', resolved_at = 1 WHERE id = '" + open + "'"}},
			{"keys", "bob", manyKeys("bob", keys.MaxPerUser+1)},
			{"revocations", key, []string{"UPDATE keys SET state = 'revoked'"}},
			{"months", key + " 2026-11", []string{"UPDATE usage SET jobs = jobs + 1 WHERE bucket = '" + day + "'"}},
			{"months", key + " 2026-11", []string{"UPDATE usage SET tik = tik + 1 WHERE bucket = '" + day + "'"}},
			{"usage", key + " " + day, []string{"UPDATE usage SET jobs = jobs - 1"}},
			{"spending", key, []string{"UPDATE usage SET tik = tik + 1 WHERE bucket LIKE 'm:%'"}},
			{"jobs", ended, []string{"UPDATE jobs SET next_step = 'step' WHERE id = '" + ended + "'"}},
			{"jobs", open, []string{"UPDATE jobs SET month = 'm:2026-12' WHERE id = '" + open + "'"}},
			{"jobs", released, []string{"UPDATE jobs SET status = 'running' WHERE id = '" + released + "'"}},
			{"costs", ended, []string{"UPDATE jobs SET tik_spent = tik_spent + 1 WHERE id = '" + ended + "'"}},
			{"idempotency", released, []string{"INSERT INTO idempotency (key_id, name, fingerprint, job_id, created_at) VALUES ('" +
				key + "', 'n', 'f', '" + released + "', 1)"}},
			{"feeds", f.project + "/feed", []string{"UPDATE feed_cursor SET seq = 0"}},
			{"logs", "revlog", []string{"UPDATE heads SET seq = 0 WHERE log = 'revlog'"}},
			{"logs", "credit", []string{"UPDATE heads SET seq = 0 WHERE log = 'credit'"}},
			{"logs", "audit", []string{"DELETE FROM audit WHERE seq = 1"}},
			{"logs", "revlog", []string{"DELETE FROM revlog WHERE seq = (SELECT min(seq) FROM revlog)"}},
			{"references", "jobs.key_id " + key, []string{"DELETE FROM keys"}},
		} {
			t.Run(tc.name, func(t *testing.T) { f.wantFound(t, tc.name, tc.id, tc.statements...) })
		}
		wantInvariants(t, f.store)
	})
}

// wantFound checks that statements, which it undoes, make a violation of an
// invariant.
func (f *fixture) wantFound(t *testing.T, name, id string, statements ...string) {
	t.Helper()
	err := f.store.Update(t.Context(), func(tx *store.Tx) error {
		for _, statement := range slices.Concat(lift[f.store.Shared()], statements) {
			if _, err := tx.Exec(statement); err != nil {
				return err
			}
		}
		broken, err := violations(&tx.Reader)
		if err == nil && !slices.Contains(broken[name], id) {
			t.Errorf("%s: found %v, want %s", statements, broken, id)
		}
		if !f.store.Shared() {
			_, off := tx.Exec("PRAGMA ignore_check_constraints = OFF") // which nothing undoes
			err = errors.Join(err, off)
		}
		return errors.Join(err, errUndo)
	})
	if !errors.Is(err, errUndo) {
		t.Error(err)
	}
}

// foreignKeys are the queries for the references of the schema, of SQLite and of
// PostgreSQL.
var foreignKeys = map[bool]string{
	false: `SELECT m.name, f."from" FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY 1, 2`,
	true: `SELECT c.conrelid::regclass::text, a.attname FROM pg_constraint c
		JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
		WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace ORDER BY 1, 2`,
}

// TestEachReferenceOfTheSchemaIsChecked has the rows of each table refer to what
// there is not.
func TestEachReferenceOfTheSchemaIsChecked(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		f.must(second(f.keys.TopUp(t.Context(), "test", "alice", keys.Credit{TIK: 7, Reference: "invoice-1"})))
		job := f.accept(key)
		f.feed(f.used(job, "step", 1, ""))
		hash := fmt.Sprintf("%064d", 1)
		f.must(f.store.Update(t.Context(), func(tx *store.Tx) error {
			_, err1 := tx.Exec("INSERT INTO idempotency (key_id, name, fingerprint, job_id, created_at) VALUES (?, 'n', 'f', ?, 1)", key, job)
			_, err2 := tx.Exec("INSERT INTO sessions (hash, user_id, via, created_at, seen_at) VALUES (?, 'alice', 'link', 1, 1)", hash)
			_, err3 := tx.Exec(`INSERT INTO session_codes (hash, purpose, user_id, subject, expires_at) VALUES (?, 'login', 'alice', '', 1)`, hash)
			_, err4 := tx.Exec("INSERT INTO reported (job_id, unit, quantity, steps) VALUES (?, 'image', 1, 1)", job)
			_, err5 := tx.Exec("INSERT INTO publications (project_id, job_id, published_at) SELECT project_id, id, 1 FROM jobs WHERE id = ?", job)
			_, err6 := tx.Exec("INSERT INTO play_keys (id, project_id, created_at) SELECT ?, project_id, 1 FROM jobs WHERE id = ?", strings.Repeat("k", 31), job)
			_, err7 := tx.Exec("INSERT INTO play_settings (project_id, origins, blocked_for) VALUES (?, '[]', '')", f.project)
			_, err8 := tx.Exec("INSERT INTO play_reports (project_id, player, day, at, reason) VALUES (?, '', 1, 1, 'other')", f.project)
			_, err9 := tx.Exec("INSERT INTO stream_tokens (hash, key_id, job_id, expires_at) VALUES (?, ?, ?, 1)", hash, key, job)
			_, err10 := tx.Exec("INSERT INTO studio_keys (user_id, key_id) SELECT user_id, id FROM keys WHERE id = ?", key)
			_, err11 := tx.Exec("INSERT INTO webhooks (project_id, url, events, secret, created_at) VALUES (?, 'u', '', ?, 1)", f.project, strings.Repeat("s", 50))
			_, err12 := tx.Exec(`INSERT INTO webhook_deliveries (id, project_id, job_id, event, body, state, created_at, due_at)
				VALUES ('m', ?, ?, 'e', '', 'waiting', 1, 1)`, f.project, job)
			_, err13 := tx.Exec("INSERT INTO project_requests (key_id, name, fingerprint, project_id) VALUES (?, 'n', 'f', ?)", key, f.project)
			_, err14 := tx.Exec("INSERT INTO suspensions (user_id, at) VALUES ('alice', 1)")
			_, err15 := tx.Exec("INSERT INTO key_facts (key_id, scopes, labels) VALUES (?, '[]', '{}')", key)
			_, err16 := tx.Exec("INSERT INTO build_prompts (project_id, job_id, prompt) VALUES (?, ?, 'a duck')", f.project, job)
			return errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11, err12, err13, err14, err15, err16)
		}))
		var columns [][2]string
		f.must(f.store.View(t.Context(), func(r *store.Reader) error {
			return r.Each(func(scan store.Scan) error {
				var c [2]string
				err := scan(&c[0], &c[1])
				columns = append(columns, c)
				return err
			}, foreignKeys[f.store.Shared()])
		}))
		if len(columns) < 15 {
			t.Errorf("the schema refers to others in %v alone", columns)
		}
		for _, c := range columns {
			f.wantFound(t, "references", fmt.Sprintf("%s.%s none", c[0], c[1]),
				fmt.Sprintf("UPDATE %s SET %s = 'none' WHERE %[2]s IS NOT NULL", c[0], c[1]))
		}
		wantInvariants(t, f.store)
	})
}

// second returns the error of a call.
func second[T any](_ T, err error) error { return err }

// manyKeys are statements that give a user keys which no log knows.
func manyKeys(user string, n int) (statements []string) {
	for i := range n {
		statements = append(statements, fmt.Sprintf(`INSERT INTO keys (id, user_id, hash, masked, name, state, version, created_at)
			VALUES ('k%02d', '%s', '%064d', 'm', 'n', 'active', 1, 1)`, i, user, i))
	}
	return statements
}

func TestFindingNamesTheFirstFew(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		err := f.store.Update(t.Context(), func(tx *store.Tx) error {
			for _, statement := range manyKeys("alice", keys.MaxPerUser) {
				if _, err := tx.Exec(statement); err != nil {
					return err
				}
			}
			findings, err := ledger.CheckInvariants(&tx.Reader)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(findings, func(f ledger.Finding) bool { return f.Name == "revocations" })
			if found := findings[i]; !slices.Equal(found.Violations, []string{"k00", "k01", "k02", "k03", "k04"}) || !found.More {
				t.Errorf("found %+v", found)
			}
			i = slices.IndexFunc(findings, func(f ledger.Finding) bool { return f.Name == "keys" })
			if !findings[i].Holds() {
				t.Errorf("of %d keys found %+v", keys.MaxPerUser, findings[i])
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
