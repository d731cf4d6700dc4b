package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"testing"

	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

// schemas are of this process's PostgreSQL server. To make one takes as long as
// many a test: one that a test is done with is emptied for the next.
var schemas struct {
	mu       sync.Mutex // guards the following fields
	template string     // the name of one that nobody writes to
	empty    []string   // URLs
}

// schema returns the URL of a schema without a row but those of a new database.
func schema(t testing.TB) string {
	t.Helper()
	address := postgresSchema(t)
	t.Cleanup(func() { // after those of the test, which close its stores
		if t.Failed() {
			return
		}
		if err := empty(address); err != nil {
			t.Errorf("emptying the schema: %v", err)
		}
	})
	return address
}

func postgresSchema(t testing.TB) string {
	t.Helper()
	schemas.mu.Lock()
	defer schemas.mu.Unlock()
	if schemas.template == "" {
		address := postgrestest.URL(t)
		s, err := store.OpenPostgres(context.Background(), address)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		name, err := searchPath(address)
		if err != nil {
			t.Fatal(err)
		}
		schemas.template = name
	}
	if n := len(schemas.empty); n > 0 {
		address := schemas.empty[n-1]
		schemas.empty = schemas.empty[:n-1]
		return address
	}
	return postgrestest.URL(t)
}

// emptying makes every table of the schema what it is in the template.
const emptying = `DO $$
DECLARE
	tables text[] := ARRAY(SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1);
	name text;
BEGIN
	FOR name IN SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() AND tablename LIKE 'play\_%%' AND tablename NOT IN
		(SELECT tablename FROM pg_tables WHERE schemaname = '%[1]s') LOOP -- of package analytics, made where it is needed
		EXECUTE format('DROP TABLE IF EXISTS %%I', name); -- a part goes with its table
		tables := array_remove(tables, name);
	END LOOP;
	IF tables <> ARRAY(SELECT tablename::text FROM pg_tables WHERE schemaname = '%[1]s' ORDER BY 1) THEN
		RAISE 'other tables than in a new database: %%', tables;
	END IF;
	SET LOCAL session_replication_role = replica; -- which has no row refer to others
	FOREACH name IN ARRAY tables LOOP
		EXECUTE format('DELETE FROM %%I', name);
		EXECUTE format('INSERT INTO %%I SELECT * FROM %[1]s.%%I', name, name);
	END LOOP;
END $$`

func empty(address string) error {
	db, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	schemas.mu.Lock()
	defer schemas.mu.Unlock()
	_, err = db.Exec(fmt.Sprintf(emptying, schemas.template))
	if err = errors.Join(err, db.Close()); err == nil {
		schemas.empty = append(schemas.empty, address)
	}
	return err
}

func searchPath(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	return u.Query().Get("search_path"), nil
}
