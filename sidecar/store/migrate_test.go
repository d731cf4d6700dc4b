package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	steps, err := migrations(&sqlite)
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
		db, err := openSQLite(filepath.Join(t.TempDir(), "svc.db"), 1, busyTimeout, useLog)
		if err != nil {
			t.Fatal(err)
		}
		return closing(t, newConn(db, &sqlite, sqlite.beginWrite))
	},
	"PostgreSQL": func(t *testing.T) *conn {
		db, err := sql.Open("pgx", postgrestest.URL(t)+"&default_query_exec_mode=exec") // columns change between queries
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
// version had them, and migrates it to the newest one. A step that changes what
// rows hold comes with a file for the version it leads to.
func TestEachEarlierVersionIsMigratedWithWhatItHolds(t *testing.T) {
	newest, err := migrations(&sqlite)
	if err != nil {
		t.Fatal(err)
	}
	for version := range len(newest) + 1 {
		seed := seedOf(t, version)
		for name, connect := range bare {
			t.Run(fmt.Sprintf("%d/%s", version, name), func(t *testing.T) {
				c := connect(t)
				steps, err := migrations(c.dialect)
				if err != nil {
					t.Fatal(err)
				}
				if err := migrateTo(t.Context(), c, steps[:version]); err != nil {
					t.Fatal(err)
				}
				before := seedRows(t, c, seed)
				if err := migrate(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				wantRows(t, c, before)
				if got := len(rowsOf(t, c, "schema_steps")); got != len(newest) {
					t.Errorf("%d steps recorded, want %d", got, len(newest))
				}
			})
		}
	}
}

// seedOf returns the rows of a version: those of the newest file that is not newer.
func seedOf(t *testing.T, version int) string {
	t.Helper()
	for ; version > 0; version-- {
		text, err := os.ReadFile(fmt.Sprintf("testdata/%04d.sql", version))
		if err == nil {
			return string(text)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return ""
}

var insertInto = regexp.MustCompile(`INSERT INTO (\w+)`)

// seedRows runs a seed and returns the rows of the tables that it names.
func seedRows(t *testing.T, c *conn, seed string) map[string][]string {
	t.Helper()
	if _, err := c.sql.ExecContext(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	rows := make(map[string][]string)
	for _, table := range insertInto.FindAllStringSubmatch(seed, -1) {
		rows[table[1]] = rowsOf(t, c, table[1])
	}
	return rows
}

// laterColumns are those that a step added to a table, with what rows from before have in
// them: such a value is none that a row held.
var laterColumns = map[string]string{"projects.admin_attributes": "{}", "users.attributes": "{}",
	"jobs.hook_url": "", "jobs.request_id": "", "jobs.prompt": "", "jobs.hook_events": "", "webhook_deliveries.url": ""}

// rowsOf returns the rows of a table, each as its columns by name, in order.
func rowsOf(t *testing.T, c *conn, table string) (list []string) {
	t.Helper()
	rows, err := c.sql.QueryContext(t.Context(), "SELECT * FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := make(map[string]any) // which is written in the order of names
		for i, column := range columns {
			if byDefault, later := laterColumns[table+"."+column]; !later || fmt.Sprint(values[i]) != byDefault {
				row[column] = values[i]
			}
		}
		list = append(list, fmt.Sprint(row))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// TestCopyLeavesADatabaseThatIsUsedAsItIs: its service is of an earlier version, and would
// refuse a schema that it doesn't know.
func TestCopyLeavesADatabaseThatIsUsedAsItIs(t *testing.T) {
	url := postgrestest.URL(t)
	db, err := sql.Open("pgx", url+"&default_query_exec_mode=exec")
	if err != nil {
		t.Fatal(err)
	}
	c := closing(t, newConn(db, &postgres, postgres.beginWrite))
	steps, err := migrations(c.dialect)
	if err != nil {
		t.Fatal(err)
	}
	earlier := len(steps) - 1
	rows := before(t, c, earlier)
	from := filepath.Join(t.TempDir(), SQLiteFile)
	s, err := OpenSQLite(t.Context(), from)
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Copy(t.Context(), from, url); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("got %v", err)
	}
	if got := len(rowsOf(t, c, "schema_steps")); got != earlier {
		t.Errorf("its schema has version %d, and had %d", got, earlier)
	}
	wantRows(t, c, rows)
}

// before returns a connection to a database of a version with the rows of its seed.
func before(t *testing.T, c *conn, version int) (rows map[string][]string) {
	t.Helper()
	steps, err := migrations(c.dialect)
	if err != nil {
		t.Fatal(err)
	}
	if err := migrateTo(t.Context(), c, steps[:version]); err != nil {
		t.Fatal(err)
	}
	return seedRows(t, c, seedOf(t, version))
}

// wantRows compares the rows of tables with those of an earlier version.
func wantRows(t *testing.T, c *conn, want map[string][]string) {
	t.Helper()
	for table, rows := range want {
		if got := rowsOf(t, c, table); !slices.Equal(got, rows) {
			t.Errorf("%s holds\n%s\nwant\n%s", table, strings.Join(got, "\n"), strings.Join(rows, "\n"))
		}
	}
}
