package kubetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Where the programs of the control plane come from, and what renders its manifests.
const (
	toolsFolder   = "test/kubernetes"
	toolAPI       = "k8s.io/kubernetes/cmd/kube-apiserver"
	toolEtcd      = "go.etcd.io/etcd/server/v3"
	toolKustomize = "sigs.k8s.io/kustomize/kustomize/v5"
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
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "CGO_ENABLED=0") // as "make control-plane" does, so that it is in the cache
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

// words is what a command that failed said.
func words(err error) string {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return ": " + string(exit.Stderr)
	}
	return ""
}
