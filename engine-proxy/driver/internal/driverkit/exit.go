package driverkit

import "github.com/svc-games/svc/engine-proxy/driver"

// ExitOf is the end of a container whose init process ended with a code: that of
// the engine, or 128 and the number of the signal that ended it.
func ExitOf(code int) *driver.Exit {
	const signalled, signals = 128, 64
	if signal := code - signalled; signal > 0 && signal <= signals {
		return &driver.Exit{Code: -1, Signal: signal, Reason: driver.ReasonKilled}
	}
	return &driver.Exit{Code: code, Reason: driver.ReasonExited}
}
