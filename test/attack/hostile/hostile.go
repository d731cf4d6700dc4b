// Package hostile is what an engine that was taken over tries: each order is one
// attempt, which returns nil when it got through.
package hostile

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Orders are all attempts, by name. What an attempt is made on is its argument.
func Orders() map[string]func(arg string) error {
	all := make(map[string]func(string) error)
	for _, part := range []map[string]func(string) error{onFiles, onSockets, onMemory, onProcesses, onKernel, onPrograms} {
		maps.Copy(all, part)
	}
	return all
}

// call makes a system call whose success is what is tried. What the kernel takes
// exception to in the arguments alone shows that it would have done it.
func call(number uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	_, _, e := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	switch e {
	case 0, unix.EFAULT, unix.EINVAL, unix.EBADF, unix.ENOENT, unix.ESRCH:
		return nil
	default:
		return e
	}
}

// calls is an attempt that is one system call.
func calls(number uintptr, args ...uintptr) func(string) error {
	return func(string) error { return call(number, args...) }
}

// pointer is the address of what a system call reads or writes.
func pointer[T any](to *T) uintptr { return uintptr(unsafe.Pointer(to)) }

// text is a string as the kernel reads it.
func text(s string) (uintptr, func()) {
	raw := append([]byte(s), 0)
	return uintptr(unsafe.Pointer(&raw[0])), func() { runtime.KeepAlive(raw) }
}

// onPath is an attempt that is one system call on the file that is its argument.
func onPath(number uintptr, args func(path uintptr) []uintptr) func(string) error {
	return func(path string) error {
		p, keep := text(path)
		defer keep()
		var a [6]uintptr
		copy(a[:], args(p))
		if _, _, e := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); e != 0 {
			return e
		}
		return nil
	}
}

// each makes several attempts and fails when all of them do.
func each(attempts ...func() error) error {
	var failed error
	for _, attempt := range attempts {
		err := attempt()
		if err == nil {
			return nil
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// none says that an attempt can't be made here, which is no success.
func none(format string, args ...any) error { return fmt.Errorf("not tried: "+format, args...) }
