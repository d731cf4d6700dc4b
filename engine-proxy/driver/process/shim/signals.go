package shim

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// lastSignal is the highest number of a signal.
const lastSignal = 64

// sigaction is struct sigaction of the kernel, with room for the fields behind
// the handler in any order.
type sigaction struct {
	handler uintptr // sigDefault, sigIgnore, or a function
	_       [7]uint64
}

const (
	sigDefault = 0
	sigIgnore  = 1
)

// sigsetBytes is the size of a set of signals.
const sigsetBytes = 8

// freshSignals gives every signal its default again and blocks none. execve
// keeps what a parent of the engine proxy ignored or blocked, and the Go runtime
// leaves some of that as it is: SIGHUP and SIGINT as nohup sets them, job
// control's, the first real-time ones. The caller is locked to its thread.
func freshSignals() error {
	for n := uintptr(1); n <= lastSignal; n++ {
		var now sigaction
		if err := rtSigaction(n, nil, &now); err != nil {
			return fmt.Errorf("reading what signal %d does: %w", n, err)
		}
		if now.handler != sigIgnore {
			continue // a handler of ours ends with execve
		}
		if err := rtSigaction(n, &sigaction{handler: sigDefault}, nil); err != nil {
			return fmt.Errorf("resetting signal %d: %w", n, err)
		}
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &unix.Sigset_t{}, nil); err != nil {
		return fmt.Errorf("unblocking signals: %w", err)
	}
	return nil
}

func rtSigaction(signal uintptr, set, was *sigaction) error {
	_, _, e := unix.RawSyscall6(unix.SYS_RT_SIGACTION, signal, uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(was)), sigsetBytes, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}
