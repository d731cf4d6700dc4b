package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/disk"
	"github.com/svc-games/svc/sidecar"
)

// Admin answers GET /svc/status on Caddy's admin API: a Status in JSON, with
// 200 when submissions can be admitted and 503 when not. It is 404 while no
// configuration with the app svc runs.
type Admin struct {
	logger *zap.Logger
}

// Status is what the gateway knows about itself.
type Status struct {
	// State is ok, starting or degraded; Problems says why it is not ok.
	State    string   `json:"state"`
	Problems []string `json:"problems,omitempty"`

	// Sidecar says where the sidecar runs: "embedded" in this process, or the
	// address at which it is asked.
	Sidecar string `json:"sidecar"`

	// Store says whether the store answered.
	Store StoreStatus `json:"store"`

	// CacheFresh says whether the gateway's cache of keys and decisions is in
	// contact with the revocation log; while it is not, each check asks the
	// sidecar.
	CacheFresh bool `json:"cacheFresh"`

	// PolicyRevision names the rules in force; "" when the sidecar does not
	// tell.
	PolicyRevision string `json:"policyRevision,omitempty"`

	// Engines counts the engines by state; absent ones are not counted.
	Engines map[string]int `json:"engines"`

	// Rates says where request rates are counted: "local" for this gateway,
	// "shared" through Redis, "fallback" while Redis does not answer.
	Rates string `json:"rates"`

	// Push says how changes that other sidecars make come in: "none" where there
	// is no Redis or no shared store, "connected", or "lost" while the log is
	// polled instead; "" when the sidecar does not tell.
	Push string `json:"push,omitempty"`

	DataDir string `json:"dataDir"`

	// DiskFreeBytes is how much room the data directory's disk has left.
	DiskFreeBytes uint64 `json:"diskFreeBytes"`

	// UptimeSeconds counts from the start of the process.
	UptimeSeconds int64 `json:"uptimeSeconds"`

	admits bool // submissions can be admitted
}

// StoreStatus says whether the store answered, and how fast, and could be written
// to where the sidecar can tell: a disk may be full.
type StoreStatus struct {
	OK           bool    `json:"ok"`
	Milliseconds float64 `json:"milliseconds"`
}

// States of Status.
const (
	stateOK       = "ok"
	stateStarting = "starting"
	stateDegraded = "degraded"
)

// statusTimeout bounds every question behind one status.
const statusTimeout = 2 * time.Second

var processStart = time.Now()

// CaddyModule returns the Caddy module information.
func (Admin) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "admin.api.svc", New: func() caddy.Module { return new(Admin) }}
}

// Provision takes the logger. The app is looked for at each request: Caddy
// provisions admin modules before apps.
func (a *Admin) Provision(ctx caddy.Context) error {
	a.logger = ctx.Logger(a)
	return nil
}

// Routes returns the routes of the admin API.
func (a *Admin) Routes() []caddy.AdminRoute {
	return []caddy.AdminRoute{{Pattern: "/svc/status", Handler: caddy.AdminHandlerFunc(a.status)}}
}

func (a *Admin) status(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return caddy.APIError{HTTPStatus: http.StatusMethodNotAllowed, Err: fmt.Errorf("method %s is not allowed", r.Method)}
	}
	found, err := caddy.ActiveContext().AppIfConfigured("svc")
	if err != nil {
		return caddy.APIError{HTTPStatus: http.StatusNotFound, Err: fmt.Errorf("finding the app svc: %w", err)}
	}
	ctx, cancel := context.WithTimeout(r.Context(), statusTimeout)
	defer cancel()
	status := a.collect(ctx, found.(*App))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !status.admits {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	if err := json.NewEncoder(w).Encode(status); err != nil {
		return fmt.Errorf("writing status: %w", err)
	}
	return nil
}

func (a *Admin) collect(ctx context.Context, app *App) Status {
	s := Status{
		State:         stateOK,
		Engines:       map[string]int{},
		Sidecar:       app.sidecar.Location(),
		Rates:         formOfRates(app.Redis),
		DataDir:       app.DataDir,
		UptimeSeconds: int64(time.Since(processStart).Seconds()),
	}
	shared, err := app.Shared(ctx)
	if err != nil {
		s.State = stateStarting
		return s
	}
	s.admits = true
	begin := time.Now()
	err = askStore(ctx, shared.backend.sidecar.Service)
	s.Store = StoreStatus{OK: err == nil, Milliseconds: float64(time.Since(begin).Microseconds()) / 1000}
	switch {
	case errors.Is(err, sidecar.ErrUnreachable):
		a.outage(&s, "the sidecar "+silence(err), err)
	case err != nil:
		a.outage(&s, "the store does not answer", err)
	}
	health, healthErr := shared.backend.sidecar.Service.Health(ctx)
	s.Push, s.PolicyRevision = health.Push, health.PolicyRevision
	switch {
	case err != nil: // whatever else it says of the store is the same
	case healthErr != nil:
		a.problem(&s, "the sidecar's health is unknown", healthErr)
	case health.Writes != nil:
		s.Store.OK = false
		a.outage(&s, "the store can't be written to", health.Writes)
	}
	if health.PolicyProblem != "" {
		a.problem(&s, health.PolicyProblem, nil)
	}
	free, err := disk.Free(app.DataDir)
	s.DiskFreeBytes = free
	switch {
	case err != nil:
		a.problem(&s, "the data directory's disk can't be inspected", err)
	case free < minDiskFree:
		s.Store.OK = false // a job takes more than is left
		a.outage(&s, "the data directory's disk is full", unix.ENOSPC)
	}
	s.CacheFresh = shared.cache.Fresh()
	a.collectEngines(ctx, &s, shared.Engines)
	return s
}

func (a *Admin) collectEngines(ctx context.Context, s *Status, e engineproxy.Engines) {
	engines, err := e.List(ctx)
	if err != nil {
		a.outage(s, "the engine proxy "+silence(err), err)
		return
	}
	for _, engine := range engines {
		s.Engines[string(engine.State)]++
	}
	problems, err := e.Problems(ctx)
	if err != nil { // one of an earlier version does not know the question
		a.problem(s, "the engine proxy's health is unknown", err)
	}
	for _, problem := range problems {
		a.outage(s, problem, nil)
	}
}

// silence is what is said of a part that gave no answer.
func silence(err error) string {
	if peer.Refused(err) {
		return "is not reached: a certificate is refused"
	}
	return "does not answer"
}

// outage adds a problem by which no submission is admitted.
func (a *Admin) outage(s *Status, what string, err error) {
	s.admits = false
	a.problem(s, what, err)
}

// problem adds a problem; what exactly happened is for the log.
func (a *Admin) problem(s *Status, what string, err error) {
	s.State = stateDegraded
	s.Problems = append(s.Problems, what)
	a.logger.Warn("status is degraded", zap.String("problem", what), zap.Error(err))
}

// nowhere is a project that does not exist.
const nowhere = "000000000000000000000000"

// minDiskFree is the room, in bytes, below which a disk counts as full.
const minDiskFree = 1 << 20

// askStore asks for a project that does not exist: only the store can know.
func askStore(ctx context.Context, s sidecar.Service) error {
	_, err := s.Project(ctx, nowhere)
	if errors.Is(err, sidecar.ErrUnknownProject) {
		return nil
	}
	return err
}

// Interface guards
var (
	_ caddy.Provisioner = (*Admin)(nil)
	_ caddy.AdminRouter = (*Admin)(nil)
)
