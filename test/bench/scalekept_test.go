package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/store"
)

// rowsOfEach is how many rows of each kind are made to measure one.
const rowsOfEach = 4000

var keptNote = fmt.Sprintf("Bytes of SQLite's file for each of %d rows, indexes included, after the file was closed. A job is one that was admitted; what it reports makes its row "+
	"longer, at most by the record's 4 KiB. Rows of jobs, and events, go after `retain`; users, keys, projects and entries of the ledger stay until somebody deletes them. "+
	"Beside the store the archive has the game of each job, `max_archive` bounds it; `svc_disk_free_bytes` and its alert say when there is no room.", rowsOfEach)

// rowsKept measures what the store takes on the disk.
func (r *report) rowsKept(s *section) {
	t, n := r.t, max(100, r.n(rowsOfEach))
	dir := t.TempDir()
	path := filepath.Join(dir, store.SQLiteFile)
	var orders []sidecar.Reservation
	fill := func(name string, one func(st *store.Store, i int) error) {
		t.Helper()
		var before int64
		for _, count := range []int{0, n} { // the first makes the file
			st, err := store.OpenSQLite(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			for i := range count {
				if err := one(st, i); err != nil {
					t.Fatal(err)
				}
			}
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			if count == 0 {
				before = bytesOf(t, path)
			}
		}
		s.row(name, fmt.Sprintf("%.0f", float64(bytesOf(t, path)-before)/float64(n)))
	}
	user := func(i int) string { return fmt.Sprintf("user%d", i) }
	fill("user", func(st *store.Store, i int) error {
		_, err := keys.New(st, nil).CreateUser(t.Context(), "bench", user(i), 0)
		return err
	})
	fill("key", func(st *store.Store, i int) error {
		key, err := keys.New(st, nil).Create(t.Context(), "bench", user(i), "key", policy.Limits{})
		orders = append(orders, sidecar.Reservation{KeyID: key.ID})
		return err
	})
	fill("project", func(st *store.Store, i int) error {
		p, err := projects.New(projects.Options{Store: st, Now: time.Now, MaxPerUser: 1}).CreateProject(t.Context(), user(i), api.ProjectRequest{Name: "game", Template: api.TemplateBlank})
		orders[i].ProjectID = p.ID
		return err
	})
	fill("job", func(st *store.Store, i int) error {
		l, err := ledger.New(ledger.Options{Store: st, Logger: zap.NewNop()})
		if err != nil {
			return err
		}
		orders[i].JobID = mint.NewJobID(time.Now())
		if _, err = l.Reserve(t.Context(), orders[i]); err != nil {
			return err
		}
		return l.Commit(t.Context(), orders[i].JobID)
	})
	s.row("event of a player, in `analytics.db`", fmt.Sprintf("%.0f", r.playedEvent(dir)))
}

func bytesOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// playedEvent returns how many bytes an event of a player takes on the disk.
func (r *report) playedEvent(dir string) float64 {
	path := filepath.Join(dir, analytics.File)
	r.openIngestion(path).close() // makes the file
	before := bytesOf(r.t, path)
	in := r.openIngestion(path)
	played := in.play(r.last(4*time.Second), 0)
	in.close()
	return float64(bytesOf(r.t, path)-before) / float64(max(1, len(played.times)*ofBatch))
}

const foundNote = "Durable pairs of reserve and commit in SQLite by one client, and checks of a key that is not in the gateway's memory, the decision included, while so many rows " +
	"are kept of others. All that a request asks for is found by its key."

// found measures what requests ask for in stores that hold more and more.
func (r *report) found(s *section) {
	var pairs []time.Duration
	for _, n := range []struct{ users, jobs int }{{100, 1_000}, {10_000, 100_000}, {100_000, 1_000_000}} {
		users, jobs := max(10, r.n(n.users)), max(20, r.n(n.jobs))
		pair, check := r.among(users, jobs)
		pairs = append(pairs, median(pair))
		s.row(users, jobs, millis(median(pair)), millis(quantile(pair, 0.99)), micros(median(check)))
	}
	s.figure(slower, float64(pairs[len(pairs)-1])/float64(pairs[0]))
}

// among measures pairs of reserve and commit, and checks of a key, in a store that holds rows
// of others.
func (r *report) among(users, jobs int) (pair, check []time.Duration) {
	t, dir := r.t, r.t.TempDir()
	open := func() *service.Service {
		s, err := service.Open(t.Context(), service.Options{DataDir: dir, Policy: policytest.Embedded(t), DecisionTimeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if err := errors.Join(open().Close(), fillStore(t.Context(), dir, users, jobs)); err != nil {
		t.Fatal(err)
	}
	s := open()
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := s.Keys().CreateUser(t.Context(), "bench", "bench", 0); err != nil {
		t.Fatal(err)
	}
	key, err := s.Keys().Create(t.Context(), "bench", "bench", "key", policy.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	hash, _ := mint.ParseKey(key.Secret)
	order := sidecar.Reservation{KeyID: key.ID}
	for i := range max(5, r.n(500)) {
		if i%ledger.DefaultMaxQueued == 0 {
			p, err := s.CreateProject(t.Context(), "bench", api.ProjectRequest{Name: "game", Template: api.TemplateBlank})
			if err != nil {
				t.Fatal(err)
			}
			order.ProjectID = p.ID
		}
		begun := time.Now()
		order.JobID = mint.NewJobID(begun)
		if _, err = s.Reserve(t.Context(), order); err == nil {
			err = s.Commit(t.Context(), order.JobID)
		}
		if err != nil {
			t.Fatal(err)
		}
		pair = append(pair, time.Since(begun))
		begun = time.Now()
		if id, err := s.Authenticate(t.Context(), hash); err != nil || !id.Decision.Allow {
			t.Fatalf("the key is refused: %v", err)
		}
		check = append(check, time.Since(begun))
	}
	return pair, check
}

// fillStore puts users with a key and a project each, and ended jobs of them, into the store of
// a data directory that nobody uses, as sidecars do.
func fillStore(ctx context.Context, dir string, users, jobs int) error {
	db, err := sql.Open("sqlite", filepath.Join(dir, store.SQLiteFile))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	now := time.Now()
	const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?) `
	for _, s := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO users (id, created_at) ` + numbers + `SELECT 'made' || i, ? FROM n`, []any{users, now.UnixMilli()}},
		{`INSERT INTO balances (user_id, tik) ` + numbers + `SELECT 'made' || i, 0 FROM n`, []any{users}},
		{`INSERT INTO keys (id, user_id, hash, masked, name, state, version, created_at) ` + numbers +
			`SELECT 'key_' || i, 'made' || i, printf('%064x', i), 'sk-', 'key', 'active', i + 1, ? FROM n`, []any{users, now.UnixMilli()}},
		{`INSERT INTO projects (id, owner_id, session_id, name, template, description, created_at) ` + numbers +
			`SELECT printf('%024x', i), 'made' || i, 'made' || i, 'game', ?, '', ? FROM n`, []any{users, api.TemplateBlank, now.UnixMilli()}},
		{`INSERT INTO jobs (id, key_id, project_id, state, status, record, day, month, created_at, deadline_at, resolved_at) ` + numbers +
			`SELECT 'job_01' || printf('%024d', i), 'key_' || (i % ?), printf('%024x', i % ?), 'settled', 'completed', '{}', ?, ?, ?, ?, ? FROM n`,
			[]any{jobs, users, users, now.UTC().Format("d:2006-01-02"), now.UTC().Format("m:2006-01"), now.UnixMilli(), now.UnixMilli(), now.UnixMilli()}},
	} {
		if _, err = db.ExecContext(ctx, s.sql, s.args...); err != nil {
			break
		}
	}
	return errors.Join(err, db.Close())
}
