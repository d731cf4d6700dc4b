package host

import (
	"fmt"

	"github.com/svc-games/svc/engine-proxy/fleet"
)

// What a stop of the service does with engines.
const (
	StopIdle = "idle" // those without work are stopped, the others finish and are adopted
	StopAll  = "all"  // all are stopped; a running job fails as engine_restarted
	StopNone = "none" // all are left, and adopted at the next start
)

// StopMode reads what a stop of the service does with engines.
func StopMode(s string) (fleet.CloseMode, error) {
	switch s {
	case StopIdle:
		return fleet.StopIdle, nil
	case StopAll:
		return fleet.StopAll, nil
	case StopNone:
		return fleet.KeepEngines, nil
	}
	return 0, fmt.Errorf("engines: stop_on_exit must be idle, all or none, is %q", s)
}
