// Package console is the web interface for owners of API keys: keys, usage,
// projects, jobs and the audit log. It is plain net/http over the sidecar's
// own parts. What lies with the engine proxy, the events and files of a job,
// it asks the gateway to serve: see site.Serve.
package console

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/access"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/site"
)

// Parts are what the console works on.
type Parts struct {
	// Access decides what users may do here.
	Access *access.Door
	// Basis names what decisions rest on besides their subject; see sidecar.Changes.
	Basis    func(context.Context) (string, error)
	Keys     *keys.Registry
	Projects *projects.Catalog
	Ledger   *ledger.Ledger
	Sessions *sessions.Registry
	Logger   *zap.Logger
	// Played opens what is kept of games that are played.
	Played func(context.Context) (*analytics.Log, error)
	// View returns how a project's game is played.
	View func(ctx context.Context, projectID string, q api.ViewQuery) (api.View, error)
	// Games is where owners set what players get.
	Games sidecar.Games
	// Webhooks has what became of the posts of projects' webhooks.
	Webhooks sidecar.Webhooks
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Console is a site.Site in this process.
type Console struct {
	Parts
	options site.Options
	pages   *pages
	attempt *attempts
	oidc    *provider
	streams streams
	handler http.Handler
}

// New returns the console, or says what is wrong with its options.
func New(p Parts, o site.Options) (*Console, error) {
	p.Logger = cmp.Or(p.Logger, zap.NewNop())
	if p.Now == nil {
		p.Now = time.Now
	}
	if o.Preview == nil {
		o.Preview = func(*http.Request) string { return "" }
	}
	pages, err := loadPages()
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	c := &Console{Parts: p, options: o, pages: pages, attempt: newAttempts(p.Now)}
	if o.OIDC != nil {
		if c.oidc, err = newProvider(*o.OIDC, p.Now); err != nil {
			return nil, fmt.Errorf("console: %w", err)
		}
	}
	c.handler = c.secured(c.routes())
	return c, nil
}

func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

func (c *Console) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /console/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, site.StudioPath, http.StatusSeeOther)
	})
	mux.HandleFunc("GET /console/static/{name}", c.serveStatic)

	mux.HandleFunc("GET /console/login", c.showSignIn)
	mux.HandleFunc("POST /console/login", c.signIn)
	mux.HandleFunc("GET /console/oidc/start", c.startOIDC)
	mux.HandleFunc("GET /console/oidc/callback", c.finishOIDC)
	mux.Handle("POST /console/logout", c.signedIn(c.signOut))
	mux.Handle("POST /console/logout-everywhere", c.signedIn(c.signOutEverywhere))

	mux.Handle("GET /console/keys", c.allowed("", c.listKeys))
	mux.Handle("GET /console/keys/new", c.allowed(policy.ActionCreateKey, c.newKey))
	mux.Handle("POST /console/keys", c.allowed(policy.ActionCreateKey, c.createKey))
	mux.Handle("GET /console/keys/{key}", c.allowed("", c.showKey))
	mux.Handle("POST /console/keys/{key}/name", c.allowed("", c.renameKey))
	mux.Handle("POST /console/keys/{key}/limits", c.allowed("", c.limitKey))
	mux.HandleFunc("GET /console/keys/{key}/name", toFormOf("keys", "key"))
	mux.HandleFunc("GET /console/keys/{key}/limits", toFormOf("keys", "key"))
	mux.Handle("GET /console/keys/{key}/{change}", c.allowed("", c.confirmChange))
	mux.Handle("POST /console/keys/{key}/{change}", c.allowed("", c.changeState))

	mux.Handle("GET /console/usage", c.allowed(policy.ActionReadKeys, c.showUsage))
	mux.Handle("GET /console/usage.csv", c.allowed(policy.ActionReadKeys, c.usageCSV))
	mux.Handle("GET /console/statement", c.allowed(policy.ActionReadKeys, c.showStatement))
	mux.Handle("GET /console/statement.csv", c.allowed(policy.ActionReadKeys, c.statementCSV))

	mux.Handle("GET /console/projects", c.allowed(policy.ActionListProjects, c.listProjects))
	mux.Handle("GET /console/projects/{project}", c.allowed("", c.showProject))
	mux.Handle("POST /console/projects/{project}/attributes", c.allowed("", c.setAttribute))
	mux.HandleFunc("GET /console/projects/{project}/attributes", toFormOf("projects", "project"))
	mux.Handle("POST /console/projects/{project}/publish", c.allowed("", c.publish))
	mux.Handle("POST /console/projects/{project}/unpublish", c.allowed("", c.unpublish))
	mux.Handle("POST /console/projects/{project}/game", c.allowed("", c.setGame))
	mux.Handle("POST /console/projects/{project}/game-key", c.allowed("", c.rotateGameKey))
	mux.HandleFunc("GET /console/projects/{project}/game", toFormOf("projects", "project"))
	mux.HandleFunc("GET /console/projects/{project}/game-key", toFormOf("projects", "project"))
	mux.Handle("POST /console/projects/{project}/experiments", c.allowed("", c.draftExperiment))
	mux.Handle("POST /console/projects/{project}/experiment", c.allowed("", c.moveExperiment))
	mux.HandleFunc("GET /console/projects/{project}/experiments", toFormOf("projects", "project"))
	mux.HandleFunc("GET /console/projects/{project}/experiment", toFormOf("projects", "project"))
	mux.Handle("POST /console/projects/{project}/board", c.allowed("", c.setBoard))
	mux.Handle("POST /console/projects/{project}/rewards", c.allowed("", c.setReward))
	mux.HandleFunc("GET /console/projects/{project}/board", toFormOf("projects", "project"))
	mux.HandleFunc("GET /console/projects/{project}/rewards", toFormOf("projects", "project"))
	mux.HandleFunc("GET /console/projects/{project}/publish", toFormOf("projects", "project"))
	mux.HandleFunc("GET /console/projects/{project}/unpublish", toFormOf("projects", "project"))
	mux.Handle("GET /console/projects/{project}/share", c.allowed("", c.showShares))
	mux.Handle("POST /console/projects/{project}/share", c.allowed("", c.share))
	mux.Handle("GET /console/projects/{project}/webhook", c.allowed("", c.showWebhook))
	mux.Handle("POST /console/projects/{project}/webhook", c.allowed("", c.replayDelivery))
	mux.HandleFunc("GET /console/projects/{project}/analytics", toOverview)
	mux.Handle("GET /console/projects/{project}/analytics/{view}", c.allowed("", c.showAnalytics))
	mux.Handle("GET /console/jobs/{job}", c.allowed("", c.showJob))
	mux.Handle("GET /console/jobs/{job}/events", c.allowed("", c.jobEvents))
	mux.Handle("GET /console/jobs/{job}/files", c.allowed("", c.jobFiles))

	mux.Handle(site.StudioPath, c.allowed("", c.openStudio))
	mux.Handle(site.StudioPath+"/", c.allowed("", c.openStudio))
	mux.Handle(site.StudioPath+"/{project}", c.allowed("", c.openStudio))
	mux.Handle(site.StudioPath+"/{project}/{rest...}", c.allowed("", c.openStudio))

	mux.Handle("GET /console/audit", c.allowed(policy.ActionReadKeys, c.showAudit))

	mux.HandleFunc("/console/", c.noPage)
	return mux
}

func (c *Console) noPage(w http.ResponseWriter, r *http.Request) {
	c.fail(w, r, http.StatusNotFound, "There is no such page.")
}

// toFormOf leads from a form's own address, which the browser shows after a
// refusal, to the page that the form is on.
func toFormOf(list, id string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, site.Path+list+"/"+url.PathEscape(r.PathValue(id)), http.StatusSeeOther)
	}
}

// Interface guards
var _ site.Site = (*Console)(nil)
