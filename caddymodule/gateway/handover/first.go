package handover

import (
	"context"
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// firstAlone has the first of the sockets that listen on an address get all connections,
// so that those which the following servers open and Wrap closes never have any. A socket
// on an address that can't be shared needs no such thing.
func firstAlone(address net.Addr) error {
	// The program that chooses is that of all sockets on the port, whichever sets it.
	// Go's own are of MPTCP, which doesn't take it.
	plain := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error { return set(c, reuse) }}
	plain.SetMultipathTCP(false)
	network := "tcp" // both kinds of addresses, where it is [::]
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.To4() != nil {
		network = "tcp4" // as what listens there is
	}
	l, err := plain.Listen(context.Background(), network, address.String())
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil
	}
	if err != nil {
		return err
	}
	defer l.Close()
	c, err := l.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	return set(c, chooseFirst)
}

// set sets an option of a socket.
func set(c syscall.RawConn, option func(fd int) error) error {
	var refused error
	err := c.Control(func(fd uintptr) { refused = option(int(fd)) })
	return errors.Join(err, refused)
}

func reuse(fd int) error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) }

// chooseFirst sets the program "return 0", the index of the socket that was there first.
func chooseFirst(fd int) error {
	zero := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K}
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF, &unix.SockFprog{Len: 1, Filter: &zero})
}
