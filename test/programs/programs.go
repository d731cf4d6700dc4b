// Package programs builds the programs that tests start, once for all tests of a
// checkout: they lie in one folder of the temporary files, where the go command
// leaves alone what is up to date.
package programs

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// runVariable names the present run of "make test". Sources don't change during
// one, so that each program is built once in it, whoever asks.
const runVariable = "SVC_TEST_RUN"

var (
	mu    sync.Mutex             // guards built
	built = map[string]outcome{} // by package
)

type outcome struct {
	path string
	err  error
}

// Build builds a program of ours, named by its folder in the repository as in
// "cmd/svc-shim", as a file that needs no other, and returns its path. Every user
// of the machine can run it. What it is built beside lies beside it.
func Build(t testing.TB, folder string) string {
	t.Helper()
	path, err := Path(folder)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Path is Build for what is no test.
func Path(folder string) (string, error) {
	mu.Lock()
	defer mu.Unlock()
	b, ok := built[folder]
	if !ok {
		if b.path, b.err = build(folder); b.err != nil {
			b.err = fmt.Errorf("building %s: %w", folder, b.err)
		}
		built[folder] = b
	}
	return b.path, b.err
}

// build returns the path of the built program. Of several processes one builds.
func build(folder string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	dir, err := programsDir(root)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, filepath.Base(folder))
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", err
	}
	defer lock.Close() // lets go of it
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("waiting for another build: %w", err)
	}
	run := os.Getenv(runVariable)
	if last, err := os.ReadFile(path + ".run"); err == nil && run != "" && string(last) == run {
		return path, nil
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./"+folder)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	if run == "" {
		return path, nil
	}
	return path, errors.Join(os.WriteFile(path+".run", []byte(run), 0o644), note(root, folder))
}

// note counts a build for docs/testing.md.
func note(root, folder string) error {
	dir := filepath.Join(root, "test", "output")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "builds"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, folder)
	return errors.Join(err, f.Close())
}

// programsDir returns the folder of the checkout's built programs. The checkout itself may
// be closed to other users.
func programsDir(root string) (string, error) {
	sum := sha256.Sum256([]byte(root))
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("svc-programs-%d-%x", os.Geteuid(), sum[:4]))
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(stat.Uid) != os.Geteuid() {
		return "", fmt.Errorf("%s is someone else's", dir)
	}
	return dir, os.Chmod(dir, 0o755)
}

// Root returns the repository's folder.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("no go.mod above the working directory")
}
