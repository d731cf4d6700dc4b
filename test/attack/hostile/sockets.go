package hostile

import (
	"errors"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// dialLimit bounds an attempt that a network could keep waiting.
const dialLimit = 2 * time.Second

// socket opens a socket of a kind.
func socket(family, kind int) func(string) error {
	return func(string) error {
		fd, err := unix.Socket(family, kind, 0)
		if err == nil {
			err = unix.Close(fd)
		}
		return err
	}
}

// pair opens two that are connected.
func pair(kind int) func(string) error {
	return func(string) error {
		fds, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
		if err != nil {
			return err
		}
		return errors.Join(unix.Close(fds[0]), unix.Close(fds[1]))
	}
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

// onSockets are attempts to reach someone. An argument is a socket's path, its
// name without a file, or an address.
var onSockets = map[string]func(string) error{
	"open an IPv4 socket":           socket(unix.AF_INET, unix.SOCK_STREAM),
	"open an IPv6 socket":           socket(unix.AF_INET6, unix.SOCK_STREAM),
	"open a datagram socket":        socket(unix.AF_INET, unix.SOCK_DGRAM),
	"open a raw socket":             socket(unix.AF_INET, unix.SOCK_RAW),
	"open a packet socket":          socket(unix.AF_PACKET, unix.SOCK_RAW),
	"open a netlink socket":         socket(unix.AF_NETLINK, unix.SOCK_RAW),
	"open a socket to the host":     socket(unix.AF_VSOCK, unix.SOCK_STREAM),
	"open a cipher's socket":        socket(unix.AF_ALG, unix.SOCK_SEQPACKET),
	"open a Bluetooth socket":       socket(unix.AF_BLUETOOTH, unix.SOCK_RAW),
	"open a key socket":             socket(unix.AF_KEY, unix.SOCK_RAW),
	"open an XDP socket":            socket(unix.AF_XDP, unix.SOCK_RAW),
	"open a Unix datagram socket":   socket(unix.AF_UNIX, unix.SOCK_DGRAM),
	"open a pair for datagrams":     pair(unix.SOCK_DGRAM),
	"connect to a socket":           dial("unix"),
	"connect to one in packets":     dial("unixpacket"),
	"connect to one without a file": func(name string) error { return dial("unix")("@" + name) },
	"connect to an address":         dial("tcp"),
	"send a datagram": func(path string) error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrUnix{Name: path})
	},
	"send a datagram by a pair": func(path string) error {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fds[0])
		defer unix.Close(fds[1])
		return unix.Sendto(fds[0], []byte("x"), 0, &unix.SockaddrUnix{Name: path})
	},
	"send a packet": func(path string) error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrUnix{Name: path})
	},
	"read the sockets of others":     sockets("unix"),
	"read the connections of others": sockets("tcp"),
}

// sockets reads what the kernel tells of the machine's sockets; of a network of
// one's own it tells nothing but one's own.
func sockets(kind string) func(string) error {
	return func(path string) error {
		return each(func() error { return mentions("/proc/self/net/"+kind, path) },
			func() error { return mentions("/proc/thread-self/net/"+kind, path) },
			func() error { return mentions("/proc/1/net/"+kind, path) },
			func() error { return mentions("/proc/net/"+kind, path) })
	}
}

var errNothing = errors.New("nothing of others is in it")

func mentions(file, what string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !strings.Contains(string(raw), what) {
		return errNothing
	}
	return nil
}
