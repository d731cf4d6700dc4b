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
		for i := range 19 { // of 20
			seed = append(seed, keyOf(100+i, "active"))
		}
		if err := execAll(t, s, seed...); err != nil {
			t.Fatal(err)
		}
		const project = "0123456789abcdef01234567"
		for name, tc := range map[string]struct {
			constraint string // "": SQLite tells no name
			statement  string
		}{
			"negative running":     {"keys_running_check", "UPDATE keys SET running = running - 1"},
			"negative jobs":        {"usage_jobs_check", "UPDATE usage SET jobs = jobs - 1"},
			"negative spending":    {"usage_tik_check", "UPDATE usage SET tik = tik - 1"},
			"negative limit":       {"keys_jobs_per_day_check", "UPDATE keys SET jobs_per_day = -1"},
			"unknown key state":    {"keys_state_check", "UPDATE keys SET state = 'paused' WHERE id = 'k'"},
			"second key of a hash": {"", "INSERT INTO keys (id, user_id, hash, masked, name, state, version, created_at) SELECT 'k3', user_id, hash, masked, name, 'revoked', 1, 1 FROM keys"},
			"key of no user":       {"", "UPDATE keys SET user_id = 'nobody'"},
			"endless attributes":   {"projects_attributes_check", "UPDATE projects SET attributes = '" + strings.Repeat("x", 65537) + "'"},
			"settled but running":  {"jobs_settled_check", jobOf("j", "settled", "running", "1")},
			"active but resolved":  {"jobs_resolved_at_check", jobOf("j", "active", "running", "1")},
			"reserved, settled":    {"jobs_moves", "UPDATE jobs SET state = 'settled', status = 'failed', resolved_at = 1 WHERE id = 'reserved'"},
			"active, released":     {"jobs_moves", "UPDATE jobs SET state = 'released', status = 'queued', resolved_at = 1 WHERE id = 'active'"},
			"settled, active":      {"jobs_moves", "UPDATE jobs SET state = 'active', status = 'running', resolved_at = NULL WHERE id = 'settled'"},
			"released, reserved":   {"jobs_moves", "UPDATE jobs SET state = 'reserved', resolved_at = NULL WHERE id = 'released'"},
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
				if err := execAll(t, s, tc.statement); err == nil || !strings.Contains(err.Error(), tc.constraint) {
					t.Errorf("got %v, want a refusal by %s", err, tc.constraint)
				}
			})
		}
		if err := execAll(t, s, keyOf(4, "revoked"), "UPDATE keys SET state = 'revoked', name = 'other'",
			"UPDATE jobs SET state = 'released', resolved_at = 1 WHERE id = 'reserved'",
			"UPDATE jobs SET state = 'settled', status = 'failed', resolved_at = 1 WHERE id = 'active'",
			entryOf(project, "credit", "'k'", "'gone'", 0, "null"), entryOf("", "credit", "NULL", "NULL", 1, "[]")); err != nil {
			t.Errorf("what is allowed: %v", err)
		}
	})
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

// unnamed are tables whose only constraint is their primary key.
var unnamed = []string{"audit_pkey", "schema_steps_pkey"}

func TestConstraintsHaveTheSameNamesInBothDialects(t *testing.T) {
	names := map[string]map[string]bool{}
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		query := "SELECT conname FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND contype IN ('c', 'f', 'p', 'u')"
		if !s.Shared() {
			query = "SELECT sql FROM sqlite_schema WHERE type = 'table'"
		}
		found := map[string]bool{}
		names[t.Name()] = found
		err := s.View(t.Context(), func(r *Reader) error {
			return r.Each(func(scan Scan) error {
				var text string
				err := scan(&text)
				if s.Shared() {
					found[text] = !slices.Contains(unnamed, text)
					return err
				}
				named := constraintName.FindAllStringSubmatch(text, -1)
				for _, name := range named {
					found[name[1]] = true
				}
				if n := len(anyCheck.FindAllString(text, -1)); n > len(checkName.FindAllString(text, -1)) {
					t.Errorf("a check has no name: %s", text)
				}
				return err
			}, query)
		})
		if err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(found, func(_ string, named bool) bool { return !named })
	})
	var lists [][]string
	for _, found := range names {
		lists = append(lists, slices.Sorted(maps.Keys(found)))
	}
	if len(lists) != 2 || len(lists[0]) < 50 || !slices.Equal(lists[0], lists[1]) {
		t.Errorf("the names are\n%s", lists)
	}
}

var (
	constraintName = regexp.MustCompile(`CONSTRAINT (\w+)`)
	anyCheck       = regexp.MustCompile(`CHECK \(`)
	checkName      = regexp.MustCompile(`CONSTRAINT \w+\s+CHECK \(`)
)
