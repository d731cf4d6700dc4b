package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/site"
)

// connection takes requests to a handler as a peer connection does: nothing but what
// HTTP/1.1 carries arrives.
type connection struct {
	t       *testing.T
	handler http.Handler
	away    bool
	headers []http.Header // of the answers
}

func (c *connection) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.away {
		return nil, errors.New("nothing listens there")
	}
	arrived := r.Clone(context.Background())
	arrived.RemoteAddr, arrived.TLS = "@", nil
	arrived.Host = r.URL.Host
	arrived.RequestURI = r.URL.RequestURI()
	if arrived.Body == nil {
		arrived.Body = http.NoBody
	}
	out := httptest.NewRecorder()
	c.handler.ServeHTTP(out, arrived)
	c.headers = append(c.headers, out.Header())
	return out.Result(), nil
}

// desk is a gateway with a sidecar in another process.
type desk struct {
	side    *service.Service
	conn    *connection
	gateway *httptest.Server
	log     *observer.ObservedLogs
}

func open(t *testing.T, o site.Options) *desk {
	t.Helper()
	side, err := service.Open(t.Context(), service.Options{DataDir: t.TempDir(), Policy: policytest.Embedded(t), DecisionTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	core, log := observer.New(zap.DebugLevel)
	d := &desk{side: side, log: log, conn: &connection{t: t, handler: ConsoleHandler(side.Console, zap.New(core))}}
	site := NewConsole(d.conn, o, zap.New(core))
	mux := http.NewServeMux()
	mux.Handle("/console/", site)
	mux.Handle("/", site.Preview())
	d.gateway = httptest.NewTLSServer(mux)
	t.Cleanup(func() {
		d.gateway.Close()
		if err := side.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := side.Keys().CreateUser(t.Context(), "test", "alice", 0); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := *d.gateway.Client()
	c.Jar = jar
	return &c
}

func ask(t *testing.T, c *http.Client, method, address string, form url.Values, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func (d *desk) signIn(t *testing.T, c *http.Client) {
	t.Helper()
	link, err := d.side.Sessions().NewLink(t.Context(), "test", "alice")
	if err != nil {
		t.Fatal(err)
	}
	resp, body := ask(t, c, http.MethodPost, d.gateway.URL+"/console/login", url.Values{"code": {link.Code}}, "Origin", d.gateway.URL)
	if resp.StatusCode != http.StatusOK || resp.Request.URL.Path != "/console/studio" {
		t.Fatalf("signing in: %d at %s\n%s", resp.StatusCode, resp.Request.URL.Path, body)
	}
}

func TestConsoleIsUsedThroughAGateway(t *testing.T) {
	d := open(t, site.Options{Preview: func(*http.Request) string { return "https://preview.example.com" }})
	c := d.browser(t)
	d.signIn(t, c)
	_, form := ask(t, c, http.MethodGet, d.gateway.URL+"/console/keys/new", nil)
	_, code, _ := strings.Cut(form, `name="form" value="`)
	code, _, _ = strings.Cut(code, `"`)
	resp, body := ask(t, c, http.MethodPost, d.gateway.URL+"/console/keys", url.Values{"form": {code}, "name": {"ci"}}, "Origin", d.gateway.URL)
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, "curl -s "+d.gateway.URL+"/v1/projects") {
		t.Errorf("%d\n%s", resp.StatusCode, body)
	}
	if csp := resp.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-src https://preview.example.com;") {
		t.Errorf("content policy %q", csp)
	}
	resp, _ = ask(t, c, http.MethodPost, d.gateway.URL+"/console/logout-everywhere", nil, "Origin", "https://evil.example.com")
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("a form from another site: %d", resp.StatusCode)
	}
	for _, header := range d.conn.headers {
		if header.Get(requestInfoHeader) != "" {
			t.Error("an answer has what the gateway knows")
		}
	}
}

func TestClientCanNotSayWhatTheGatewayKnows(t *testing.T) {
	who := ""
	d := open(t, site.Options{Identity: func(*http.Request) string { return who }})
	forged := `{"host":"localhost","identifies":true,"named":"alice"}`
	resp, _ := ask(t, d.browser(t), http.MethodGet, d.gateway.URL+"/console/keys", nil, requestInfoHeader, forged)
	if resp.Request.URL.Path != "/console/login" {
		t.Errorf("a forged identity leads to %s", resp.Request.URL.Path)
	}
	who = "alice"
	if resp, _ := ask(t, d.browser(t), http.MethodGet, d.gateway.URL+"/console/keys", nil); resp.Request.URL.Path != "/console/keys" {
		t.Errorf("whom the gateway names is sent to %s", resp.Request.URL.Path)
	}
}

func TestPreviewAsksTheGatewayToServe(t *testing.T) {
	d := open(t, site.Options{})
	key, err := d.side.Keys().Create(t.Context(), "test", "alice", "ci", policy.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	project, err := d.side.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "pong", Template: "blank"})
	if err != nil {
		t.Fatal(err)
	}
	job := mint.NewJobID(time.Now())
	if _, err := d.side.Reserve(t.Context(), sidecar.Reservation{JobID: job, KeyID: key.ID, ProjectID: project.ID}); err != nil {
		t.Fatal(err)
	}
	code, err := d.side.Sessions().NewPreview(t.Context(), "alice", job)
	if err != nil {
		t.Fatal(err)
	}
	resp, _ := ask(t, d.browser(t), http.MethodGet, d.gateway.URL+"/"+code+"/assets/a%20b.png", nil)
	asked, ok := site.TakeServe(resp.Header)
	if !ok || asked != (site.Serve{What: site.ServePreview, JobID: job, Path: "assets/a b.png"}) {
		t.Errorf("asked for %+v", asked)
	}
}

func TestConsoleIsAwayWithItsSidecar(t *testing.T) {
	d := open(t, site.Options{})
	c := d.browser(t)
	d.signIn(t, c)
	d.conn.away = true
	resp, body := ask(t, c, http.MethodGet, d.gateway.URL+"/console/keys", nil)
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || strings.Contains(body, "nothing listens") {
		t.Errorf("%d %q", resp.StatusCode, body)
	}
	d.conn.away = false
	if resp, _ := ask(t, c, http.MethodGet, d.gateway.URL+"/console/keys", nil); resp.StatusCode != http.StatusOK || resp.Request.URL.Path != "/console/keys" {
		t.Errorf("back again: %d at %s", resp.StatusCode, resp.Request.URL.Path)
	}
}

func TestGatewayLearnsThatASessionHasEnded(t *testing.T) {
	d := open(t, site.Options{})
	far := NewConsole(d.conn, site.Options{Absolute: time.Hour}, zap.NewNop())
	secret, err := d.side.Sessions().Begin(t.Context(), "alice", sessions.ViaLink)
	if err != nil {
		t.Fatal(err)
	}
	session, err := d.side.Sessions().Find(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	if over, err := far.Ended(t.Context(), session.Name()); over || err != nil {
		t.Errorf("one that goes on: ended %t, %v", over, err)
	}
	d.conn.away = true
	if over, err := far.Ended(t.Context(), session.Name()); over || err == nil {
		t.Errorf("while the sidecar is aconn: ended %t, %v", over, err)
	}
	d.conn.away = false
	if err := d.side.Sessions().End(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	if over, err := far.Ended(t.Context(), session.Name()); !over || err != nil {
		t.Errorf("one that was signed out: ended %t, %v", over, err)
	}
	// The time after which it ends is that of the gateway's options.
	if secret, err = d.side.Sessions().Begin(t.Context(), "alice", sessions.ViaLink); err != nil {
		t.Fatal(err)
	}
	if session, err = d.side.Sessions().Find(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	brief := NewConsole(d.conn, site.Options{Absolute: time.Nanosecond}, zap.NewNop())
	if over, err := brief.Ended(t.Context(), session.Name()); !over || err != nil {
		t.Errorf("one that is over by the gateway's options: ended %t, %v", over, err)
	}
}

func TestGatewaysWithTheSameOptionsShareAConsole(t *testing.T) {
	d := open(t, site.Options{})
	made := 0
	s := &consoles{logger: zap.NewNop(), sites: make(map[string]site.Site), open: func(o site.Options) (site.Site, error) {
		made++
		return d.side.Console(o)
	}}
	for range 3 {
		if _, err := s.site(settings{Idle: time.Hour}); err != nil {
			t.Fatal(err)
		}
	}
	if made != 1 {
		t.Errorf("%d made for one configuration", made)
	}
	for i := range 3 * maxSites {
		if _, err := s.site(settings{Idle: time.Duration(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.sites) > maxSites {
		t.Errorf("%d are kept", len(s.sites))
	}
}

func TestSecretOfTheProviderIsInNoLog(t *testing.T) {
	d := open(t, site.Options{OIDC: &site.OIDC{Issuer: "http://127.0.0.1:1", ClientID: "svc", ClientSecret: "s3cret-of-oidc"}})
	ask(t, d.browser(t), http.MethodGet, d.gateway.URL+"/console/oidc/start", nil)
	d.conn.away = true
	ask(t, d.browser(t), http.MethodGet, d.gateway.URL+"/console/keys", nil)
	if d.log.Len() == 0 {
		t.Error("nothing is logged, and so nothing shown")
	}
	for _, entry := range d.log.All() {
		if strings.Contains(entry.Message, "s3cret") {
			t.Errorf("%q", entry.Message)
		}
		for _, value := range entry.ContextMap() {
			if text, ok := value.(string); ok && strings.Contains(text, "s3cret") {
				t.Errorf("%q", text)
			}
		}
	}
}
