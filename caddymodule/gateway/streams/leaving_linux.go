package streams

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// leaving tells of all connections, with one goroutine, that the other side ended them.
// One that reads each would take as much memory as the rest of a stream.
var leaving departures

type departures struct {
	start sync.Once
	err   error // of the start
	poll  int   // the kernel's list

	mu    sync.Mutex // guards the following fields
	last  uint64
	leave map[uint64]func() // by what the kernel calls a connection
}

func (d *departures) watch(file syscall.RawConn, leave func()) (unwatch func(), err error) {
	d.start.Do(func() {
		d.leave = make(map[uint64]func())
		if d.poll, d.err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); d.err == nil {
			go d.run()
		}
	})
	if d.err != nil {
		return nil, fmt.Errorf("watching connections: %w", d.err)
	}
	d.mu.Lock()
	d.last++
	id := d.last
	d.leave[id] = leave
	d.mu.Unlock()
	event := unix.EpollEvent{Events: unix.EPOLLRDHUP | unix.EPOLLONESHOT, Fd: int32(uint32(id)), Pad: int32(uint32(id >> 32))}
	control := func(op int) (err error) {
		outer := file.Control(func(fd uintptr) { err = unix.EpollCtl(d.poll, op, int(fd), &event) })
		return errors.Join(outer, err)
	}
	if err := control(unix.EPOLL_CTL_ADD); err != nil {
		d.take(id)
		return nil, fmt.Errorf("watching a connection: %w", err)
	}
	return func() {
		_ = control(unix.EPOLL_CTL_DEL) // the kernel forgets one that is closed by itself
		d.take(id)
	}, nil
}

// take returns whom to tell about a connection, once.
func (d *departures) take(id uint64) func() {
	d.mu.Lock()
	defer d.mu.Unlock()
	leave := d.leave[id]
	delete(d.leave, id)
	return leave
}

// run tells as long as the process lives.
func (d *departures) run() {
	events := make([]unix.EpollEvent, 128)
	for {
		n, err := unix.EpollWait(d.poll, events, -1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return // the list is gone, which nobody does
		}
		for _, e := range events[:max(n, 0)] {
			if leave := d.take(uint64(uint32(e.Fd)) | uint64(uint32(e.Pad))<<32); leave != nil {
				leave()
			}
		}
	}
}
