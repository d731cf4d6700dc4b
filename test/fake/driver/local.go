package fakedriver

import (
	"context"
	"net"
	"os"
	"sync"
	"syscall"

	"github.com/svc-games/svc/engine-proxy/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

// Local is a driver of engines of this machine. It can be used in a bubble of
// testing/synctest: their sockets are made of channels.
type Local struct{ fake }

// NewLocal returns a driver without instances.
func NewLocal() *Local {
	d := new(Local)
	d.open(func(s driver.Spec) (fakeengine.Config, net.Listener, error) {
		token, err := os.ReadFile(s.TokenFile)
		return fakeengine.Config{
			ProjectID: s.ProjectID, InstanceID: s.InstanceID, Token: string(token), Volume: s.Volume,
		}, newPipeListener(), err
	})
	return d
}

// Computes implements driver.Sampler.
func (d *Local) Computes(_ context.Context, h driver.Handle) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, i, err := d.findLocked(h)
	return err == nil && d.faults.Computes[i.spec.ProjectID], err
}

// Dial connects to the engine that listens at a socket.
func (d *Local) Dial(ctx context.Context, _, socket string) (net.Conn, error) {
	d.mu.Lock()
	var l *pipeListener
	for _, i := range d.instances {
		if i.spec.Socket == socket && i.exit == nil {
			l = i.listener.(*pipeListener)
		}
	}
	d.mu.Unlock()
	if l == nil {
		return nil, &net.OpError{Op: "dial", Net: "unix", Err: syscall.ECONNREFUSED}
	}
	return l.dial(ctx)
}

// pipeListener is a socket within the test.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
	case <-ctx.Done():
	}
	return nil, &net.OpError{Op: "dial", Net: "unix", Err: syscall.ECONNREFUSED}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// Interface guards
var _ driver.Sampler = (*Local)(nil)
