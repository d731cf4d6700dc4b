package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/cmd/svc/backup"
	"github.com/svc-games/svc/engine-proxy/archive"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

const volume = "0123456789abcdef01234567"

var secret = "whsec_" + strings.Repeat("s", 44)

// place is a data directory that is worked on.
type place struct {
	t            *testing.T
	dir, address string // address is empty for a SQLite file in the directory
	store        *store.Store
	keys         *keys.Registry
	archive      *archive.Store
}

func newPlace(t *testing.T, address string) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir(), address: address}
	for path, text := range map[string]string{
		"policy/state.json": "{}", "decisions.jsonl": "{}\n", "egress/x.calls": "", "play-secret": "s",
		"run/engines.token": "not copied", "sidecar.token": "not copied", "projects/" + volume + "/game.js": "not copied",
		"engines/installation": "here",
	} {
		p.write(path, text)
	}
	p.store = open(t, p.books())
	p.keys = keys.New(p.store, nil)
	var err error
	if p.archive, err = archive.Open(filepath.Join(p.dir, "archive")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.keys.CreateUser(t.Context(), "test", "alice", 5); err != nil {
		t.Fatal(err)
	}
	if err := p.store.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO projects (id, owner_id, session_id, name, template, description, created_at) VALUES (?, 'alice', 's', 'n', 'blank', '', 1)", volume)
		if err == nil {
			_, err = tx.Exec("INSERT INTO webhooks (project_id, url, events, secret, created_at) VALUES (?, 'https://example.org', ' job.failed ', ?, 1)", volume, secret)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	log, err := analytics.Open(t.Context(), p.plays(), generous{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	batch := play.Batch{Game: volume, Stream: strings.Repeat("0", 32), Events: []play.Event{{Seq: 1, Name: "start"}}}
	_, err = log.Record(t.Context(), analytics.Arrival{Batch: batch, Class: analytics.ClassPublic})
	if err = errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	return p
}

// generous sells every block.
type generous struct{}

func (generous) BuyBlock(context.Context, string, int64) (bool, error) { return true, nil }

// at returns the address of a database of a directory.
func at(dir, address, file string) string {
	if address != "" {
		return address
	}
	return filepath.Join(dir, file)
}

func (p *place) books() string { return at(p.dir, p.address, store.SQLiteFile) }
func (p *place) plays() string { return at(p.dir, p.address, analytics.File) }

func (p *place) write(path, text string) {
	p.t.Helper()
	path = filepath.Join(p.dir, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		p.t.Fatal(err)
	}
}

func open(t *testing.T, address string) *store.Store {
	t.Helper()
	opened := store.OpenSQLite
	if store.IsPostgresURL(address) {
		opened = store.OpenPostgres
	}
	s, err := opened(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// work credits and archives until ctx ends; every third job's project is deleted. done is
// called after each step with the job that is archived for good, "" for none.
func (p *place) work(ctx context.Context, done func(n int, jobID string)) {
	for n := 1; ctx.Err() == nil; n++ {
		if _, err := p.keys.TopUp(context.Background(), "test", "alice", keys.Credit{TIK: 1, Reference: fmt.Sprint(n)}); err != nil {
			p.t.Error(err)
			return
		}
		at := time.Now()
		rec, err := p.archive.PutEnd(contract.JobRecord{
			JobID: mint.NewJobID(at), ProjectID: mint.NewProjectID(), Status: api.JobFailed, FinishedAt: &at, LastEventID: 1,
			Failure: &api.Failure{Code: api.FailureInternal, Message: "m"},
		})
		kept := rec.JobID
		if err == nil && n%3 == 0 {
			kept, err = "", p.archive.Forget(context.Background(), rec.ProjectID)
		}
		if err != nil {
			p.t.Error(err)
			return
		}
		done(n, kept)
	}
}

// TestBackupUnderLoadIsRestoredWhole: into a store of either kind.
func TestBackupUnderLoadIsRestoredWhole(t *testing.T) {
	for _, from := range []string{backup.StoreSQLite, backup.StorePostgres} {
		for _, to := range []string{backup.StoreSQLite, backup.StorePostgres} {
			t.Run(from+" to "+to, func(t *testing.T) {
				address := func(kind string) string {
					if kind == backup.StorePostgres {
						return postgrestest.URL(t)
					}
					return ""
				}
				restoredWhole(t, newPlace(t, address(from)), address(to))
			})
		}
	}
}

func restoredWhole(t *testing.T, p *place, address string) {
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var before []string // jobs that were archived before the backup
	steps, busy := 0, make(chan struct{})
	var mu sync.Mutex // guards before and steps
	var working sync.WaitGroup
	working.Go(func() {
		p.work(ctx, func(n int, jobID string) {
			mu.Lock()
			defer mu.Unlock()
			steps = n
			if n == 20 {
				close(busy)
			}
			if n <= 20 && jobID != "" {
				before = append(before, jobID)
			}
		})
	})
	<-busy
	folder := filepath.Join(t.TempDir(), "backup")
	summary, err := backup.Make(t.Context(), p.dir, p.address, folder, time.Now)
	end()
	working.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if steps <= 20 {
		t.Errorf("nothing was done beside the backup")
	}
	if len(summary.Volumes) != 1 || summary.Volumes[0] != (backup.Volume{ProjectID: volume, Place: "projects/" + volume}) {
		t.Errorf("the volumes are %+v", summary.Volumes)
	}
	onlyItsOwnersIs(t, folder)
	check := exec.Command("sha256sum", "--check", "--quiet", "SHA256SUMS")
	check.Dir = folder
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("sha256sum: %v: %s", err, out)
	}

	dir := filepath.Join(t.TempDir(), "new")
	restored, err := backup.Restore(t.Context(), folder, dir, address)
	if err != nil {
		t.Fatal(err)
	}
	if !restored.Begun.Equal(summary.Begun) || restored.Files != summary.Files {
		t.Errorf("restored %+v of %+v", restored, summary)
	}
	wantWhole(t, dir, address, before)
}

// wantWhole checks a restored place.
func wantWhole(t *testing.T, dir, address string, jobs []string) {
	t.Helper()
	var balance int64
	var signs string
	books := at(dir, address, store.SQLiteFile)
	if err := store.ReadOnly(t.Context(), books, func(r *store.Reader) error {
		findings, err := ledger.CheckInvariants(r)
		for _, f := range findings {
			if !f.Holds() {
				t.Errorf("%s: %q", f.Rule, f.Violations)
			}
		}
		return errors.Join(err, r.Row("SELECT tik FROM balances").Scan(&balance), r.Row("SELECT secret FROM webhooks").Scan(&signs))
	}); err != nil {
		t.Fatal(err)
	}
	if signs != secret {
		t.Errorf("the webhook's secret is %q", signs)
	}
	if balance < 25 {
		t.Errorf("the balance is %d, and was 25 before the backup", balance)
	}
	if broken, err := analytics.CheckMeters(t.Context(), at(dir, address, analytics.File), func() (map[string]int64, error) {
		return map[string]int64{volume: 1}, nil
	}); err != nil || len(broken) > 0 {
		t.Errorf("what was played: %q, %v", broken, err)
	}
	found, err := archive.Check(t.Context(), filepath.Join(dir, "archive"))
	if err != nil || len(found.Damaged) > 0 || found.Jobs < len(jobs) {
		t.Errorf("the archive: %+v, %v", found, err)
	}
	for _, id := range jobs {
		if _, err := os.Stat(filepath.Join(dir, "archive", id)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"run", "sidecar.token", "projects"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was restored: %v", name, err)
		}
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "play-secret")); err != nil || string(raw) != "s" {
		t.Errorf("the secret is %q, %v", raw, err)
	}
	_, err = os.Stat(filepath.Join(dir, store.SQLiteFile))
	if gone := errors.Is(err, fs.ErrNotExist); gone != (address != "") {
		t.Errorf("svc.db in the data directory: %v", err)
	}
	onlyItsOwnersIs(t, dir)
}

// onlyItsOwnersIs checks modes.
func onlyItsOwnersIs(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPlacesThatHoldSomethingAreLeftAlone(t *testing.T) {
	p := newPlace(t, "")
	full := t.TempDir()
	mine := filepath.Join(full, "mine")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Make(t.Context(), p.dir, "", full, time.Now); !errors.Is(err, backup.ErrNotEmpty) {
		t.Errorf("a backup into a folder with a file: %v", err)
	}
	folder := filepath.Join(t.TempDir(), "b")
	if _, err := backup.Make(t.Context(), p.dir, "", folder, time.Now); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(t.Context(), folder, full, ""); !errors.Is(err, backup.ErrNotEmpty) {
		t.Errorf("a restore into a folder with a file: %v", err)
	}
	if _, err := backup.Make(t.Context(), p.dir, "", filepath.Join(p.dir, "b"), time.Now); err == nil {
		t.Error("a backup into the data directory")
	}
	used := postgrestest.URL(t)
	other := open(t, used)
	if _, err := keys.New(other, nil).CreateUser(t.Context(), "test", "bob", 1); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "d")
	if _, err := backup.Restore(t.Context(), folder, dir, used); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("a restore into a database that is used: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a restore that failed left %s: %v", dir, err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	if _, err := backup.Make(t.Context(), t.TempDir(), "", filepath.Join(t.TempDir(), "b"), time.Now); !errors.Is(err, backup.ErrNothing) {
		t.Errorf("a backup of nothing: %v", err)
	}
}

func TestSidecarsDirectoryIsNotBackedUpWithoutItsStore(t *testing.T) {
	p := newPlace(t, "")
	if err := os.Rename(filepath.Join(p.dir, "svc.db"), filepath.Join(t.TempDir(), "svc.db")); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "b")
	if _, err := backup.Make(t.Context(), p.dir, "", folder, time.Now); !errors.Is(err, backup.ErrNoStore) {
		t.Errorf("got %v", err)
	}
}

// TestWhatAMoveLeftIsInNoBackup: it is stale, and holds what players did.
func TestWhatAMoveLeftIsInNoBackup(t *testing.T) {
	p := newPlace(t, postgrestest.URL(t))
	for _, name := range []string{store.SQLiteFile, analytics.File} {
		p.write(name, "")
		if err := store.SetAside(filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(t.TempDir(), "b")
	if _, err := backup.Make(t.Context(), p.dir, p.address, folder, time.Now); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "data", "*.moved")); err != nil || len(left) > 0 {
		t.Errorf("it has %q, %v", left, err)
	}
}

func TestRestoreRefusesAStoreThatIsNone(t *testing.T) {
	if _, err := backup.Restore(t.Context(), t.TempDir(), t.TempDir(), "postgre://localhost/svc"); !errors.Is(err, store.ErrPostgresURL) {
		t.Errorf("got %v", err)
	}
}

func TestLinkBelowTheTopIsNotLeftOutInSilence(t *testing.T) {
	p := newPlace(t, "")
	if err := os.Symlink(t.TempDir(), filepath.Join(p.dir, "policy", "elsewhere")); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "b")
	if _, err := backup.Make(t.Context(), p.dir, "", folder, time.Now); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a backup that failed left %s: %v", folder, err)
	}
}
