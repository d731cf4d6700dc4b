package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/test/wait"
)

const (
	proxyVariable = "SVC_TEST_PROXY" // makes this test binary start an engine as another user
	otherUser     = 65001
)

// errand is what such a process is to do.
type errand struct {
	Options Options
	Spec    driver.Spec
}

// runErrandIfAsked starts an engine and says how that went.
func runErrandIfAsked() {
	raw := os.Getenv(proxyVariable)
	if raw == "" {
		return
	}
	var e errand
	err := json.Unmarshal([]byte(raw), &e)
	if err == nil {
		err = e.run()
	}
	if err != nil {
		fmt.Println(err, errors.Is(err, driver.ErrUnavailable), errors.Is(err, driver.ErrFatalSpec))
		os.Exit(1)
	}
	os.Exit(0)
}

func (e errand) run() error {
	ctx, cancel := wait.Within(context.Background(), wait.Patience)
	defer cancel()
	d, err := New(e.Options)
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = d.Start(ctx, e.Spec, nil)
	return err
}

// asOtherUser runs an errand as a user that is not root.
func asOtherUser(t *testing.T, e errand) (string, error) {
	t.Helper()
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(publicSelf(t))
	cmd.Env = []string{proxyVariable + "=" + string(raw), "GORACE=atexit_sleep_ms=0"}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUser, Gid: otherUser}}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// publicSelf copies the test binary to where every user can run it.
func publicSelf(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(drivertest.TempDir(t), "self")
	// Not by ourselves: a file that is open for writing in whatever another test
	// is just starting can't be run.
	if out, err := exec.Command("install", "-m", "0755", self, path).CombinedOutput(); err != nil {
		t.Fatalf("copying: %v\n%s", err, out)
	}
	return path
}

// own gives what the engine proxy would have made to a user.
func own(t *testing.T, s driver.Spec, uid, gid int) {
	t.Helper()
	for _, path := range []string{s.Volume, s.RuntimeDir, s.StateDir, s.TokenFile} {
		if err := os.Chown(path, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
}

func ownerOfPath(t *testing.T, path string) (uid, gid int) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return ownerOf(info)
}

func TestVolumeOfRootIsGivenToTheEnginesUserWithAllThatIsInIt(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	outside := filepath.Join(b.dir, "outside")
	inside := filepath.Join(s.Volume, "a", "b")
	if err := errors.Join(
		os.MkdirAll(inside, 0o700), os.WriteFile(outside, nil, 0o600),
		os.WriteFile(filepath.Join(inside, "file"), nil, 0o600), os.Symlink(outside, filepath.Join(inside, "link")),
	); err != nil {
		t.Fatal(err)
	}
	b.start(t, s)
	b.listening(t, s)
	for _, path := range []string{s.Volume, inside, filepath.Join(inside, "file"), filepath.Join(inside, "link"), s.TokenFile, s.Socket} {
		if uid, gid := ownerOfPath(t, path); uid != 65532 || gid != 65532 {
			t.Errorf("%s belongs to %d:%d", path, uid, gid)
		}
	}
	// Where a link leads to is not the engine's.
	if uid, _ := ownerOfPath(t, outside); uid != 0 {
		t.Errorf("what a link leads to was given to %d", uid)
	}
	if uid, _ := ownerOfPath(t, s.StateDir); uid != 0 {
		t.Errorf("the state folder was given to %d", uid)
	}
}

func TestEngineRunsAsTheOwnerOfItsVolume(t *testing.T) {
	t.Parallel()
	b := newBed(t, probing("look"))
	s := b.spec(t)
	own(t, s, otherUser, otherUser)
	if r := b.look(t, s); r.UID != otherUser {
		t.Errorf("the engine runs as %d, want %d", r.UID, otherUser)
	}
}

func TestEngineOfAnEngineProxyWithoutRootRuns(t *testing.T) {
	t.Parallel()
	daemon := dockertest.Start(t)
	daemon.OpenToAll(t)
	b := newBedOn(t, daemon)
	s := b.spec(t)
	own(t, s, otherUser, otherUser)
	own(t, driver.Spec{Volume: b.dir, RuntimeDir: b.dir, StateDir: b.dir, TokenFile: b.dir}, otherUser, otherUser)
	for _, name := range []string{"projects", "run", "engines"} {
		if err := os.Chown(filepath.Join(b.dir, name), otherUser, otherUser); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := asOtherUser(t, errand{Options: b.opts.withoutLogger(), Spec: s}); err != nil {
		t.Fatalf("starting as another user: %v\n%s", err, out)
	}
	b.listening(t, s)
	if uid, _ := ownerOfPath(t, s.Socket); uid != otherUser {
		t.Errorf("the socket belongs to %d", uid)
	}
}

func TestVolumeOfRootIsRefusedByAnEngineProxyWithoutRoot(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	if err := os.Chmod(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(s.Volume), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := asOtherUser(t, errand{Options: b.opts.withoutLogger(), Spec: s})
	if err == nil || !strings.Contains(out, "belongs to root") || !strings.Contains(out, "true false") {
		t.Errorf("starting as another user: %v\n%s", err, out)
	}
}

func TestNoPermissionOnTheSocketIsUnavailableAndSaysSo(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	own(t, s, otherUser, otherUser)
	for _, dir := range []string{b.dir, filepath.Dir(s.Volume), filepath.Dir(s.RuntimeDir)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	out, err := asOtherUser(t, errand{Options: b.opts.withoutLogger(), Spec: s})
	if err == nil || !strings.Contains(out, "permission denied") || !strings.Contains(out, "true false") {
		t.Errorf("starting without permission: %v\n%s", err, out)
	}
}

func TestVolumeThatCantBeWrittenIsNamedAndTriedAgain(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*testing.T, driver.Spec){
		"its mode": func(t *testing.T, s driver.Spec) {
			if err := os.Chmod(s.Volume, 0o500); err != nil {
				t.Fatal(err)
			}
		},
		"its file system": func(t *testing.T, s driver.Spec) {
			if err := unix.Mount("tmpfs", s.Volume, "tmpfs", unix.MS_RDONLY, "uid=65532,mode=700"); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := unix.Unmount(s.Volume, unix.MNT_DETACH); err != nil {
					t.Error(err)
				}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			s := b.spec(t)
			spoil(t, s)
			_, err := b.Start(t.Context(), s, nil)
			var reason *driver.ReasonError
			if !errors.As(err, &reason) || reason.Reason != reasonVolume || errors.Is(err, driver.ErrFatalSpec) {
				t.Errorf("start: %v", err)
			}
		})
	}
}

// withoutLogger are options that can be handed to another process.
func (o Options) withoutLogger() Options {
	o.Logger = nil
	return o
}
