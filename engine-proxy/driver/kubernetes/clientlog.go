package kubernetes

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"
	"go.uber.org/zap"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// clientSays is the log of the driver that was made last; nil when all are
// closed. client-go has one for the whole process.
var clientSays atomic.Pointer[zap.Logger]

// Nothing may log while this is set. Unless it is, client-go writes to standard
// error.
func init() { klog.SetLogger(logr.New(clientLog{})) }

// clientLog takes what client-go says of its own accord. What it says of a call
// is in the error of that call.
type clientLog struct{ details []zap.Field }

// Init implements logr.LogSink.
func (clientLog) Init(logr.RuntimeInfo) {}

// Enabled implements logr.LogSink. What is less important than the rest may
// hold whole requests.
func (clientLog) Enabled(level int) bool { return level == 0 }

// Info implements logr.LogSink.
func (l clientLog) Info(_ int, msg string, keysAndValues ...any) {
	if log := clientSays.Load(); log != nil {
		log.Info("the Kubernetes client says", zap.String("said", msg), zap.Dict("details", l.with(keysAndValues)...))
	}
}

// Error implements logr.LogSink. client-go tries again by itself.
func (l clientLog) Error(err error, msg string, keysAndValues ...any) {
	if log := clientSays.Load(); log != nil {
		log.Warn("the Kubernetes client says", zap.String("said", msg), zap.Error(err), zap.Dict("details", l.with(keysAndValues)...))
	}
}

// WithValues implements logr.LogSink.
func (l clientLog) WithValues(keysAndValues ...any) logr.LogSink {
	return clientLog{details: l.with(keysAndValues)}
}

// WithName implements logr.LogSink.
func (l clientLog) WithName(string) logr.LogSink { return l }

func (l clientLog) with(keysAndValues []any) []zap.Field {
	all := append([]zap.Field(nil), l.details...)
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		all = append(all, zap.String(fmt.Sprint(keysAndValues[i]), fmt.Sprint(keysAndValues[i+1])))
	}
	return all
}

// mostWarnings is how many different warnings of an API server are logged.
const mostWarnings = 100

// warnings logs what the API server warns of, each warning once: it comes with
// every request of its kind.
type warnings struct {
	log *zap.Logger

	mu   sync.Mutex // guards seen, and orders what is logged
	seen map[string]struct{}
}

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock() // when it returns, the warning is in the log
	if _, again := w.seen[text]; again || len(w.seen) >= mostWarnings {
		return
	}
	w.seen[text] = struct{}{}
	w.log.Warn("the API server warns", zap.String("warning", text))
}

// Interface guards
var (
	_ logr.LogSink                   = clientLog{}
	_ rest.WarningHandlerWithContext = (*warnings)(nil)
)
