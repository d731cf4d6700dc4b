package sim

import (
	"context"
	"errors"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/dop251/goja"
)

// maxHeap is how much memory the engine may come to hold, in bytes, while a
// game is simulated. The machine itself knows no bound, and a game that someone
// changed may ask for more and more.
const maxHeap = 384 << 20

// lookEvery is the pause between two looks at the memory.
const lookEvery = 50 * time.Millisecond

// errTooLarge ends a simulation that takes too much memory.
var errTooLarge = errors.New("the game takes too much memory")

// run runs f with the machine, which stops when ctx ends or the memory grows too
// large. JavaScript runs outside of calls too, as the getter of what is read: what
// it throws there, and its interruption, panics, and is an error of run's.
func (m *machine) run(ctx context.Context, f func() error) (err error) {
	defer interruptible(ctx, m.vm)()
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *goja.InterruptedError:
			err = ended(ctx, p)
		default:
			panic(p)
		}
	}()
	if thrown := m.vm.Try(func() { err = f() }); thrown != nil {
		return thrown
	}
	return err
}

// interruptible stops the machine when ctx ends or the memory grows too large,
// until stop is called.
func interruptible(ctx context.Context, vm *goja.Runtime) (stop func()) {
	vm.ClearInterrupt()
	done := make(chan struct{})
	undo := context.AfterFunc(ctx, func() { vm.Interrupt(ctx.Err()) })
	go func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if heap() <= maxHeap {
					continue
				}
				if runtime.GC(); heap() > maxHeap { // garbage does not count
					vm.Interrupt(errTooLarge)
				}
			}
		}
	}()
	return func() {
		undo()
		close(done)
	}
}

// heap returns how many bytes the process's objects take.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// ended returns why a machine was interrupted: ctx's error, or the memory.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var interrupted *goja.InterruptedError
	if errors.As(err, &interrupted) && interrupted.Value() == errTooLarge {
		return errTooLarge
	}
	return err
}
