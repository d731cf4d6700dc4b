package analytics_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

// killedDir names, in the environment of a child process, the folder whose game it has
// played until it is killed.
const killedDir = "SVC_TEST_KILLED_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedDir); dir != "" {
		fmt.Fprintln(os.Stderr, playUntilKilled(dir, os.Getenv(killedDir+"_ROUND")))
		os.Exit(1)
	}
	os.Exit(postgrestest.Main(m))
}

// books are a ledger and a log, of one folder.
type books struct {
	store  *store.Store
	ledger *ledger.Ledger
	log    *analytics.Log
}

func openBooks(dir string) (*books, error) {
	s, err := store.OpenSQLite(context.Background(), filepath.Join(dir, store.SQLiteFile))
	if err != nil {
		return nil, err
	}
	l, err := ledger.New(ledger.Options{Store: s, Logger: zap.NewNop()})
	if err != nil {
		return nil, err
	}
	log, err := analytics.Open(context.Background(), filepath.Join(dir, analytics.File), l, time.Now)
	return &books{s, l, log}, err
}

func (b *books) close() error { return errors.Join(b.log.Close(), b.store.Close()) }

// onlyGame is the id of the folder's game.
func (b *books) onlyGame() (id string, err error) {
	err = b.store.View(context.Background(), func(r *store.Reader) error { return r.Row("SELECT id FROM projects").Scan(&id) })
	return id, err
}

// playUntilKilled has many players send what they do, and prints each stream whose
// events were acknowledged.
func playUntilKilled(dir, round string) error {
	b, err := openBooks(dir)
	if err != nil {
		return err
	}
	id, err := b.onlyGame()
	if err != nil {
		return err
	}
	errs := make(chan error)
	for i := range 8 {
		go func() {
			for n := 0; ; n++ {
				batch := custom(1, 1, 90)
				batch.Game, batch.Stream = id, fmt.Sprintf("%08s%04x%020x", round, i, n)
				batch.Player = batch.Stream // none plays twice
				if _, err := b.log.Record(context.Background(), analytics.Arrival{Batch: batch, Class: analytics.ClassPublic}); err != nil {
					errs <- err
					return
				}
				fmt.Println(batch.Stream)
			}
		}()
	}
	return <-errs
}

// TestBlocksArePaidExactlyUnderKill kills the service again and again while blocks are
// bought and used: what was acknowledged is there, and paid, and nothing is paid twice.
func TestBlocksArePaidExactlyUnderKill(t *testing.T) {
	dir := t.TempDir()
	const credit = 100 * api.MicroPerTIK
	b, err := openBooks(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err1 := keys.New(b.store, time.Now).CreateUser(t.Context(), "test", "alice", credit)
	_, err2 := projects.New(projects.Options{Store: b.store, Now: time.Now}).CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "n", Template: api.TemplateBlank})
	if err := errors.Join(err1, err2, b.close()); err != nil {
		t.Fatal(err)
	}
	acknowledged := make(map[string]bool)
	for round := range 6 {
		for _, stream := range killed(t, dir, round) {
			acknowledged[stream] = true
		}
		wantExact(t, dir, credit, acknowledged)
	}
}

// killed has a child play, and kills it after some acknowledgements, which it returns.
func killed(t *testing.T, dir string, round int) (streams []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), killedDir+"="+dir, fmt.Sprintf("%s_ROUND=%d", killedDir, round))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		streams = append(streams, lines.Text())
		if len(streams) == 40+17*round { // after four blocks and more
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // it was killed
	return streams
}

func wantExact(t *testing.T, dir string, credit api.TIK, acknowledged map[string]bool) {
	t.Helper()
	b, err := openBooks(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.close(); err != nil {
			t.Error(err)
		}
	}()
	id, err := b.onlyGame()
	if err != nil {
		t.Fatal(err)
	}
	var blocks map[string]int64
	found, err := analytics.CheckMeters(t.Context(), filepath.Join(dir, analytics.File), func() (map[string]int64, error) {
		blocks, err = store.Read(t.Context(), b.store, ledger.Blocks)
		return blocks, err
	})
	if err != nil || len(found) > 0 {
		t.Errorf("the meters break %q, %v", found, err)
	}
	kept := make(map[string]int)
	for day := range int64(2) {
		if err := b.log.Events(t.Context(), id, time.Now().Unix()/86400-day, func(e analytics.Event) error {
			kept[e.Stream]++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	used := 0
	for stream, n := range kept {
		if used += n; n != 90 {
			t.Errorf("stream %s has %d events", stream, n)
		}
	}
	for stream := range acknowledged {
		if kept[stream] == 0 {
			t.Errorf("stream %s was acknowledged, and is lost", stream)
		}
	}
	if n := blocks[id]; n*analytics.BlockEvents < int64(used) || n > int64(used)/analytics.BlockEvents+2 {
		t.Errorf("%d blocks are paid for %d events", n, used)
	}
	user, err := keys.New(b.store, time.Now).User(t.Context(), "alice")
	if want := credit - api.TIK(blocks[id])*ledger.DefaultBlockPrice; err != nil || user.Balance != want {
		t.Errorf("the balance is %s, %v, want %s", user.Balance, err, want)
	}
	findings, err := store.Read(t.Context(), b.store, ledger.CheckInvariants)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if !f.Holds() {
			t.Errorf("%s: %s, but not %q", f.Name, f.Rule, f.Violations)
		}
	}
}
