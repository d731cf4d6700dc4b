package console_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/site"
)

func (d *desk) link(userID string) string {
	d.t.Helper()
	link, err := d.side.Sessions().NewLink(context.Background(), "test", userID)
	if err != nil {
		d.t.Fatal(err)
	}
	return link.Code
}

func TestLinkOrItsCodeSignsInOnce(t *testing.T) {
	d := open(t, site.Options{})
	for _, form := range []string{"%", " % ", "https://svc.example.com/console/login#%"} {
		code := d.link("alice")
		typed := strings.Replace(form, "%", code, 1)
		b := d.browser()
		if p := b.send("/console/login", url.Values{"code": {typed}}); p.path != "/console/studio" {
			t.Errorf("%q: at %s", form, p.path)
		}
		if p := d.browser().send("/console/login", url.Values{"code": {typed}}); p.status != http.StatusUnauthorized || !p.has("not valid any more") ||
			p.has("still signed in") {
			t.Errorf("%q again: %d", form, p.status)
		}
		if p := b.send("/console/login", url.Values{"code": {typed}}); p.status != http.StatusUnauthorized || !p.has("still signed in, as alice") {
			t.Errorf("%q again by who is signed in: %d", form, p.status)
		}
	}
	code := d.link("alice")
	d.pass(sessions.LinkTTL)
	if p := d.browser().send("/console/login", url.Values{"code": {code}}); p.status != http.StatusUnauthorized {
		t.Errorf("after 15 minutes: %d", p.status)
	}
}

// browse is a request of a browser at http://localhost.
func browse(site http.Handler, method, path string, form url.Values, cookies ...*http.Cookie) *http.Response {
	r := httptest.NewRequest(method, "http://localhost:8080"+path, strings.NewReader(form.Encode()))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for _, cookie := range cookies {
		r.AddCookie(cookie)
	}
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	return w.Result()
}

func TestBrowserThatKeepsNoCookiesWithoutTLSIsRefusedAndTheLinkStaysGood(t *testing.T) {
	d := open(t, site.Options{})
	site, err := d.side.Console(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{"code": {d.link("alice")}}
	page := browse(site, http.MethodGet, "/console/login", nil)
	without := browse(site, http.MethodPost, "/console/login", form)
	body, err := io.ReadAll(without.Body)
	if err != nil || without.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "The link is still good") || len(without.Cookies()) != 0 {
		t.Errorf("without the cookie: %d, %v\n%s", without.StatusCode, err, body)
	}
	with := browse(site, http.MethodPost, "/console/login", form, page.Cookies()...)
	if with.StatusCode != http.StatusSeeOther || len(with.Cookies()) != 1 {
		t.Errorf("with the cookie: %d, %v", with.StatusCode, with.Cookies())
	}
	for _, cookie := range append(page.Cookies(), with.Cookies()...) {
		if !strings.HasPrefix(cookie.Name, "__Host-") || !cookie.Secure || !cookie.HttpOnly {
			t.Errorf("the cookie %s", cookie)
		}
	}
	if p := browse(site, http.MethodGet, "/console/keys", nil, page.Cookies()...); p.StatusCode != http.StatusSeeOther {
		t.Errorf("the first cookie opens a page: %d", p.StatusCode)
	}
}

func TestAPIKeyDoesNotOpenTheConsole(t *testing.T) {
	d := open(t, site.Options{})
	key, err := d.side.Keys().Create(t.Context(), "test", "alice", "ci", policy.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if p := d.browser().send("/console/login", url.Values{"code": {key.Secret}}); p.status != http.StatusUnauthorized {
		t.Errorf("as a code: %d", p.status)
	}
	for _, header := range [][]string{{"X-API-Key", key.Secret}, {"Authorization", "Bearer " + key.Secret}, {"Cookie", "__Host-svc-session=" + key.Secret}} {
		if p := d.browser().do(http.MethodGet, "/console/keys", nil, header...); p.path != "/console/login" {
			t.Errorf("%s: at %s", header[0], p.path)
		}
	}
}

func TestSignInReturnsToThePageAskedForAndNoOther(t *testing.T) {
	d := open(t, site.Options{})
	for next, want := range map[string]string{
		"/console/usage?x=1":           "/console/usage",
		"":                             "/console/studio",
		"https://evil.example.com/":    "/console/studio",
		"//evil.example.com/console/":  "/console/studio",
		"/\\evil.example.com/console/": "/console/studio",
		"/console/\\evil.example.com":  "/console/studio",
		"/v1/projects":                 "/console/studio",
		"javascript:alert(1)":          "/console/studio",
	} {
		p := d.browser().send("/console/login", url.Values{"code": {d.link("alice")}, "next": {next}})
		if p.path != want {
			t.Errorf("%q leads to %s, want %s", next, p.path, want)
		}
	}
	if p := d.browser().get("/console/audit?before=7"); p.path != "/console/login" || !p.has(`name="next" value="/console/audit?before=7"`) {
		t.Error("the sign-in page forgets the page asked for")
	}
}

func TestSigningInIsRateLimited(t *testing.T) {
	d := open(t, site.Options{})
	b := d.browser()
	refused := 0
	for range 30 {
		if p := b.send("/console/login", url.Values{"code": {"guess"}}); p.status == http.StatusTooManyRequests {
			refused++
			if p.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		}
	}
	if refused != 20 {
		t.Errorf("%d of 30 attempts were refused, want 20", refused)
	}
	d.pass(time.Minute)
	if p := b.send("/console/login", url.Values{"code": {d.link("alice")}}); p.path != "/console/studio" {
		t.Errorf("a minute later: %d", p.status)
	}
}

// TestFloodLocksNobodyElseOut tries from every address of a network, and then from
// more networks than all together may come from.
func TestFloodLocksNobodyElseOut(t *testing.T) {
	for name, address := range map[string]func(i int) string{
		"one address":         func(int) string { return "192.0.2.7:1234" },
		"one IPv4 network":    func(i int) string { return fmt.Sprintf("192.0.2.%d:1234", i%256) },
		"one IPv6 network":    func(i int) string { return fmt.Sprintf("[2001:db8:0:%x::1]:1234", i) },
		"a thousand networks": func(i int) string { return fmt.Sprintf("10.%d.%d.1:1234", i/200, i%200) },
		"addresses in a /64":  func(i int) string { return fmt.Sprintf("[2001:db8::%x]:1234", i+1) },
		"no address at all":   func(int) string { return "" },
		"more than are kept":  func(i int) string { return fmt.Sprintf("[2001:%x::1]:1234", i) },
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, site.Options{Secure: true})
			site, err := d.side.Console(site.Options{Secure: true})
			if err != nil {
				t.Fatal(err)
			}
			try := func(from, code string) int {
				r := httptest.NewRequest(http.MethodPost, "/console/login", strings.NewReader(url.Values{"code": {code}}.Encode()))
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.RemoteAddr = from
				w := httptest.NewRecorder()
				site.ServeHTTP(w, r)
				return w.Code
			}
			passed := 0
			for i := range 1500 {
				if try(address(i), "guess") != http.StatusTooManyRequests {
					passed++
				}
			}
			if strings.HasPrefix(name, "one") && passed > 60 {
				t.Errorf("%d guesses of one network in a minute", passed)
			}
			if code := try("198.51.100.1:99", d.link("alice")); code != http.StatusSeeOther {
				t.Errorf("somebody else: %d", code)
			}
		})
	}
}

func TestLinkAsksBeforeItSignsInInThePlaceOfSomebodyElse(t *testing.T) {
	d := open(t, site.Options{})
	b := d.as("alice")
	foreign := d.link("bob")
	for name, form := range map[string]url.Values{
		"a link":                       {"code": {foreign}},
		"one confirmed for who is not": {"code": {foreign}, "as": {"alice"}},
	} {
		p := b.send("/console/login", form)
		if p.status != http.StatusOK || !p.has("Sign in as") || !p.has("You are signed in as <bdi>alice</bdi>") || !p.has(`name="as" value="bob"`) {
			t.Errorf("%s: %d\n%s", name, p.status, p.body)
		}
		if p := b.get("/console/keys"); !p.has("<bdi>alice</bdi>") || p.has("<bdi>bob</bdi>") {
			t.Errorf("%s: signed in as somebody else", name)
		}
	}
	if p := b.send("/console/login", url.Values{"code": {foreign}, "as": {"bob"}, "next": {"/console/keys"}}); p.path != "/console/keys" || !p.has("<bdi>bob</bdi>") {
		t.Errorf("confirmed: %d at %s", p.status, p.path)
	}
	if p := b.send("/console/login", url.Values{"code": {d.link("bob")}}); p.path != "/console/studio" {
		t.Errorf("one's own link: %d at %s", p.status, p.path)
	}
}

func TestLinkThatAnotherSiteLedToAsks(t *testing.T) {
	d := open(t, site.Options{})
	for site, want := range map[string]bool{"none": false, "same-origin": false, "same-site": true, "cross-site": true, "": true} {
		b := d.browser()
		page := b.do(http.MethodGet, "/console/login", nil, "Sec-Fetch-Site", site)
		asks := page.has(`name="ask" value="1"`)
		if asks != want {
			t.Errorf("%q: the page asks: %v", site, asks)
		}
		form := url.Values{"code": {d.link("alice")}}
		if asks {
			form.Set("ask", "1")
		}
		p := b.send("/console/login", form)
		if asked := p.path == "/console/login" && p.has(`name="as" value="alice"`); asked != want {
			t.Errorf("%q: asked: %v, at %s", site, asked, p.path)
		}
		form.Set("as", "alice")
		if p := b.send("/console/login", form); want && p.path != "/console/studio" {
			t.Errorf("%q: confirmed: %d at %s", site, p.status, p.path)
		}
	}
}

func TestRequestsOfAUserNamedByCaddyWriteOneSession(t *testing.T) {
	d := open(t, site.Options{Identity: func(*http.Request) string { return "alice" }})
	entries := func() int {
		log, err := d.side.Keys().Audit(t.Context(), "", "alice", 0)
		if err != nil {
			t.Fatal(err)
		}
		return len(log.Entries)
	}
	d.browser().get("/console/keys")
	before := entries()
	for range 20 { // none brings a cookie
		if p := d.browser().get("/console/keys"); p.path != "/console/keys" || len(p.header["Set-Cookie"]) > 0 {
			t.Errorf("at %s with %v", p.path, p.header["Set-Cookie"])
		}
	}
	if after := entries(); after != before {
		t.Errorf("%d entries in the log, %d before", after, before)
	}
	d.browser().send("/console/logout", nil) // by one of them
	if p := d.browser().get("/console/keys"); p.path != "/console/keys" || entries() != before+2 {
		t.Errorf("signed out and in: at %s, %d entries", p.path, entries())
	}
	d.pass(sessions.DefaultAbsolute + time.Second)
	if p := d.browser().get("/console/keys"); p.path != "/console/keys" || entries() != before+3 {
		t.Errorf("the next day: at %s, %d entries", p.path, entries())
	}
}

func TestWithoutTLSOnlyThisMachineSignsIn(t *testing.T) {
	d := open(t, site.Options{})
	handler, err := d.side.Console(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		"localhost:8080": http.StatusSeeOther, "127.0.0.1": http.StatusSeeOther, "[::1]:8080": http.StatusSeeOther, "svc.localhost": http.StatusSeeOther,
		"svc.example.com": http.StatusForbidden, "10.0.0.1:8080": http.StatusForbidden, "localhost.example.com": http.StatusForbidden,
	} {
		r := httptest.NewRequest(http.MethodPost, "http://"+host+"/console/login", strings.NewReader(url.Values{"code": {d.link("alice")}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		page := httptest.NewRecorder()
		handler.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "http://"+host+"/console/login", nil))
		for _, cookie := range page.Result().Cookies() {
			r.AddCookie(cookie)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s: %d, want %d", host, w.Code, want)
		}
		for _, cookie := range w.Result().Cookies() {
			if !cookie.Secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" {
				t.Errorf("%s: cookie %+v", host, cookie)
			}
		}
	}
}

func TestSessionEndsIdleAndForms(t *testing.T) {
	d := open(t, site.Options{Idle: 10 * time.Minute})
	b := d.as("alice")
	d.pass(9 * time.Minute)
	if p := b.get("/console/keys"); p.path != "/console/keys" {
		t.Errorf("in time: at %s", p.path)
	}
	d.pass(11 * time.Minute)
	if p := b.get("/console/keys"); p.path != "/console/login" {
		t.Errorf("idle: at %s", p.path)
	}
}

func TestSignOutEndsThisSessionAndEverywhereAll(t *testing.T) {
	d := open(t, site.Options{})
	one, two, three := d.as("alice"), d.as("alice"), d.as("alice")
	if p := one.send("/console/logout", nil); !p.has("You are signed out") {
		t.Errorf("signing out: %d at %s", p.status, p.path)
	}
	if p := one.get("/console/keys"); p.path != "/console/login" {
		t.Error("still signed in")
	}
	if p := two.get("/console/keys"); p.path != "/console/keys" {
		t.Error("another session ended too")
	}
	two.send("/console/logout-everywhere", nil)
	if p := three.get("/console/keys"); p.path != "/console/login" {
		t.Error("signed in elsewhere")
	}
}

func TestWhomCaddyNamesIsSignedIn(t *testing.T) {
	who := "alice"
	d := open(t, site.Options{Identity: func(*http.Request) string { return who }})
	b := d.browser()
	if p := b.get("/console/keys"); p.path != "/console/keys" || !p.has("alice") {
		t.Errorf("at %s", p.path)
	}
	who = "bob" // another person with the same browser
	if p := b.get("/console/keys"); p.path != "/console/keys" || !p.has("bob") || p.has("alice") {
		t.Error("the session of the one before is used")
	}
	who = "" // no longer authenticated
	if p := b.get("/console/keys"); p.path != "/console/login" {
		t.Error("the session outlives the identity")
	}
	who = "nobody"
	if p := b.get("/console/keys"); p.path != "/console/login" {
		t.Error("a user who is not there is signed in")
	}
}

func TestStoreThatFailsIsNoSignOut(t *testing.T) {
	d := open(t, site.Options{})
	b := d.as("alice")
	key, err := d.side.Keys().Create(t.Context(), "test", "alice", "ci", policy.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	handler, err := d.side.Console(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, d.http.URL+"/console/keys/"+key.ID, nil)
	u, err := url.Parse(d.http.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range b.Jar.Cookies(u) {
		r.AddCookie(cookie)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), mint.MaskKey(key.Secret)) {
		t.Errorf("status %d", w.Code)
	}
}
