//go:build !linux

package streams

import (
	"errors"
	"syscall"
)

// leaving can't tell here.
var leaving departures

type departures struct{}

func (departures) watch(syscall.RawConn, func()) (func(), error) { return nil, errors.ErrUnsupported }
