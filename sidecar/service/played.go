package service

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/console"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/play"
	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/site"
	"github.com/svc-games/svc/sidecar/store"
)

// played is what is kept of games that are played. It is opened when it is first
// needed: most sidecars of tests, and some of users, never have a published game.
type played struct {
	address string // a path or a URL
	seller  analytics.Seller
	now     func() time.Time
	secrets func() (play.Secrets, error)
	known   *play.KnownKeys
	rates   *play.Rates
	uses    play.Uses
	logger  *zap.Logger

	mu    sync.Mutex     // guards the following fields
	log   *analytics.Log // nil until it is opened
	stop  context.CancelFunc
	tasks sync.WaitGroup
}

// pruneEvery is how often what is too old is deleted.
const pruneEvery = time.Hour

func newPlayed(address, dir string, seller analytics.Seller, now func() time.Time, logger *zap.Logger) *played {
	if !store.IsPostgresURL(address) {
		address = filepath.Join(dir, analytics.File)
	}
	return &played{
		address: address, seller: seller, now: now, secrets: play.ReadSecrets(dir, now), known: play.NewKnownKeys(now), rates: play.NewRates(now), logger: logger,
	}
}

func (p *played) open(ctx context.Context) (*analytics.Log, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.log != nil {
		return p.log, nil
	}
	log, err := analytics.Open(ctx, p.address, p.seller, p.now)
	if err != nil {
		return nil, err
	}
	ctx, p.stop = context.WithCancel(context.Background())
	p.tasks.Go(func() {
		log.PruneEvery(ctx, pruneEvery, func(err error) { p.logger.Warn("old plays not deleted", zap.Error(err)) })
	})
	p.log = log
	return log, nil
}

// none reports whether nothing was ever played, as far as a file says so.
func (p *played) none() bool {
	_, err := os.Stat(p.address)
	return errors.Is(err, fs.ErrNotExist) && !store.IsPostgresURL(p.address)
}

// forget removes all of games that are deleted, and returns those of which nothing is left.
// It makes no file for it.
func (p *played) forget(ctx context.Context, games []string) (gone []string, err error) {
	if p.none() {
		return games, nil
	}
	log, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	for _, game := range games {
		if failed := log.Forget(ctx, game); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		gone = append(gone, game)
	}
	return gone, err
}

func (p *played) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.log == nil {
		return nil
	}
	p.stop()
	p.tasks.Wait()
	return p.log.Close()
}

// Play returns what serves published games to players.
func (s *Service) Play(o site.PlayOptions) (site.Play, error) {
	return play.New(play.Parts{
		Catalog: s, Secrets: s.played.secrets, SignedIn: s.signedIn(o), Now: s.now, Logger: s.logger.Named("play"), Known: s.played.known, Rates: s.played.rates, Uses: &s.played.uses,
		Recorder: func(ctx context.Context) (play.Recorder, error) { return s.played.open(ctx) },
	}, o), nil
}

// signedIn returns who is signed in to the console with a browser, "" for nobody: whom
// Caddy's authentication names, else whose session it has.
func (s *Service) signedIn(o site.PlayOptions) func(*http.Request) (string, error) {
	registry := sessions.New(sessions.Options{Store: s.store, Now: s.now, Idle: o.Idle, Absolute: o.Absolute})
	return func(r *http.Request) (string, error) {
		if o.Identity != nil {
			if named := o.Identity(r); named != "" {
				return named, nil
			}
		}
		cookie, err := r.Cookie(console.SessionCookie)
		if err != nil {
			return "", nil // there is none
		}
		session, err := registry.Look(r.Context(), cookie.Value)
		if errors.Is(err, sessions.ErrNone) {
			err = nil
		}
		return session.UserID, err
	}
}

// Overview implements sidecar.Service.
func (s *Service) Overview(ctx context.Context, projectID string, days int) (api.Overview, error) {
	log, err := s.played.open(ctx)
	if err != nil {
		return api.Overview{}, err
	}
	o, err := log.Overview(ctx, projectID, days)
	if err != nil {
		return api.Overview{}, err
	}
	prompts, err := s.withPrompts(ctx, projectID, o.Tables)
	for i := range o.Builds {
		o.Builds[i].Prompt = prompts[o.Builds[i].JobID]
	}
	return o, err
}

// View implements sidecar.Service.
func (s *Service) View(ctx context.Context, projectID string, q api.ViewQuery) (api.View, error) {
	log, err := s.played.open(ctx)
	if err != nil {
		return api.View{}, err
	}
	view, err := log.View(ctx, projectID, q)
	if err == nil && q.Name != api.ViewFunnels {
		_, err = s.withPrompts(ctx, projectID, view.Tables)
	}
	if err != nil || q.Name != api.ViewCosts {
		return view, err
	}
	a, err := s.GameAccount(ctx, projectID)
	if errors.Is(err, sidecar.ErrUnknownProject) { // deleted just now
		return view, nil
	}
	view.Tables = append(view.Tables, accountTables(a)...)
	return view, err
}

// accountTables show what a game costs its owner, and what that one should see to.
func accountTables(a ledger.GameAccount) []api.ViewTable {
	tik := func(amount api.TIK) float64 { return float64(amount) / api.MicroPerTIK }
	tables := []api.ViewTable{analytics.Table("account", "In TIK", []string{"tikMonth", "tikForecast", "tikCap", "tikDay", "tikBalance", "tikBlock", "blocks"}, [][]any{{
		tik(a.Month), tik(a.Forecast), tik(a.Most), tik(a.Day), tik(a.Balance), tik(a.BlockPrice), a.Blocks,
	}})}
	if said := a.Warnings(); len(said) > 0 {
		rows := make([][]any, len(said))
		for i, text := range said {
			rows[i] = []any{text}
		}
		tables = append(tables, analytics.Table("warnings", "To see to", []string{"warning"}, rows))
	}
	return tables
}

// ProjectsForgotten implements engineproxy.Ledger: what was played of deleted projects
// goes before the marks by which they would be found again. A key may be believed, and a
// batch be under way, some seconds longer: young marks stay, and it goes once more. One
// game that can't be forgotten yet keeps no other.
func (s *Service) ProjectsForgotten(ctx context.Context, installationID string, projectIDs []string) error {
	gone, err := s.played.forget(ctx, projectIDs)
	return errors.Join(err, s.Ledger.ProjectsForgotten(ctx, installationID, gone))
}

// RunsToReplay implements engineproxy.Replays. It makes no file for it.
func (s *Service) RunsToReplay(ctx context.Context) (contract.Replays, error) {
	if s.played.none() {
		return contract.Replays{}, nil
	}
	log, err := s.played.open(ctx)
	if err != nil {
		return contract.Replays{}, err
	}
	return log.Replays(ctx)
}

// RunsReplayed implements engineproxy.Replays.
func (s *Service) RunsReplayed(ctx context.Context, r contract.Replayed) error {
	log, err := s.played.open(ctx)
	if err != nil {
		return err
	}
	return log.Replayed(ctx, r)
}

// Interface guards
var _ sidecar.Service = (*Service)(nil)
