package console_test

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/site"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

// desk is a console over a sidecar of its own, on a clock that tests move.
type desk struct {
	t    *testing.T
	side *service.Service
	http *httptest.Server
	path string       // of the store
	at   atomic.Int64 // Unix milliseconds
}

func (d *desk) now() time.Time { return time.UnixMilli(d.at.Load()).UTC() }

func (d *desk) pass(t time.Duration) { d.at.Add(t.Milliseconds()) }

// open opens a console with the users alice and bob.
func open(t *testing.T, o site.Options) *desk {
	t.Helper()
	return openBy(t, o, policytest.Embedded(t))
}

// openBy is open with a policy.
func openBy(t *testing.T, o site.Options, rules service.Policy) *desk {
	t.Helper()
	d := &desk{t: t}
	d.at.Store(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).UnixMilli())
	dir := t.TempDir()
	d.path = filepath.Join(dir, "svc.db")
	storetest.SQLite(t, d.path)
	var err error
	d.side, err = service.Open(t.Context(), service.Options{DataDir: dir, Policy: rules, Now: d.now, DecisionTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.side.Console(o)
	if err != nil {
		t.Fatal(err)
	}
	d.http = httptest.NewTLSServer(c)
	t.Cleanup(func() {
		d.http.Close()
		if err := d.side.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, id := range []string{"alice", "bob"} {
		if _, err := d.side.Keys().CreateUser(context.Background(), "test", id, 5_000_000); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// storeSQL runs a statement on the store, past the sidecar.
func (d *desk) storeSQL(statement string) {
	d.t.Helper()
	db, err := sql.Open("sqlite", "file:"+d.path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		d.t.Fatal(err)
	}
	_, err = db.Exec(statement)
	if err := errors.Join(err, db.Close()); err != nil {
		d.t.Fatal(err)
	}
}

// browser is somebody at the console, signed in or not.
type browser struct {
	*desk
	http.Client
}

func (d *desk) browser() *browser {
	d.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		d.t.Fatal(err)
	}
	b := &browser{desk: d, Client: *d.http.Client()}
	b.Jar = jar
	return b
}

// as returns a browser in which a user is signed in.
func (d *desk) as(userID string) *browser {
	d.t.Helper()
	link, err := d.side.Sessions().NewLink(context.Background(), "test", userID)
	if err != nil {
		d.t.Fatal(err)
	}
	b := d.browser()
	if p := b.send("/console/login", url.Values{"code": {link.Code}, "next": {"/console/keys"}}); p.status != http.StatusOK || p.path != "/console/keys" {
		d.t.Fatalf("signing in: %d at %s\n%s", p.status, p.path, p.body)
	}
	return b
}

// page is what a browser shows after redirects.
type page struct {
	status int
	path   string
	body   string
	header http.Header
}

// has reports whether a page shows a text.
func (p page) has(text string) bool { return strings.Contains(p.body, text) }

func (b *browser) get(path string) page { return b.do(http.MethodGet, path, nil) }

// send sends a form.
func (b *browser) send(path string, form url.Values) page { return b.do(http.MethodPost, path, form) }

func (b *browser) do(method, path string, form url.Values, header ...string) page {
	b.t.Helper()
	req, err := http.NewRequest(method, b.desk.http.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := b.Client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return page{status: resp.StatusCode, path: resp.Request.URL.Path, body: string(body), header: resp.Header}
}

var formCode = regexp.MustCompile(`name="form" value="([^"]+)"`)

// create makes a key through the form and returns it with its page.
func (b *browser) create(name string, fields ...string) (keys.Key, page) {
	b.t.Helper()
	match := formCode.FindStringSubmatch(b.get("/console/keys/new").body)
	if match == nil {
		b.t.Fatal("the form has no code")
	}
	form := url.Values{"form": {match[1]}, "name": {name}}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	p := b.send("/console/keys", form)
	list, err := b.side.Keys().Keys(context.Background(), "")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, key := range list {
		if key.Name == name {
			return key, p
		}
	}
	return keys.Key{}, p
}

// key reads a key from the sidecar.
func (d *desk) key(id string) keys.Key {
	d.t.Helper()
	key, err := d.side.Keys().Key(context.Background(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	return key
}
