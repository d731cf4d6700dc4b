// Package child starts programs that end with the test that started them, however
// that ends: a test binary that is killed, or that runs out of time, stops nothing.
package child

import (
	"cmp"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// Start is cmd.Start, and has the kernel kill the program when this process ends,
// or send it the signal that cmd.SysProcAttr.Pdeathsig names. What the program starts
// itself is left alone.
func Start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = cmp.Or(cmd.SysProcAttr.Pdeathsig, syscall.SIGKILL)
	started := make(chan error, 1)
	thread() <- func() { started <- cmd.Start() }
	return <-started
}

// thread does what it is sent on a thread that lasts as long as the process: the
// signal comes when the thread ends that started the program.
var thread = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})
