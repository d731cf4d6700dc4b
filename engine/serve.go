package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/jobs"
)

const (
	headerTimeout = 10 * time.Second // for a request's header to arrive
	stopTimeout   = 2 * time.Second  // for answers under way when the engine stops
)

// Serve runs an engine until ctx ends, and then returns nil. It listens at
// once, and is ready when the volume is recovered and cfg.StartDelay is over. A
// job that runs when ctx ends is ended by the next start as engine_restarted;
// queued ones go on then.
func Serve(ctx context.Context, cfg Config) error {
	if cfg.Token == "" {
		return errors.New("the instance's token is empty")
	}
	m, err := jobs.Open(jobs.Config{
		Dir: cfg.Volume, ProjectID: cfg.ProjectID, Generator: cfg.Generator, Log: cfg.Log, Now: cfg.Now, Limits: cfg.Limits, TimeLimit: cfg.TimeLimit,
	})
	if errors.Is(err, disk.ErrLocked) {
		return errors.New("another engine uses the volume")
	}
	if err != nil {
		return fmt.Errorf("opening volume: %w", err)
	}
	s := newServer(cfg)
	work := func(ctx context.Context) error { return s.run(ctx, m) }
	return errors.Join(s.serve(ctx, s.handler(), work), m.Close())
}

// serve listens for requests while it works, until ctx ends.
func (s *server) serve(ctx context.Context, handler http.Handler, work func(context.Context) error) error {
	listener, err := s.cfg.listen()
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	web := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		BaseContext:       func(net.Listener) context.Context { return ctx }, // ends the streams
		ErrorLog:          zap.NewStdLog(s.cfg.Log),
	}
	served := make(chan error, 1)
	go func() {
		err := web.Serve(listener)
		stop(err)
		served <- err
	}()
	runErr := work(ctx)
	stop(nil)
	shutdownCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := web.Shutdown(shutdownCtx); err != nil { // someone holds on
		runErr = errors.Join(runErr, web.Close())
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		runErr = errors.Join(runErr, fmt.Errorf("serving: %w", err))
	}
	return runErr
}

// run recovers the jobs, opens the doors, and works until ctx ends.
func (s *server) run(ctx context.Context, m *jobs.Manager) error {
	if err := m.Recover(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(s.cfg.StartDelay):
	}
	for s.cfg.StartFile != "" {
		if _, err := os.Stat(filepath.Join(s.cfg.Volume, s.cfg.StartFile)); err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(10 * time.Millisecond): // nothing else tells that a file came
		}
	}
	s.ready.Store(m)
	s.cfg.Log.Info("engine ready", zap.String("project", s.cfg.ProjectID), zap.String("instance", s.cfg.InstanceID))
	return m.Run(ctx)
}

// listen opens what the engine is reached by.
func (c Config) listen() (net.Listener, error) {
	if c.TLS == nil {
		return listenUnix(c.Socket)
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, err
	}
	return tls.NewListener(l, c.TLS), nil
}

// listenUnix opens the Unix socket at path, in place of one that a killed engine
// left: the lock on the volume says that no engine listens there.
func listenUnix(path string) (net.Listener, error) {
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.Mode().Type() == fs.ModeSocket:
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("removing stale socket: %w", err)
		}
	case err == nil:
		return nil, fmt.Errorf("%s exists and is not a socket", path)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o660); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}
