package remote

import (
	"context"
	"net/http"
	"time"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/peer"
)

// healthTimeout bounds a probe.
const healthTimeout = 5 * time.Second

// NewHealthHandler answers probes: 200 when engines can be started, 503 with the
// problems when not.
func NewHealthHandler(e engineproxy.Engines) http.Handler {
	return peer.HealthHandler(func(ctx context.Context) []string {
		ctx, cancel := context.WithTimeout(ctx, healthTimeout)
		defer cancel()
		problems, err := e.Problems(ctx)
		if err != nil {
			return []string{"the engine proxy does not answer"}
		}
		return problems
	})
}
