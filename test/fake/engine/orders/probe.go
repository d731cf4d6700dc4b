package orders

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// What an engine can try. Each answers with an error when it is kept from it.
const (
	Read     = "read"     // a file
	List     = "list"     // a directory
	Write    = "write"    // to a file, making it
	Truncate = "truncate" // a file
	Link     = "link"     // a file, by another name in the volume
	Rename   = "rename"   // a file to another name beside it
	Dial     = "dial"     // a Unix socket
	Abstract = "abstract" // a Unix socket without a file
	TCP      = "tcp"      // connect to an address
	Listen   = "listen"   // listen on a TCP address
	UDP      = "udp"      // send a datagram to an address
	Raw      = "raw"      // open a packet socket
	Signal   = "signal"   // a process
	Trace    = "trace"    // a process
	Exec     = "exec"     // a program
	Root     = "root"     // become root
	Mount    = "mount"    // a file system
	Unshare  = "unshare"  // become root of a user namespace
	Chown    = "chown"    // a file to root
	Chmod    = "chmod"    // a file to nothing
	Limit    = "limit"    // the open files of a process
)

// dialLimit bounds the probes that a network could keep waiting.
const dialLimit = 2 * time.Second

var probes = map[string]func(arg string) error{
	Read:  func(path string) error { _, err := os.ReadFile(path); return err },
	List:  func(path string) error { _, err := os.ReadDir(path); return err },
	Write: func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
	Truncate: func(path string) error {
		return os.Truncate(path, 0)
	},
	Link:   func(path string) error { return os.Link(path, "link-of-the-probe") },
	Rename: func(path string) error { return os.Rename(path, path+".moved") },
	Dial:   dial("unix"),
	Abstract: func(name string) error {
		return dial("unix")("@" + name)
	},
	TCP: dial("tcp"),
	Listen: func(address string) error {
		l, err := net.Listen("tcp", address)
		if err == nil {
			err = l.Close()
		}
		return err
	},
	UDP: func(address string) error {
		c, err := net.DialTimeout("udp", address, dialLimit)
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.Write([]byte("x"))
		return err
	},
	Raw: func(string) error {
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
		if err == nil {
			err = unix.Close(fd)
		}
		return err
	},
	// Signal 0 is sent to no one, but needs the same permission.
	Signal: onProcess(func(pid int) error { return syscall.Kill(pid, 0) }),
	Trace:  onProcess(func(pid int) error { return unix.PtraceSeize(pid) }),
	Exec:   func(path string) error { return exec.Command(path).Start() },
	Root:   func(string) error { return unix.Setresuid(0, 0, 0) },
	Mount: func(string) error {
		return unix.Mount("none", "/tmp", "tmpfs", 0, "")
	},
	Unshare: func(string) error {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), roleVariable+"="+roleSleeper)
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
		if err := cmd.Start(); err != nil {
			return err
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil
	},
	Chown: func(path string) error { return os.Chown(path, 0, 0) },
	Chmod: func(path string) error { return os.Chmod(path, 0) },
	Limit: onProcess(func(pid int) error {
		var now unix.Rlimit
		if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &now); err != nil {
			return err
		}
		return unix.Prlimit(pid, unix.RLIMIT_NOFILE, &now, nil)
	}),
}

func (p Probe) try(more map[string]func(arg string) error) error {
	f, ok := probes[p.What]
	if !ok {
		f, ok = more[p.What]
	}
	if !ok {
		return fmt.Errorf("there is no probe %q", p.What)
	}
	return f(p.Arg)
}

func dial(network string) func(string) error {
	return func(address string) error {
		c, err := net.DialTimeout(network, address, dialLimit)
		if err == nil {
			err = c.Close()
		}
		return err
	}
}

func onProcess(f func(int) error) func(string) error {
	return func(arg string) error {
		pid, err := strconv.Atoi(arg)
		if err != nil {
			return err
		}
		return f(pid)
	}
}
