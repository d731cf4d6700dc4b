package egress

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
)

// configured is a configuration with what follows from it. It is never changed:
// another one takes its place.
type configured struct {
	Config
	catalog catalog
}

func (c Config) configured() *configured { return &configured{c, c.catalog()} }

// now is the configuration as it was taken last.
func (e *Egress) now() *configured { return e.held.Load() }

// followed is what is known of a configuration's file.
type followed struct {
	mu      sync.Mutex // guards what follows; who does not get it goes on with what there is
	taken   stamp      // of what is in use
	refused stamp      // of what was complained of
	again   time.Time  // when that is read once more: prices may have come
}

// refusedFor is how long a file that can't be used is not read again, unless it changes.
const refusedFor = 30 * time.Second

// stamp tells one state of a file from another.
type stamp struct {
	at   time.Time
	size int64
}

// follow returns the configuration, after its file was read again if that has
// changed. What can't work, or lacks a price, is not taken: the former one stays.
func (e *Egress) follow(ctx context.Context) *configured {
	path := e.now().File
	if path == "" || !e.file.mu.TryLock() {
		return e.now()
	}
	defer e.file.mu.Unlock()
	var now stamp
	if info, err := os.Stat(path); err == nil {
		now = stamp{info.ModTime(), info.Size()}
	}
	if now == e.file.taken || now == e.file.refused && e.opts.Now().Before(e.file.again) {
		return e.now()
	}
	err := e.retake(ctx, path)
	if err == nil {
		e.file.taken = now
		return e.now()
	}
	if ctx.Err() != nil {
		return e.now() // it may be only that who asks has gone
	}
	e.file.again = e.opts.Now().Add(refusedFor)
	if now != e.file.refused {
		e.file.refused = now
		e.log.Error("the changed list of models can't be used; keeping the old one", zap.String("file", path), zap.Error(err))
	}
	return e.now()
}

// retake reads the file and takes what it says. What engines and calls hold on to
// stays as it was until a restart.
func (e *Egress) retake(ctx context.Context, path string) error {
	config, err := ReadConfig(path)
	if err != nil {
		return err
	}
	was, config := e.now(), config.withDefaults()
	if config.Timeout != was.Timeout || config.Concurrency != was.Concurrency || config.Record != was.Record {
		e.log.Warn("timeout, concurrency and record in the list of models need a restart to change", zap.String("file", path))
		config.Timeout, config.Concurrency, config.Record = was.Timeout, was.Concurrency, was.Record
	}
	if reflect.DeepEqual(config, was.Config) {
		return nil
	}
	holes, err := e.opts.Ledger.Unpriced(ctx, config.Units())
	if err != nil {
		return fmt.Errorf("asking for prices: %w", err)
	}
	if len(holes) > 0 {
		return fmt.Errorf("egress: %w: %s: add them to prices, with 0 if they are free", ErrUnpriced, strings.Join(holes, ", "))
	}
	next := config.configured()
	e.held.Store(next)
	e.log.Info("the changed list of models is in use", zap.String("file", path), zap.Int("models", len(next.catalog)))
	return nil
}
