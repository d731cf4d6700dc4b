package host_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/sidecar/admin"
	"github.com/svc-games/svc/sidecar/host"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/keep"
)

// TestATakeOverThatCanNotServeTakesNothing: the port of a listener on TCP is not handed
// over, and the sockets stay with the sidecar that has it.
func TestATakeOverThatCanNotServeTakesNothing(t *testing.T) {
	dir := keep.Dir(t)
	o := host.Options{
		DataDir: dir, Admin: host.Standard(), OPA: host.Standard(), Listen: &peer.Address{Network: "tcp", Name: freeport.Address(t)},
		TLS: peertest.NewAuthority(t).Issue("sidecar"), Names: []string{"gateway"},
	}
	h, err := host.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	o.TakeOver = true
	if second, err := host.Open(t.Context(), o); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a second one: %v", err)
		if err == nil {
			t.Error(second.Close())
		}
	}
	if _, err := admin.NewClient(filepath.Join(dir, admin.SocketFile)).PolicyStatus(t.Context()); err != nil {
		t.Errorf("the first one is administered no more: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, host.OPASocket)); err != nil {
		t.Error(err)
	}
}

// TestASecondSidecarIsRefusedBeforeItTouchesTheFolder: neither the store's schema nor the
// policy changes under the one that runs.
func TestASecondSidecarIsRefusedBeforeItTouchesTheFolder(t *testing.T) {
	dir := keep.Dir(t)
	first, err := peer.Start(peer.ServerOptions{
		Address: peer.Address{Network: "unix", Name: filepath.Join(dir, admin.SocketFile)}, Handler: http.NotFoundHandler(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := first.Close(); err != nil {
			t.Error(err)
		}
	}()
	refusedUntouched(t, dir, peer.ErrInUse)
}

func TestAStoreOfALaterVersionIsRefusedBeforeTheFolderIsTouched(t *testing.T) {
	dir := keep.Dir(t)
	s, err := store.OpenSQLite(t.Context(), filepath.Join(dir, store.SQLiteFile))
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO schema_steps (version, name, applied_at) VALUES (9999, 'later', 0)")
		return err
	})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	refusedUntouched(t, dir, store.ErrNewer)
}

func TestAFolderWhoseStoreWasMovedIsRefusedBeforeItIsTouched(t *testing.T) {
	dir := keep.Dir(t)
	file := filepath.Join(dir, store.SQLiteFile)
	s, err := store.OpenSQLite(t.Context(), file)
	if err == nil {
		err = errors.Join(s.Close(), store.SetAside(file))
	}
	if err != nil {
		t.Fatal(err)
	}
	refusedUntouched(t, dir, store.ErrMoved)
}

// refusedUntouched opens a sidecar on a folder, which must fail with want and leave the
// folder as it is.
func refusedUntouched(t *testing.T, dir string, want error) {
	t.Helper()
	before := tree(t, dir)
	h, err := host.Open(t.Context(), host.Options{DataDir: dir, Admin: host.Standard(), OPA: host.Standard(), Listen: host.Standard()})
	if err == nil {
		err = h.Close()
	}
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
	if after := tree(t, dir); !slices.Equal(before, after) {
		t.Errorf("it had\n%s\nand has\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

// tree lists what is in a folder, files with what they hold.
func tree(t *testing.T, dir string) (all []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		line := path
		if entry.Type().IsRegular() {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(": %x", sha256.Sum256(raw))
		}
		all = append(all, line)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
