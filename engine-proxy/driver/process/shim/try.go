package shim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
)

// Try finds out whether programs can be given a root and namespaces of their
// own here, by running the shim at path, and what makes it so. The error says
// what is in the way.
func Try(ctx context.Context, path, scratch string) (confine.Right, error) {
	right := confine.ByUser
	if os.Geteuid() == 0 {
		right = confine.ByAdmin // engines keep users of their own, which a user namespace of ours has not
	}
	cmd := exec.CommandContext(ctx, path, commandTry, scratch)
	cmd.Env = []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	Isolate(cmd.SysProcAttr, right)
	cmd.SysProcAttr.Cloneflags |= confine.Namespaces
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return confine.NoRight, fmt.Errorf("by %s: %w: %s", right, err, bytes.TrimSpace(said.Bytes()))
	}
	return right, nil
}

// Isolate makes a shim the first of a namespace of processes: when it ends, the
// kernel ends all of them.
func Isolate(attr *syscall.SysProcAttr, right confine.Right) {
	switch right {
	case confine.NoRight:
		return
	case confine.ByUser:
		// Who has a right by a namespace alone mounts in a namespace of its own alone.
		attr.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		// What it takes to make an engine's namespaces. The engine gets none.
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	}
	attr.Cloneflags |= unix.CLONE_NEWPID
}

// try does what Try asks for.
func try(scratch string) error {
	self, err := filepath.EvalSymlinks("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("finding program: %w", err)
	}
	_, err = confine.Thread(confine.Options{
		Files: &confine.Files{Own: []string{scratch}, Programs: []string{self}}, OwnRoot: true, Dir: scratch,
	})
	if err != nil {
		return err
	}
	if _, err := os.Stat(self); err != nil {
		return errors.New("the program is not in its root")
	}
	return nil
}
