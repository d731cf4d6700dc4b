// Package play serves published games to players: a page of the site with the game in a
// frame, and at an origin of its own the game, which is hostile input, and what it reports.
package play

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/site"
)

// Catalog knows what is published.
type Catalog interface {
	Project(ctx context.Context, projectID string) (sidecar.Project, error)
	Publication(ctx context.Context, projectID string) (api.Publication, error)
	PlaySettings(ctx context.Context, projectID string) (api.PlaySettings, error)
	KeyGrant(ctx context.Context, projectID, key string) (sidecar.PlayGrant, error)
	Report(ctx context.Context, projectID, player, reason string) error
	ForgetReports(ctx context.Context, projectID, player string) error
}

// Recorder keeps what is played, and forgets it when its player asks.
type Recorder interface {
	analytics.Recorder
	ForgetPlayer(ctx context.Context, game, player string) error
}

// Parts are what it is made of.
type Parts struct {
	Catalog Catalog
	// Recorder keeps what is played.
	Recorder func(context.Context) (Recorder, error)
	// Secrets are those of tokens and of players' names.
	Secrets func() (Secrets, error)
	// SignedIn returns who is signed in to the console with the browser that sent a
	// request to the site, "" for nobody.
	SignedIn func(*http.Request) (userID string, err error)
	// Known outlives what is made of these parts.
	Known  *KnownKeys
	Rates  *Rates // as well
	Uses   *Uses  // as well
	Now    func() time.Time
	Logger *zap.Logger
}

// Play is a site.Play. It is safe for concurrent use.
type Play struct {
	Parts
	options site.PlayOptions
	boards  remembered[shownBoard, play.Board]
	gone    remembered[named, bool] // players who were just forgotten
	pages   func() http.Handler     // made when they are first asked for
	games   func() http.Handler
}

// New returns what serves games.
func New(parts Parts, o site.PlayOptions) *Play {
	p := &Play{Parts: parts, options: o}
	p.boards.now, p.boards.lasts, p.boards.most = parts.Now, boardTime, maxKnownBoards
	p.gone.now, p.gone.lasts, p.gone.most = parts.Now, forgottenTime, maxForgotten
	p.pages, p.games = sync.OnceValue(p.routePages), sync.OnceValue(p.routeGames)
	return p
}

// Pages implements site.Play.
func (p *Play) Pages() http.Handler { return p.pages() }

// Games implements site.Play.
func (p *Play) Games() http.Handler { return p.games() }

func (p *Play) routePages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+site.PlayPath+"{game}", p.page)
	mux.HandleFunc("GET "+site.PlayPath+"{game}/host.js", p.hostScript)
	mux.HandleFunc("POST "+site.PlayPath+"{game}/report", p.report)
	mux.HandleFunc("POST "+site.PlayPath+"{game}/forget", p.forget)
	mux.HandleFunc("POST "+site.PlayPath+"{game}/consent", p.consent)
	mux.HandleFunc("POST "+site.PlayPath+"{game}/token", p.renew)
	mux.HandleFunc("GET "+site.PlayPath+"{game}/{job}/"+pictureName, p.picture)
	for _, file := range []string{"page.js", "page.css"} {
		mux.HandleFunc("GET "+site.PlayPath+"{game}/"+file, p.static(file))
	}
	return mux
}

func (p *Play) routeGames() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /f/{game}/{job}/{path...}", p.file)
	mux.HandleFunc("POST "+play.PathBatch, p.batch)
	mux.HandleFunc("GET "+play.PathHealth, p.health)
	mux.HandleFunc("POST "+play.PathScore, p.score)
	mux.HandleFunc("GET "+play.PathBoard, p.board)
	mux.HandleFunc("POST "+play.PathFormerBatch, p.formerBatch)
	mux.HandleFunc("POST "+play.PathFormerBoard, p.formerBoard)
	mux.HandleFunc("GET "+play.PathFormerHealth, p.health)
	mux.HandleFunc("OPTIONS /g/v1/", preflight)
	return mux
}

// file has the gateway serve a file of the published game.
func (p *Play) file(w http.ResponseWriter, r *http.Request) {
	made, ok := p.publication(w, r)
	if !ok {
		return
	}
	if job := r.PathValue("job"); job != made.JobID {
		http.Error(w, "This game was replaced. Reload the page.", http.StatusNotFound)
		return
	}
	site.Serve{What: site.ServeGame, JobID: made.JobID, Path: r.PathValue("path")}.Ask(w)
}

// pictureName is that of a published game's picture.
const pictureName = "picture.jpg"

// picture has the gateway show what a published game looks like.
func (p *Play) picture(w http.ResponseWriter, r *http.Request) {
	made, ok := p.publication(w, r)
	if !ok {
		return
	}
	if r.PathValue("job") != made.JobID {
		http.Error(w, "This game was replaced.", http.StatusNotFound)
		return
	}
	site.Serve{What: site.ServePicture, JobID: made.JobID}.Ask(w)
}

// publication returns that of the game which a request names, or answers the request.
func (p *Play) publication(w http.ResponseWriter, r *http.Request) (api.Publication, bool) {
	game := r.PathValue("game")
	if !api.ValidProjectID(game) {
		http.Error(w, "There is no such game.", http.StatusNotFound)
		return api.Publication{}, false
	}
	if err := tooMany(p.Rates.take(ofShown, addressOf(r), maxShown)); err != nil {
		p.fail(w, r, err)
		return api.Publication{}, false
	}
	made, err := p.Catalog.Publication(r.Context(), game)
	if err == nil && made.BlockedFor != "" {
		err = sidecar.ErrNotPublished
	}
	if err != nil {
		p.fail(w, r, err)
		return api.Publication{}, false
	}
	return made, true
}

// mac signs a text for a purpose.
func mac(secret, purpose, text string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(purpose + "\n" + text)) // never fails
	return h.Sum(nil)
}

// Interface guards
var _ site.Play = (*Play)(nil)
