package host

import (
	"fmt"

	engineproxy "github.com/svc-games/svc/engine-proxy"
)

// What a stop of the service does with engines.
const (
	StopIdle = "idle" // those without work are stopped, the others finish and are adopted
	StopAll  = "all"  // all are stopped; a running job fails as engine_restarted
	StopNone = "none" // all are left, and adopted at the next start
)

// StopMode reads what a stop of the service does with engines.
func StopMode(s string) (engineproxy.CloseMode, error) {
	switch s {
	case StopIdle:
		return engineproxy.StopIdle, nil
	case StopAll:
		return engineproxy.StopAll, nil
	case StopNone:
		return engineproxy.KeepEngines, nil
	}
	return 0, fmt.Errorf("engines: stop_on_exit must be idle, all or none, is %q", s)
}
