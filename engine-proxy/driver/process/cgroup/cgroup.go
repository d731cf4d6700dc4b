// Package cgroup bounds what engines use by version 2 control groups, in a
// subtree that was delegated to the service.
package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Limits of one group; zero fields are no limit.
type Limits struct {
	Memory int64 // bytes, swap included
	PIDs   int64
	CPU    int64 // thousandths of a core
}

// cpuPeriod is the time, in microseconds, over which CPU is counted.
const cpuPeriod = 100_000

// Tree is a delegated group whose children are engines' groups. It holds no
// process itself.
type Tree struct{ dir string }

// Open takes a delegated group and turns on the controllers for its children.
func Open(dir string) (*Tree, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return nil, fmt.Errorf("opening cgroup: %w: it must be a delegated group of cgroup version 2", err)
	}
	have := strings.Fields(string(raw))
	var enable []string
	for _, controller := range []string{"memory", "pids", "cpu"} {
		if !slices.Contains(have, controller) {
			return nil, fmt.Errorf("opening cgroup %s: the controller %s is not delegated", dir, controller)
		}
		enable = append(enable, "+"+controller)
	}
	err = set(filepath.Join(dir, "cgroup.subtree_control"), strings.Join(enable, " "))
	if errors.Is(err, unix.EBUSY) {
		err = fmt.Errorf("%w: it must hold no process itself", err)
	}
	if err != nil {
		return nil, fmt.Errorf("turning on controllers: %w", err)
	}
	return &Tree{dir: dir}, nil
}

// Make makes an empty group with limits and returns its directory. One that an
// earlier engine left is emptied first.
func (t *Tree) Make(name string, l Limits) (string, error) {
	dir := filepath.Join(t.dir, name)
	if err := Remove(dir); err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", fmt.Errorf("making cgroup: %w", err)
	}
	if err := limit(dir, l); err != nil {
		return "", errors.Join(err, Remove(dir))
	}
	return dir, nil
}

// limit sets a group's limits.
func limit(dir string, l Limits) error {
	for _, s := range []struct {
		limited     bool
		file, value string
	}{
		{l.Memory > 0, "memory.max", strconv.FormatInt(l.Memory, 10)},
		{l.Memory > 0, "memory.swap.max", "0"},
		{l.Memory > 0, "memory.oom.group", "1"},
		{l.PIDs > 0, "pids.max", strconv.FormatInt(l.PIDs, 10)},
		{l.CPU > 0, "cpu.max", fmt.Sprintf("%d %d", l.CPU*cpuPeriod/1000, cpuPeriod)},
	} {
		if !s.limited {
			continue
		}
		err := set(filepath.Join(dir, s.file), s.value)
		if s.file == "memory.swap.max" && errors.Is(err, fs.ErrNotExist) {
			continue // a kernel without swap
		}
		if err != nil {
			return fmt.Errorf("setting limit: %w", err)
		}
	}
	return nil
}

// set writes to a file of the kernel's, which exists.
func set(path, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// Kill kills every process in a group and below it, without a race.
func Kill(dir string) error {
	if err := set(filepath.Join(dir, "cgroup.kill"), "1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("killing cgroup: %w", err)
	}
	return nil
}

// OOMKilled reports whether the kernel ended a process of the group because it
// took too much memory.
func OOMKilled(dir string) bool {
	raw, err := os.ReadFile(filepath.Join(dir, "memory.events"))
	if err != nil {
		return false
	}
	for line := range bytes.Lines(raw) {
		if count, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("oom_kill ")); ok {
			return string(count) != "0"
		}
	}
	return false
}

// Processes that were killed take a moment to leave their group.
const (
	leaveTries = 100
	leavePause = 20 * time.Millisecond
)

// Remove kills what is in a group and removes it. It is nil for one that is
// not there.
func Remove(dir string) error {
	for range leaveTries {
		if err := Kill(dir); err != nil {
			return err
		}
		err := unix.Rmdir(dir)
		if err == nil || errors.Is(err, unix.ENOENT) {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) {
			return fmt.Errorf("removing cgroup: %w", err)
		}
		time.Sleep(leavePause)
	}
	return fmt.Errorf("removing cgroup %s: its processes do not go", dir)
}
