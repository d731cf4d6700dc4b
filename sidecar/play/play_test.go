package play

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/site"
)

const (
	game   = "0123456789abcdef01234567"
	other  = "89abcdef0123456701234567"
	job    = "job_01J0000000000000000000000A"
	stream = "0123456789abcdef0123456789abcdef"
	origin = "http://127.0.0.1:4000"
)

// catalog has one published game.
type catalog struct {
	key     string
	blocked *atomic.Bool
	ask     *atomic.Bool // for consent
	origins *[]string
	reports *[]string
}

func (c catalog) Report(_ context.Context, id, player, reason string) error {
	*c.reports = append(*c.reports, id+" "+player+" "+reason)
	return nil
}

func (c catalog) ForgetReports(_ context.Context, id, player string) error {
	*c.reports = append(*c.reports, "forget "+id+" "+player)
	return nil
}

func (c catalog) Project(context.Context, string) (sidecar.Project, error) {
	return sidecar.Project{OwnerID: "alice", Project: api.Project{ID: game, Name: `<b>"Duck"</b>`, Description: "</title>"}}, nil
}

func (c catalog) Publication(_ context.Context, id string) (api.Publication, error) {
	if id != game {
		return api.Publication{}, sidecar.ErrNotPublished
	}
	p := api.Publication{GameID: game, JobID: job, Key: c.key, Path: answers.PlayPath(game)}
	if c.blocked.Load() {
		p.BlockedFor = "harmful"
	}
	return p, nil
}

func (c catalog) KeyGrant(_ context.Context, id, key string) (sidecar.PlayGrant, error) {
	if id != game || key != c.key {
		return sidecar.PlayGrant{}, nil
	}
	return sidecar.PlayGrant{JobID: job, Origins: *c.origins}, nil
}

func (c catalog) PlaySettings(context.Context, string) (api.PlaySettings, error) {
	return api.PlaySettings{Origins: *c.origins, AskConsent: c.ask.Load()}, nil
}

// rig is a Play under test, with a log of its own.
type rig struct {
	*Play
	t   *testing.T
	key string
	log *analytics.Log
	now time.Time

	owner   owner
	blocked atomic.Bool
	ask     atomic.Bool
	origins []string
	reports []string

	dir    string
	logged bytes.Buffer
}

// owner pays for blocks of events, or does not.
type owner struct{ broke atomic.Bool }

func (o *owner) BuyBlock(context.Context, string, int64) (bool, error) { return !o.broke.Load(), nil }

func newRig(t *testing.T) *rig {
	t.Helper()
	dir := t.TempDir()
	r := &rig{t: t, dir: dir, key: mint.NewPlayKey(), now: time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)}
	now := func() time.Time { return r.now }
	var err error
	if r.log, err = analytics.Open(t.Context(), filepath.Join(dir, analytics.File), &r.owner, now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.log.Close(); err != nil {
			t.Error(err)
		}
	})
	logger := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "msg"}), zapcore.AddSync(&r.logged), zap.DebugLevel))
	r.Play = New(Parts{
		Catalog: catalog{r.key, &r.blocked, &r.ask, &r.origins, &r.reports}, Secrets: ReadSecrets(dir, now), Known: NewKnownKeys(now), Rates: NewRates(now), Uses: new(Uses), Now: now, Logger: logger,
		SignedIn: func(req *http.Request) (string, error) { return req.Header.Get("Test-User"), nil },
		Recorder: func(context.Context) (Recorder, error) { return r.log, nil },
	}, site.PlayOptions{Origin: func(*http.Request) string { return origin }})
	return r
}

func (r *rig) answer(h http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r.t.Helper()
	req := r.request(method, path, body)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return r.do(h, req)
}

func (r *rig) request(method, path, body string) *http.Request {
	r.t.Helper()
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Host = "localhost:8080"
	return req
}

func (r *rig) do(h http.Handler, req *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

var frameName = regexp.MustCompile(`name="(svc:[^"]*)"`)

// identity returns what the game's page tells the game.
func (r *rig) identity(w *httptest.ResponseRecorder) (id play.Identity) {
	r.t.Helper()
	found := frameName.FindStringSubmatch(w.Body.String())
	if w.Code != http.StatusOK || found == nil {
		r.t.Fatalf("the page is %d %s", w.Code, w.Body)
	}
	text := strings.TrimPrefix(html.UnescapeString(found[1]), play.FramePrefix)
	if err := json.Unmarshal([]byte(text), &id); err != nil {
		r.t.Fatal(err)
	}
	return id
}

// batchOf is a batch of one event, with members besides.
func (r *rig) batchOf(seq int, name string, members ...string) string {
	return fmt.Sprintf(`{"v":1,"k":%q,"g":%q,"b":%q,"s":%q,"o":1000,"e":[[%d,1000,%q,{}]]%s}`,
		r.key, game, job, stream, seq, name, strings.Join(append([]string{""}, members...), ","))
}

func (r *rig) counts() api.PlayCounts {
	r.t.Helper()
	o, err := r.log.Overview(r.t.Context(), game, 1)
	if err != nil {
		r.t.Fatal(err)
	}
	return o.Total
}

func TestPageGivesTheGameItsIdentityAndNothingElse(t *testing.T) {
	r := newRig(t)
	w := r.answer(r.Pages(), "GET", "/play/"+game, "")
	id := r.identity(w)
	if id.GameID != game || id.Key != r.key || id.Build != job || id.Endpoint != origin+"/g/v1" || len(id.Player) != 32 || id.Token == "" {
		t.Errorf("the game is told %+v", id)
	}
	body := w.Body.String()
	if strings.Contains(body, "<b>") || strings.Contains(body, "</title>\"") || !strings.Contains(body, `src="`+origin+"/f/"+game+"/"+job+`/"`) {
		t.Errorf("the page is %s", body)
	}
	csp := w.Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "frame-src " + origin, "frame-ancestors 'none'", "connect-src 'self' " + origin} {
		if !strings.Contains(csp, part) {
			t.Errorf("the policy %q lacks %q", csp, part)
		}
	}
	if w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("the page may be kept: %q", w.Header().Get("Cache-Control"))
	}
}

func TestPlayerHasOneNameForAGameAndNoneIfNotToBeFollowed(t *testing.T) {
	r := newRig(t)
	first := r.answer(r.Pages(), "GET", "/play/"+game, "")
	cookie := first.Result().Cookies()
	if len(cookie) != 1 || !cookie[0].HttpOnly || cookie[0].SameSite != http.SameSiteLaxMode {
		t.Fatalf("the cookies are %v", cookie)
	}
	again := r.answer(r.Pages(), "GET", "/play/"+game, "", "Cookie", cookie[0].Name+"="+cookie[0].Value)
	if a, b := r.identity(first).Player, r.identity(again).Player; a != b || strings.Contains(again.Body.String(), cookie[0].Value) {
		t.Errorf("the player is %s, and then %s", a, b)
	}
	if !strings.Contains(first.Body.String(), `id="unnamed" hidden`) || strings.Contains(first.Body.String(), `id="named" hidden`) {
		t.Errorf("who has a name is not told: %s", first.Body)
	}
	for _, header := range []string{"Sec-GPC", "DNT"} {
		w := r.answer(r.Pages(), "GET", "/play/"+game, "", header, "1")
		if body := w.Body.String(); strings.Contains(body, `id="unnamed" hidden`) || !strings.Contains(body, `id="named" hidden`) {
			t.Errorf("%s: who has no name is told of one: %s", header, body)
		}
		if id := r.identity(w); id.Player != "" || len(w.Result().Cookies()) != 0 {
			t.Errorf("%s: player %q, cookies %v", header, id.Player, w.Result().Cookies())
		}
	}
	secrets, err := r.Secrets()
	if err != nil || secrets.pseudonym(game, "x") == secrets.pseudonym(other, "x") {
		t.Errorf("a player has the same name in two games (%v)", err)
	}
}

func TestPageIsRefusedWhereItsGamesWouldBeAtItsOwnHost(t *testing.T) {
	r := newRig(t)
	for _, at := range []string{"", "http://localhost:4000", "http://LOCALHOST"} {
		r.options.Origin = func(*http.Request) string { return at }
		if w := r.answer(r.Pages(), "GET", "/play/"+game, ""); w.Code != http.StatusNotFound {
			t.Errorf("games at %q: %d", at, w.Code)
		}
	}
}

func TestWhatIsNotPublishedIsNotFound(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/play/" + other, "/play/x", "/play/" + other + "/host.js", "/play/", "/play/" + game + "/more"} {
		if w := r.answer(r.Pages(), "GET", path, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	for _, path := range []string{"/f/" + other + "/" + job + "/index.html", "/f/" + game + "/job_01J0000000000000000000000B/index.html", "/play/" + game} {
		if w := r.answer(r.Games(), "GET", path, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	w := r.answer(r.Games(), "GET", "/f/"+game+"/"+job+"/lib/a%20b.js", "")
	if asked, ok := site.TakeServe(w.Header()); !ok || asked != (site.Serve{What: site.ServeGame, JobID: job, Path: "lib/a b.js"}) {
		t.Errorf("a file of the game: %+v", asked)
	}
}

func TestScriptForPagesOfOthersNamesNoPlayer(t *testing.T) {
	r := newRig(t)
	w := r.answer(r.Pages(), "GET", "/play/"+game+"/host.js", "")
	body := w.Body.String()
	if w.Code != http.StatusOK || !strings.Contains(body, r.key) || strings.Contains(body, "player") || strings.Contains(body, "token") || len(w.Result().Cookies()) != 0 {
		t.Errorf("%d %s", w.Code, body)
	}
	if again := r.answer(r.Pages(), "GET", "/play/"+game+"/host.js", "", "If-None-Match", w.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("again: %d", again.Code)
	}
}
