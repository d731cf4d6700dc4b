// Package service answers sidecar.Service in process, over one store in a data
// directory. It is what the engine proxy's feed goes to as well.
package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/access"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/console"
	"github.com/svc-games/svc/sidecar/generations"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/push"
	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/site"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/webhooks"
)

// Options of a Service.
type Options struct {
	// DataDir is where a SQLite store is kept. It is made, for its owner only,
	// when it is not there.
	DataDir string
	// Store is where keys, jobs and counts are kept: "" or "sqlite" for a file
	// in DataDir, or a postgres:// URL for a database that several sidecars
	// share. The URL may hold a password: no error or log repeats it.
	Store string
	// Redis is the URL of the server through which sidecars that share a store push
	// changes to each other; "" for none: they poll. It may hold a password: no
	// error or log repeats it.
	Redis string
	// Policy makes the decisions.
	Policy Policy
	// Now is the clock; nil means the store's for days, months and deadlines,
	// and time.Now for all else.
	Now func() time.Time
	// Logger may be nil.
	Logger *zap.Logger
	// Prices of units; nil means ledger.DefaultPrices.
	Prices map[string]api.TIK
	// Units that engines will report: one without a price is refused at the
	// start. nil means ledger.DefaultUnits.
	Units []string
	// Caps of users and projects.
	Caps Caps
	// DecisionTimeout; 0 means access.DefaultDecisionTimeout.
	DecisionTimeout time.Duration
	// Metrics will be of this service; nil for none.
	Metrics *Metrics
}

// Policy evaluates the rules. It is safe for concurrent use.
type Policy interface {
	Decide(ctx context.Context, in policy.Input) (policy.Decision, error)
	// Revision names the rules in force, "" for rules without a name.
	Revision() string
	// PolicyProblem says why newer rules are not in force, "" when they are.
	PolicyProblem() string
	// OnChange has f called after each change of the rules.
	OnChange(f func())
}

// Service is the sidecar in this process. It is safe for concurrent use.
type Service struct {
	*ledger.Ledger
	*projects.Catalog
	*access.Door
	*webhooks.Registry

	keys     *keys.Registry
	lastUsed *lastUsed
	policy   Policy
	logger   *zap.Logger
	store    *store.Store
	redis    *push.Redis // nil: there is none
	played   *played
	now      func() time.Time
	timed    func() time.Time // Options.Now
	dir      string
	metrics  *Metrics // may be nil
	stop     func()   // ends what runs in the background
}

// Open opens the store in the data directory, brings its schema up to date and
// returns the service over it. Its errors say in one line what to do.
func Open(ctx context.Context, o Options) (*Service, error) {
	if o.Policy == nil {
		return nil, errors.New("opening the sidecar: no policy is given")
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	if o.Units == nil {
		o.Units = ledger.DefaultUnits()
	}
	if err := o.Caps.Validate(); err != nil {
		return nil, fmt.Errorf("opening the sidecar: %w", err)
	}
	networks, err := webhooks.ParseNetworks(o.Caps.WebhookNetworks)
	if err != nil {
		return nil, fmt.Errorf("opening the sidecar: %w", err)
	}
	s, err := openStore(ctx, o.Store, o.DataDir)
	if err != nil {
		return nil, err
	}
	l, err := ledger.New(ledger.Options{
		Store: s, Now: o.Now, Logger: o.Logger, Prices: o.Prices, Units: o.Units, MaxQueued: int64(o.Caps.MaxQueued),
		Metrics: o.Metrics.ofJobs(),
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	registry := keys.New(s, o.Now)
	var redis *push.Redis
	if o.Redis != "" && s.Shared() { // else no one else could know more
		if redis, err = push.ConnectRedis(registry.Hub(), o.Redis, o.Logger.Named("push")); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	o.Policy.OnChange(registry.Hint)
	opened := &Service{
		Ledger:   l,
		Catalog:  projects.New(projects.Options{Store: s, Now: now, MaxPerUser: int64(o.Caps.MaxProjects), Changed: registry.Hint, Shared: sharing(o.Policy)}),
		Door:     access.New(access.Options{Store: s, Now: o.Now, Policy: o.Policy, Timeout: o.DecisionTimeout}),
		Registry: webhooks.New(s, o.Now, networks),
		keys:     registry,
		lastUsed: newLastUsed(s, now, o.Logger),
		policy:   o.Policy,
		logger:   o.Logger,
		store:    s,
		redis:    redis,
		played:   newPlayed(o.Store, o.DataDir, l, now, o.Logger),
		now:      now,
		timed:    o.Now,
		dir:      o.DataDir,
		metrics:  o.Metrics,
	}
	sender := webhooks.NewSender(webhooks.SenderOptions{
		Store: s, Now: o.Now, Networks: networks, Permitted: opened.mayReadPosts, Logger: o.Logger.Named("webhooks"),
	})
	opened.stop = background(sender.Run, opened.watchClock)
	if o.Metrics != nil {
		o.Metrics.open.Store(opened)
	}
	return opened, nil
}

// sharing returns what says whether a policy may let users at projects for their attributes,
// nil for one that does not say.
func sharing(p Policy) func() bool {
	reader, ok := p.(interface{ ReadsAttributes() bool })
	if !ok {
		return nil
	}
	return reader.ReadsAttributes
}

// mayReadPosts has the policy decide whether the owner of a project may read what its
// webhook is posted, as if in the console.
func (s *Service) mayReadPosts(ctx context.Context, userID, projectID string) (bool, error) {
	d, err := s.DecideUser(ctx, policy.User{ID: userID, Via: policy.ViaConsole}, projectID, policy.ActionReadWebhooks)
	return d.Allow, err
}

// background runs tasks until the function that it returns is called.
func background(tasks ...func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, task := range tasks {
		running.Go(func() { task(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// Keys returns the registry of users and keys, for the admin API.
func (s *Service) Keys() *keys.Registry { return s.keys }

// Policies returns the policies that sidecars with the same store share, nil where no
// other can have it.
func (s *Service) Policies() activation.Shared {
	if !s.store.Shared() {
		return nil
	}
	return generations.New(s.store)
}

// Sessions returns the registry of the console's sessions with their default
// times, for the admin API: it makes one-time links.
func (s *Service) Sessions() *sessions.Registry {
	return sessions.New(sessions.Options{Store: s.store, Now: s.now})
}

// Console returns the console over this sidecar.
func (s *Service) Console(o site.Options) (site.Site, error) {
	return console.New(console.Parts{
		Access: s.Door, Basis: s.basis, Keys: s.keys, Projects: s.Catalog, Ledger: s.Ledger, Logger: s.logger.Named("console"), Now: s.now,
		Played: s.played.open, View: s.View, Games: s, Webhooks: s.Registry,
		Sessions: sessions.New(sessions.Options{Store: s.store, Now: s.now, Idle: o.Idle, Absolute: o.Absolute}),
	}, o)
}

// Authenticate looks up a key and has the policy decide on it. It records the key's
// last use in the background, at most once a minute.
func (s *Service) Authenticate(ctx context.Context, hash mint.KeyHash) (sidecar.Identity, error) {
	identity, err := s.Door.Authenticate(ctx, hash)
	if err != nil {
		return identity, err
	}
	s.lastUsed.note(identity.KeyID)
	return identity, nil
}

// recorded are the statuses of the ledger's refusals that are somebody's access, not the
// state of the service or of another submission.
var recorded = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests}

// Reserve implements sidecar.Service. What the ledger refuses is recorded as the policy's
// refusals are; one that must be and can't is no answer.
func (s *Service) Reserve(ctx context.Context, r sidecar.Reservation) (sidecar.Admission, error) {
	if r.Webhook != nil {
		if err := s.CheckURL(r.Webhook.URL, "webhook.url"); err != nil {
			return sidecar.Admission{}, err
		}
	}
	admission, err := s.Ledger.Reserve(ctx, r)
	if refused, ok := errors.AsType[*answers.Error](err); ok && slices.Contains(recorded, refused.Status) {
		if err := s.NoteRefusal(ctx, r.KeyID, r.ProjectID, refused); err != nil {
			return admission, fmt.Errorf("recording a refusal of the ledger: %w", err)
		}
	}
	return admission, err
}

// Replay implements sidecar.Service. A job that is found is the answer, and is recorded
// beside the policy's decision, which may be a limit's; where it must be recorded and
// can't it is no answer.
func (s *Service) Replay(ctx context.Context, keyID, idempotencyKey, fingerprint string) (*sidecar.Job, error) {
	job, err := s.Ledger.Replay(ctx, keyID, idempotencyKey, fingerprint)
	if err != nil || job == nil {
		return nil, err
	}
	if err := s.NoteReplay(ctx, keyID, job.ProjectID); err != nil {
		return nil, fmt.Errorf("recording a replay: %w", err)
	}
	return job, nil
}

// GrantStream implements sidecar.Service.
func (s *Service) GrantStream(ctx context.Context, hash mint.KeyHash, keyID, jobID string) (time.Time, error) {
	return s.keys.GrantStream(ctx, hash, keyID, jobID)
}

// StreamGrant implements sidecar.Service.
func (s *Service) StreamGrant(ctx context.Context, hash mint.KeyHash) (sidecar.StreamGrant, error) {
	return s.keys.StreamGrant(ctx, hash)
}

// basis names what decisions rest on besides their subject.
func (s *Service) basis(ctx context.Context) (string, error) {
	changes, err := s.Changes(ctx, -1)
	return changes.Basis, err
}

// Changes implements sidecar.Service.
func (s *Service) Changes(ctx context.Context, after int64) (sidecar.Changes, error) {
	// The revision is read first: if it changes meanwhile, answers under the new one
	// are dropped once too often, and none under the old one is kept.
	revision := s.policy.Revision()
	changes, err := s.keys.Changes(ctx, after)
	changes.Basis = revision + " " + changes.Basis
	return changes, err
}

// Watch implements sidecar.Service.
func (s *Service) Watch() (hints <-chan struct{}, stop func()) { return s.keys.Watch() }

// Close ends the writes under way and closes the store.
func (s *Service) Close() error {
	s.stop()
	var err error
	if s.metrics != nil {
		s.metrics.open.CompareAndSwap(s, nil)
	}
	if s.redis != nil {
		err = s.redis.Close()
	}
	s.lastUsed.close()
	return errors.Join(err, s.played.close(), s.store.Close())
}
