package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/cache"
	"github.com/svc-games/svc/caddymodule/gateway/joblog"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/site"
)

// Shared is what all configurations that name the same backend have in
// common: it outlives reloads.
type Shared struct {
	Sidecar sidecar.Service // behind the cache, and measured
	Engines engineproxy.Engines
	Streams *streams.Registry
	Routes  *gateway.Routes
	Bodies  gateway.Bodies // of all requests
	Answers gateway.Bodies // of engines, which pages of the studio are made of

	cache    *cache.Cache
	jobs     *joblog.Jobs // whose events are read
	rechecks *gateway.Rechecks
	backend  *backend
	previews *previews
	plays    *previews // the same for players
	models   *gateway.Models
	games    *gateway.Previews
	people   *gateway.Rates // of the studio's requests
	dataDir  string         // "" when nothing that is open belongs to a data directory

	mu   sync.Mutex // guards apps
	apps []*App     // those that use it, in the order of their start
}

// newShared puts the cache before a backend's sidecar. dataDir is the folder
// that the backend keeps to itself, "" for none.
func newShared(b *backend, dataDir string, logger *zap.Logger) (*Shared, error) {
	followed, err := followedJobs()
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	open := &streams.Registry{Changed: metrics.streamsChanged}
	rechecks := gateway.NewRechecks(b.sidecar.Service, open)
	cached, err := cache.New(named{b.sidecar.Service}, cache.Options{
		OnChange: rechecks.Keys,
		OnBasis:  rechecks.All,
		Request:  clientRequest,
		Logger:   logger.Named("cache"),
	})
	if err != nil {
		rechecks.Close()
		return nil, errors.Join(err, b.close())
	}
	shared := &Shared{
		Sidecar: measured{cached}, Engines: b.engines.Engines, Streams: open, Routes: gateway.NewRoutes(),
		cache: cached, rechecks: rechecks, backend: b, games: gateway.NewPreviews(), dataDir: dataDir,
		jobs:   joblog.New(&gateway.EngineEvents{Engines: b.engines.Engines, Sidecar: measured{cached}}),
		models: &gateway.Models{Engines: b.engines.Engines, Now: time.Now},
		people: gateway.NewRates(rate.NewLocal[string](gateway.RatedKeys, time.Now), time.Now),
	}
	shared.jobs.Limit(followed)
	shared.serveGames(logger)
	return shared, nil
}

// serveGames makes what serves games at ports of their own, each opened when it is first
// asked for.
func (s *Shared) serveGames(logger *zap.Logger) {
	s.previews = &previews{logger: logger.Named("preview"), open: func() (http.Handler, error) {
		made, err := s.backend.sidecar.Console(site.Options{})
		if err != nil {
			return nil, err
		}
		return made.Preview(), nil
	}}
	s.previews.core = func() *gateway.Console { return consoleCore(s, s.previews.logger) }
	s.plays = &previews{logger: logger.Named("play"), open: func() (http.Handler, error) {
		made, err := s.backend.sidecar.Play(site.PlayOptions{Origin: func(*http.Request) string { return "" }})
		if err != nil {
			return nil, err
		}
		return made.Games(), nil
	}}
	s.plays.core = func() *gateway.Console { return playCore(s, s.plays.logger) }
	if s.dataDir != "" {
		s.plays.file = filepath.Join(s.dataDir, "play.port")
		s.plays.reopen()
	}
}

// enter notes a configuration that starts, before its options are applied.
func (s *Shared) enter(a *App) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apps = append(s.apps, a)
}

// leave notes that a configuration is over. The newest one is over before an
// older one when another part of it could not start: then the older one goes on,
// and with it its options.
func (s *Shared) leave(a *App) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(s.apps, a)
	failed := at == len(s.apps)-1
	s.apps = slices.Delete(s.apps, at, at+1)
	if !failed || len(s.apps) == 0 {
		return nil
	}
	stays := s.apps[len(s.apps)-1]
	s.Streams.Limit(stays.streams())
	if err := stays.reload(); err != nil {
		return fmt.Errorf("taking the options back of a configuration that did not start: %w", err)
	}
	return nil
}

// Destruct closes the backend when no configuration uses it any more.
func (s *Shared) Destruct() error {
	s.Streams.CloseAll(streams.ReasonShutdown) // those that no server has any more
	s.Streams.AwaitEnd()
	err := errors.Join(s.previews.close(), s.plays.close())
	s.jobs.Close() // whose followers ask the cache
	s.cache.Close()
	s.rechecks.Close()
	return errors.Join(err, s.backend.close())
}
