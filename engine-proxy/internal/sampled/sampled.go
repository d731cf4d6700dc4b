// Package sampled bounds what an engine can make the log take.
package sampled

import (
	"sync"
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
	// messages bounds how many of them are counted at a time.
	messages = 256
)

// Logger returns a logger for what one engine makes happen, which may be as often
// as it likes. Each call returns one with a count of its own, which takes 100 bytes a
// message that is logged: zap's own sampler takes 458 KiB, a third of what is needed
// for an engine.
func Logger(log *zap.Logger) *zap.Logger {
	return log.WithOptions(zap.WrapCore(func(inner zapcore.Core) zapcore.Core {
		return core{inner, &counts{of: make(map[message]count)}}
	}))
}

// message is what is counted.
type message struct {
	level zapcore.Level
	text  string
}

// count is how often a message came since a moment.
type count struct {
	since time.Time
	n     int
}

type counts struct {
	mu sync.Mutex // guards of
	of map[message]count
}

// take reports whether the log takes an entry.
func (c *counts) take(e zapcore.Entry) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := message{e.Level, e.Message}
	so, counted := c.of[key]
	if !counted && len(c.of) == messages {
		clear(c.of)
	}
	if passed := e.Time.Sub(so.since); passed >= span || passed < 0 {
		so = count{since: e.Time}
	}
	so.n++
	c.of[key] = so
	return so.n <= first || (so.n-first)%thereafter == 0
}

type core struct {
	zapcore.Core
	counts *counts
}

// With implements zapcore.Core.
func (c core) With(fields []zapcore.Field) zapcore.Core { return core{c.Core.With(fields), c.counts} }

// Check implements zapcore.Core.
func (c core) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if !c.Enabled(e.Level) || !c.counts.take(e) {
		return to
	}
	return c.Core.Check(e, to)
}

// Interface guards
var _ zapcore.Core = core{}
