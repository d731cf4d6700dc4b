// Package sampled bounds what an engine can make the log take.
package sampled

import (
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// What the log takes of one message, at one level: the first so many of a
// minute, and then every so manieth.
const (
	span       = time.Minute
	first      = 10
	thereafter = 1000
)

// Logger returns a logger for what one engine makes happen, which may be as often
// as it likes. Each call returns one with a count of its own.
func Logger(log *zap.Logger) *zap.Logger {
	return log.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
		return zapcore.NewSamplerWithOptions(core, span, first, thereafter)
	}))
}
