// Package point lets a test build of a program die, or wait, at a named point.
package point

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Variables that tell a program where to die.
const (
	// DieEnv is NAME=PASSAGE: the process kills itself when it passes the point
	// for that time.
	DieEnv = "SVC_RIG_DIE"
	// HoldEnv is NAME=FILE: the process waits at the point while the file is
	// there, and makes FILE.held when it does.
	HoldEnv = "SVC_RIG_HOLD"
	// DeathsEnv names the file to which a dying process adds the point's name.
	DeathsEnv = "SVC_RIG_DEATHS"
)

var passed struct {
	sync.Mutex
	times int64
}

// Pass dies or waits when this is the point to do so at.
func Pass(name string) {
	if at, passage, _ := strings.Cut(os.Getenv(DieEnv), "="); at == name {
		passed.Lock()
		passed.times++
		n := passed.times
		passed.Unlock()
		if want, err := strconv.ParseInt(passage, 10, 64); err == nil && n == want {
			Die(os.Getenv(DeathsEnv), name)
		}
	}
	if at, file, _ := strings.Cut(os.Getenv(HoldEnv), "="); at == name {
		hold(file)
	}
}

// Around passes a point before do, and one after it.
func Around(before, after string, do func() error) error {
	Pass(before)
	err := do()
	Pass(after)
	return err
}

// Die kills the process as the kernel would for want of memory, and leaves the
// name of the point in a file.
func Die(deaths, name string) {
	if f, err := os.OpenFile(deaths, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = fmt.Fprintln(f, name) // a death that is not noted counts for nothing
		_ = f.Close()
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // until the signal is there
}

// Held reports whether the process waits at a point.
func Held() bool {
	_, file, found := strings.Cut(os.Getenv(HoldEnv), "=")
	if !found {
		return false
	}
	_, held := os.Stat(file + ".held")
	_, gone := os.Stat(file)
	return held == nil && gone == nil
}

func hold(file string) {
	if _, err := os.Stat(file); err != nil {
		return
	}
	_ = os.WriteFile(file+".held", nil, 0o600)
	for {
		if _, err := os.Stat(file); err != nil {
			return
		}
		time.Sleep(5 * time.Millisecond) // nothing else tells that a file went away
	}
}
