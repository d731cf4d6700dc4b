package store

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// jobOf is the statement that adds a job.
func jobOf(id, state, status, resolvedAt string) string {
	return fmt.Sprintf(`INSERT INTO jobs (id, key_id, project_id, state, status, record, day, month, created_at, deadline_at, resolved_at)
		VALUES ('%s', 'k', '0123456789abcdef01234567', '%s', '%s', '{}', 'd', 'm', 1, 1, %s)`, id, state, status, resolvedAt)
}

// keyOf is the statement that adds the n-th key of user u.
func keyOf(n int, state string) string {
	return fmt.Sprintf(`INSERT INTO keys (id, user_id, hash, masked, name, state, version, created_at)
		VALUES ('k%d', 'u', '%064d', 'sk-ab****cdef', 'n', '%s', 1, 1)`, n, n, state)
}

// entryOf is the statement that adds an entry of user u.
func entryOf(project, feed, keyID, jobID string, delta int, units string) string {
	return fmt.Sprintf(`INSERT INTO tik_entries (project_id, feed_id, seq, user_id, key_id, job_id, delta, units, at)
		VALUES ('%s', '%s', 1, 'u', %s, %s, %d, '%s', 1)`, project, feed, keyID, jobID, delta, units)
}

func TestConstraintsHoldWhateverTheCodeDoes(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		seed := []string{
			"INSERT INTO users (id, created_at) VALUES ('u', 1)",
			`INSERT INTO keys (id, user_id, hash, masked, name, state, version, created_at)
				VALUES ('k', 'u', '` + hash + `', 'sk-ab****cdef', 'n', 'active', 1, 1)`,
			keyOf(2, "revoked"),
			`INSERT INTO projects (id, owner_id, session_id, name, template, description, attributes, created_at)
				VALUES ('0123456789abcdef01234567', 'u', 's', 'n', 'blank', '', '{}', 1)`,
			`INSERT INTO usage (key_id, bucket, jobs, tik) VALUES ('k', 'd:2026-11-20', 0, 0)`,
			jobOf("reserved", "reserved", "queued", "NULL"), jobOf("active", "active", "running", "NULL"),
			jobOf("settled", "settled", "failed", "1"), jobOf("released", "released", "queued", "1"),
		}
		for i := range MaxKeys - 1 { // and k
			seed = append(seed, keyOf(100+i, "active"))
		}
		if err := execAll(t, s, seed...); err != nil {
			t.Fatal(err)
		}
		const project = "0123456789abcdef01234567"
		for name, tc := range map[string]struct{ constraint, statement string }{
			"negative running":     {"keys_running_check", "UPDATE keys SET running = running - 1"},
			"long prompt":          {"jobs_prompt_check", "UPDATE jobs SET prompt = '" + strings.Repeat("ä", 502) + "' WHERE id = 'settled'"},
			"empty build prompt":   {"build_prompts_prompt_check", "INSERT INTO build_prompts (project_id, job_id, prompt) VALUES ('0123456789abcdef01234567', 'settled', '')"},
			"negative jobs":        {"usage_jobs_check", "UPDATE usage SET jobs = jobs - 1"},
			"negative spending":    {"usage_tik_check", "UPDATE usage SET tik = tik - 1"},
			"negative limit":       {"keys_jobs_per_day_check", "UPDATE keys SET jobs_per_day = -1"},
			"unknown key state":    {"keys_state_check", "UPDATE keys SET state = 'paused' WHERE id = 'k'"},
			"second key of a hash": {"keys_hash_key", "INSERT INTO keys (id, user_id, hash, masked, name, state, version, created_at) SELECT 'k3', user_id, hash, masked, name, 'revoked', 1, 1 FROM keys WHERE id = 'k'"},
			"key of no user":       {"keys_user_id_fkey", "UPDATE keys SET user_id = 'nobody'"},
			"endless attributes":   {"projects_attributes_check", "UPDATE projects SET attributes = '" + strings.Repeat("x", 65537) + "'"},
			"settled but running":  {"jobs_settled_check", jobOf("j", "settled", "running", "1")},
			"active but resolved":  {"jobs_resolved_at_check", jobOf("j", "active", "running", "1")},
			"reserved, settled":    {"jobs_moves", "UPDATE jobs SET state = 'settled', status = 'failed', resolved_at = 1 WHERE id = 'reserved'"},
			"active, released":     {"jobs_moves", "UPDATE jobs SET state = 'released', status = 'queued', resolved_at = 1 WHERE id = 'active'"},
			"settled, active":      {"jobs_moves", "UPDATE jobs SET state = 'active', status = 'running', resolved_at = NULL WHERE id = 'settled'"},
			"released, reserved":   {"jobs_moves", "UPDATE jobs SET state = 'reserved', resolved_at = NULL WHERE id = 'released'"},
			"failed, completed":    {"jobs_status_moves", "UPDATE jobs SET status = 'completed' WHERE id = 'settled'"},
			"reserved, running":    {"jobs_status_moves", "UPDATE jobs SET status = 'running' WHERE id = 'reserved'"},
			"released, running":    {"jobs_status_moves", "UPDATE jobs SET status = 'running' WHERE id = 'released'"},
			"released as running":  {"jobs_status_moves", "UPDATE jobs SET state = 'released', status = 'running', resolved_at = 1 WHERE id = 'reserved'"},
			"revoked, active":      {"keys_moves", "UPDATE keys SET state = 'active' WHERE id = 'k2'"},
			"21st key":             {"keys_per_user", keyOf(3, "disabled")},
			"credit below zero":    {"tik_entries_shape_check", entryOf("", "credit", "NULL", "NULL", -1, "[]")},
			"credit of a key":      {"tik_entries_shape_check", entryOf("", "credit", "'k'", "NULL", 1, "[]")},
			"charge above zero":    {"tik_entries_shape_check", entryOf(project, "feed", "'k'", "'active'", 1, "[]")},
			"charge of no key":     {"tik_entries_shape_check", entryOf(project, "feed", "NULL", "'active'", -1, "[]")},
			"charge of no job":     {"tik_entries_shape_check", entryOf(project, "feed", "'k'", "NULL", -1, "[]")},
			"charge of no feed":    {"tik_entries_shape_check", entryOf(project, "", "'k'", "'active'", -1, "[]")},
			"units that are none":  {"tik_entries_shape_check", entryOf(project, "feed", "'k'", "'active'", -1, "1")},
		} {
			t.Run(name, func(t *testing.T) {
				want := tc.constraint
				if unnamed := withoutName[want]; unnamed != "" && !s.Shared() {
					want = unnamed
				}
				if err := execAll(t, s, tc.statement); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want a refusal by %s", err, want)
				}
			})
		}
		if err := execAll(t, s, keyOf(4, "revoked"), "UPDATE keys SET state = 'revoked', name = 'other'",
			"UPDATE jobs SET state = 'released', resolved_at = 1 WHERE id = 'reserved'",
			"UPDATE jobs SET status = 'queued' WHERE id = 'active'", "UPDATE jobs SET status = 'running' WHERE id = 'active'",
			"UPDATE jobs SET state = 'settled', status = 'failed', resolved_at = 1 WHERE id = 'active'", "UPDATE jobs SET status = 'failed' WHERE id = 'settled'",
			entryOf(project, "credit", "'k'", "'gone'", 0, "null"), entryOf("", "credit", "NULL", "NULL", 1, "[]")); err != nil {
			t.Errorf("what is allowed: %v", err)
		}
	})
}

// withoutName is what SQLite says of constraints that it does not name.
var withoutName = map[string]string{
	"keys_hash_key":     "UNIQUE constraint failed: keys.hash",
	"keys_user_id_fkey": "FOREIGN KEY constraint failed",
}

// execAll runs statements in one operation.
func execAll(t *testing.T, s *Store, statements ...string) error {
	t.Helper()
	return s.Update(t.Context(), func(tx *Tx) error {
		for _, statement := range statements {
			if _, err := tx.Exec(statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// constraints are those of a store by their names: of which table they are, and
// their definition, "" where the dialect does not tell.
func constraints(t *testing.T, s *Store) map[string][2]string {
	t.Helper()
	query := `SELECT conname, conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
		WHERE connamespace = current_schema()::regnamespace AND contype IN ('c', 'f', 'p', 'u')`
	if !s.Shared() {
		query = "SELECT sql, name, '' FROM sqlite_schema WHERE type = 'table'"
	}
	found := map[string][2]string{}
	if err := s.View(t.Context(), func(r *Reader) error {
		return r.Each(func(scan Scan) error {
			var text, table, definition string
			err := scan(&text, &table, &definition)
			if s.Shared() {
				found[text] = [2]string{table, definition}
				return err
			}
			for _, name := range constraintName.FindAllStringSubmatch(text, -1) {
				found[name[1]] = [2]string{table, ""}
			}
			for _, at := range namedCheck.FindAllStringSubmatchIndex(text, -1) {
				found[text[at[2]:at[3]]] = [2]string{table, "CHECK " + inParentheses(text[at[1]-1:])}
			}
			if n := strings.Count(text, "CHECK ("); n != len(namedCheck.FindAllString(text, -1)) {
				t.Errorf("a check has no name: %s", text)
			}
			return err
		}, query)
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"audit_pkey", "schema_steps_pkey"} { // the only ones of their tables, without a name in SQLite
		delete(found, name)
	}
	return found
}

var (
	constraintName = regexp.MustCompile(`CONSTRAINT (\w+)`)
	namedCheck     = regexp.MustCompile(`CONSTRAINT (\w+)\s+CHECK \(`)
)

// inParentheses returns what text begins with, to the end of its parentheses.
func inParentheses(text string) string {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

// TestConstraintsAreTheSameInBothDialects has PostgreSQL write the checks of SQLite as
// it writes its own.
func TestConstraintsAreTheSameInBothDialects(t *testing.T) {
	lite := constraints(t, opened(t, openers["SQLite"](t)))
	s := opened(t, openers["PostgreSQL"](t))
	own := constraints(t, s)
	if a, b := slices.Sorted(maps.Keys(lite)), slices.Sorted(maps.Keys(own)); len(a) < 50 || !slices.Equal(a, b) {
		t.Errorf("the names are\n%s\n%s", a, b)
	}
	checks := 0
	for name, definition := range lite {
		if definition[1] == "" {
			continue
		}
		checks++
		err := s.Update(t.Context(), func(tx *Tx) error {
			statements := []string{
				fmt.Sprintf("CREATE TEMPORARY TABLE translated (LIKE %s) ON COMMIT DROP", definition[0]),
				fmt.Sprintf("ALTER TABLE translated ADD CONSTRAINT of_sqlite %s", definition[1]),
			}
			for _, statement := range statements {
				if _, err := tx.Exec(statement); err != nil {
					return err
				}
			}
			var translated string
			err := tx.Row("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'of_sqlite'").Scan(&translated)
			if want := strings.TrimSuffix(own[name][1], " NOT VALID"); translated != want || definition[0] != own[name][0] {
				t.Errorf("%s of %s is\n%s\nin SQLite, and of %s\n%s\nin PostgreSQL", name, definition[0], translated, own[name][0], want)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if checks < 20 {
		t.Errorf("%d checks", checks)
	}
}
