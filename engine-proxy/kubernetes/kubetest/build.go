package kubetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Where the programs of the control plane come from.
const (
	toolsFolder = "test/kubernetes"
	toolAPI     = "k8s.io/kubernetes/cmd/kube-apiserver"
	toolEtcd    = "go.etcd.io/etcd/server/v3"
)

// tool returns the path of a program of the control plane in dir. The go command
// builds it once and keeps it in its cache, from which another go command may
// take it away while we run it.
func tool(pkg, dir string) (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the repository: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(out)))
	cmd := exec.Command("go", "tool", "-n", pkg)
	cmd.Dir = filepath.Join(root, filepath.FromSlash(toolsFolder))
	out, err = cmd.Output()
	if err != nil {
		return "", fmt.Errorf("building %s: %w%s", pkg, err, words(err))
	}
	cached := strings.TrimSpace(string(out))
	path := filepath.Join(dir, "tools", filepath.Base(cached))
	if err := os.MkdirAll(filepath.Dir(path), 0o711); err != nil {
		return "", err
	}
	if os.Link(cached, path) == nil {
		return path, nil
	}
	program, err := os.ReadFile(cached) // the cache is on another file system
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, program, 0o700)
}

// Program builds one of our programs as a file that needs no other, once for
// the cluster, and returns its path.
func (c *Cluster) Program(t testing.TB, pkg string) string {
	t.Helper()
	c.building.Lock()
	defer c.building.Unlock()
	path := filepath.Join(c.dir, "bin", filepath.Base(pkg))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if err := build(path, pkg); err != nil {
		t.Fatal(err)
	}
	return path
}

// build builds as "make build" does it, so that what it needs is in the cache.
func build(path, pkg string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// words is what a command that failed said.
func words(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return ": " + string(exit.Stderr)
	}
	return ""
}
