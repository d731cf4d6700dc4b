package rig

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-games/svc/test/wait"
)

// showEngineLogs shows the ends of the engines' logs.
func (g *Gateway) showEngineLogs() {
	logs, err := filepath.Glob(filepath.Join(g.Dir, "engines/*/*.log"))
	if err != nil {
		g.t.Error(err)
	}
	for _, path := range logs {
		if raw, err := os.ReadFile(path); err == nil {
			g.t.Logf("%s:\n%s", path, tail(string(raw)))
		}
	}
}

// Engines returns the process ids of the engines that work on the data directory.
func (g *Gateway) Engines() []int { return EnginesOf(g.Dir) }

// EnginesOf finds the engines of a data directory by their command lines.
func EnginesOf(dir string) []int {
	var pids []int
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil // the pattern is well formed
	}
	for _, path := range lines {
		line, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(line, []byte("--instance")) || !bytes.Contains(line, []byte(dir+"/")) {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(path, "/proc/%d/", &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killEngines ends the engines of a data directory, which outlive the service on
// purpose, and waits until they are gone.
func killEngines(t testing.TB, dir string) error {
	var once sync.Once
	return wait.Poll(context.WithoutCancel(t.Context()), wait.Patience, func() bool {
		pids := EnginesOf(dir)
		once.Do(func() {
			for _, pid := range pids {
				if p, err := os.FindProcess(pid); err == nil {
					_ = p.Kill() // it may be gone already
				}
			}
		})
		return len(pids) == 0
	})
}
