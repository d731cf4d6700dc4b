package process

import (
	"sync"

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
	"github.com/svc-games/svc/engine-proxy/internal/calls"
)

// unlisted are the system calls that engines tried and may not use. Each is worth
// one word: either an engine was taken over, or a program needs more than is
// listed.
type unlisted struct {
	mu    sync.Mutex
	noted map[int]bool // guarded by mu
}

// note logs what of a record was never noted before.
func (u *unlisted) note(logger *zap.Logger, r shim.Record) {
	if len(r.Unlisted) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, number := range r.Unlisted {
		if u.noted[number] {
			continue
		}
		if u.noted == nil {
			u.noted = make(map[int]bool)
		}
		u.noted[number] = true
		logger.Warn("engine tried a system call that is not listed", zap.String("call", calls.Name(number)),
			zap.Int("number", number), zap.String("project", r.ProjectID))
	}
}
