package webhooks_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/webhooks"
	"github.com/svc-games/svc/test/wait"
)

// killedDir names, in the environment of a child process, the folder whose deliveries it
// posts until it is killed.
const killedDir = "SVC_TEST_KILLED_DIR"

func sendUntilKilled(dir string) error {
	s, err := store.OpenSQLite(context.Background(), filepath.Join(dir, store.SQLiteFile))
	if err != nil {
		return err
	}
	webhooks.NewSender(webhooks.SenderOptions{Store: s, Networks: loopback, Permitted: anything}).Run(context.Background())
	return nil
}

// killer is a receiver that kills the child at its first post.
type killer struct {
	t     *testing.T
	mu    sync.Mutex // guards child until it is started, and ids
	child *exec.Cmd
	ids   []string
}

// start starts the child, which is known before it posts.
func (k *killer) start() {
	k.t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.child.Start(); err != nil {
		k.t.Fatal(err)
	}
}

func (k *killer) posted() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.ids)
}

func (k *killer) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ids = append(k.ids, r.Header.Get("Webhook-Id")); len(k.ids) == 1 {
		if err := k.child.Process.Kill(); err != nil {
			k.t.Error(err)
		}
		untilGone(r)
	}
}

// TestPostOfAKilledSenderIsPostedAgain kills a sender after its post was received and
// before it can note that.
func TestPostOfAKilledSenderIsPostedAgain(t *testing.T) {
	dir := t.TempDir()
	open := func() *store.Store {
		s, err := store.OpenSQLite(t.Context(), filepath.Join(dir, store.SQLiteFile))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := wait.Context(t)
	defer cancel()
	child := exec.CommandContext(ctx, self)
	child.Env = append(os.Environ(), killedDir+"="+dir)
	var stderr bytes.Buffer
	child.Stderr = &stderr

	k := &killer{t: t, child: child}
	server := httptest.NewServer(k)
	t.Cleanup(server.Close)

	s := open()
	f := newFixture(t, s, time.Now())
	f.set(f.project, server.URL)
	job := f.end(f.project, api.JobCompleted)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	k.start()
	if err := child.Wait(); err == nil || ctx.Err() != nil {
		t.Fatalf("the child was not killed: %v\n%s", err, stderr.Bytes())
	}

	f.store = open()
	t.Cleanup(func() {
		if err := f.store.Close(); err != nil {
			t.Error(err)
		}
	})
	f.registry = webhooks.New(f.store, f.clock, loopback)
	f.mu.Lock()
	f.now = time.Now()
	f.mu.Unlock()
	sender := f.sender()
	sender.Once(t.Context())
	if ids := k.posted(); len(ids) != 1 {
		t.Errorf("posted %v while it may be under way", ids)
	}
	f.pass(webhooks.Lease)
	sender.Once(t.Context())
	ids := k.posted()
	if id := api.DeliveryID(job); len(ids) != 2 || ids[0] != id || ids[1] != id {
		t.Errorf("posted %v, want %s twice", ids, id)
	}
	if d := f.only(); d.State != api.DeliveryDelivered || d.Attempts != 1 {
		t.Errorf("listed %+v", d)
	}
}
