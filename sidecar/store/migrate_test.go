package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

func TestDatabaseOfANewerVersionIsRefused(t *testing.T) {
	for name, opener := range openers {
		t.Run(name, func(t *testing.T) {
			open := opener(t)
			if err := opened(t, open).Update(t.Context(), func(tx *Tx) error {
				_, err := tx.Exec("INSERT INTO schema_steps (version, name, applied_at) VALUES (9999, 'later', 1)")
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if _, err := open(); !errors.Is(err, ErrNewer) {
				t.Errorf("got %v, want ErrNewer", err)
			}
		})
	}
}

func TestStepsAreAppliedOnceByProcessesThatOpenTogether(t *testing.T) {
	steps, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	for name, opener := range openers {
		t.Run(name, func(t *testing.T) {
			open := opener(t)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					s, err := open()
					if err != nil {
						t.Error(err)
						return
					}
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			var applied int
			err = opened(t, open).View(t.Context(), func(r *Reader) error {
				return r.Row("SELECT count(*) FROM schema_steps").Scan(&applied)
			})
			if err != nil || applied != len(steps) || applied == 0 {
				t.Errorf("%d steps recorded (%v), want %d", applied, err, len(steps))
			}
		})
	}
}

// bare returns for each kind of store a connection to a database without a
// schema.
var bare = map[string]func(t *testing.T) *conn{
	"SQLite": func(t *testing.T) *conn {
		db, err := openSQLite(filepath.Join(t.TempDir(), "svc.db"), 1, useLog, "foreign_keys(1)")
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, newConn(db, &sqlite, sqlite.beginWrite))
	},
	"PostgreSQL": func(t *testing.T) *conn {
		db, err := sql.Open("pgx", postgrestest.URL(t))
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, newConn(db, &postgres, postgres.beginWrite))
	},
}

func closing(t *testing.T, c *conn) *conn {
	t.Cleanup(func() {
		if err := errors.Join(c.discard(), c.db.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestFailedStepLeavesTheSchemaAsItWas(t *testing.T) {
	for name, connect := range bare {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			first := migration{1, "first", "CREATE TABLE one (id BIGINT)"}
			bad := migration{2, "bad", "CREATE TABLE two (id BIGINT); CREATE TABLE one (id BIGINT)"}
			if err := migrateTo(t.Context(), c, []migration{first, bad}); err == nil {
				t.Fatal("the bad step was applied")
			}
			good := migration{2, "good", "CREATE TABLE two (id BIGINT)"}
			if err := migrateTo(t.Context(), c, []migration{first, good}); err != nil {
				t.Errorf("the corrected step: %v", err)
			}
		})
	}
}

// TestEachEarlierVersionIsMigratedWithWhatItHolds fills a database of each
// version with testdata/VERSION.sql, which holds a row of every table as that
// version had them, and migrates it to the newest one. A new step comes with a
// file for the version it leads to.
func TestEachEarlierVersionIsMigratedWithWhatItHolds(t *testing.T) {
	steps, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	for version := range len(steps) + 1 {
		seed := ""
		if version > 0 {
			text, err := os.ReadFile(fmt.Sprintf("testdata/%04d.sql", version))
			if err != nil {
				t.Fatal(err)
			}
			seed = string(text)
		}
		for name, connect := range bare {
			t.Run(fmt.Sprintf("%d/%s", version, name), func(t *testing.T) {
				c := connect(t)
				if err := migrateTo(t.Context(), c, steps[:version]); err != nil {
					t.Fatal(err)
				}
				before := seedRows(t, c, seed)
				if err := migrate(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				for table, want := range before {
					if got := countRows(t, c, table); got != want {
						t.Errorf("%d rows in %s, want %d", got, table, want)
					}
				}
				if got := countRows(t, c, "schema_steps"); got != len(steps) {
					t.Errorf("%d steps recorded, want %d", got, len(steps))
				}
			})
		}
	}
}

var insertInto = regexp.MustCompile(`INSERT INTO (\w+)`)

// seedRows runs a seed and returns how many rows the tables have that it names.
func seedRows(t *testing.T, c *conn, seed string) map[string]int {
	t.Helper()
	if _, err := c.sql.ExecContext(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	for _, table := range insertInto.FindAllStringSubmatch(seed, -1) {
		counts[table[1]] = countRows(t, c, table[1])
	}
	return counts
}

func countRows(t *testing.T, c *conn, table string) int {
	t.Helper()
	var n int
	if err := c.sql.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestConstraintsHoldWhateverTheCodeDoes(t *testing.T) {
	onEach(t, func(t *testing.T, s *Store, _ func() *Store) {
		seed := func(tx *Tx) error {
			for _, statement := range []string{
				"INSERT INTO users (id, created_at) VALUES ('u', 1)",
				`INSERT INTO keys (id, user_id, hash, masked, name, state, version, created_at)
				VALUES ('k', 'u', '` + hash + `', 'sk-ab****cdef', 'n', 'active', 1, 1)`,
				`INSERT INTO projects (id, owner_id, session_id, name, template, description, attributes, created_at)
				VALUES ('0123456789abcdef01234567', 'u', 's', 'n', 'blank', '', '{}', 1)`,
				`INSERT INTO usage (key_id, bucket, jobs, tik) VALUES ('k', 'd:2026-11-20', 0, 0)`,
			} {
				if _, err := tx.Exec(statement); err != nil {
					return err
				}
			}
			return nil
		}
		if err := s.Update(t.Context(), seed); err != nil {
			t.Fatal(err)
		}
		for name, statement := range map[string]string{
			"negative running":     "UPDATE keys SET running = running - 1",
			"negative jobs":        "UPDATE usage SET jobs = jobs - 1",
			"negative spending":    "UPDATE usage SET tik = tik - 1",
			"negative limit":       "UPDATE keys SET jobs_per_day = -1",
			"unknown key state":    "UPDATE keys SET state = 'paused'",
			"second key of a hash": "INSERT INTO keys (id, user_id, hash, masked, name, state, version, created_at) SELECT 'k2', user_id, hash, masked, name, state, 1, 1 FROM keys",
			"key of no user":       "UPDATE keys SET user_id = 'nobody'",
			"endless attributes":   "UPDATE projects SET attributes = '" + strings.Repeat("x", 65537) + "'",
			"settled but running": `INSERT INTO jobs (id, key_id, project_id, state, status, record, day, month, created_at, deadline_at, resolved_at)
			VALUES ('j', 'k', '0123456789abcdef01234567', 'settled', 'running', '{}', 'd', 'm', 1, 1, 1)`,
			"active but resolved": `INSERT INTO jobs (id, key_id, project_id, state, status, record, day, month, created_at, deadline_at, resolved_at)
			VALUES ('j', 'k', '0123456789abcdef01234567', 'active', 'running', '{}', 'd', 'm', 1, 1, 1)`,
		} {
			t.Run(name, func(t *testing.T) {
				err := s.Update(t.Context(), func(tx *Tx) error {
					_, err := tx.Exec(statement)
					return err
				})
				if err == nil {
					t.Error("the schema allows it")
				}
			})
		}
	})
}

const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
