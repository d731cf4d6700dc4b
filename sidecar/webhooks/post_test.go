package webhooks_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/storetest"
	"github.com/svc-games/svc/sidecar/webhooks"
	"github.com/svc-games/svc/test/wait"
)

// on runs a test on SQLite: it is not about the store.
func on(t *testing.T) *fixture {
	t.Helper()
	path := filepath.Join(t.TempDir(), store.SQLiteFile)
	storetest.SQLite(t, path)
	s, err := store.OpenSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return newFixture(t, s, time.Now())
}

// leadsTo resolves every name to addresses.
func leadsTo(addresses ...string) func(*webhooks.SenderOptions) {
	return func(o *webhooks.SenderOptions) {
		o.LookUp = func(context.Context, string) ([]netip.Addr, error) {
			var list []netip.Addr
			for _, a := range addresses {
				list = append(list, netip.MustParseAddr(a))
			}
			return list, nil
		}
	}
}

func TestNothingIsPostedToAddressesThatAreNotPublic(t *testing.T) {
	private := []string{
		"127.0.0.1", "127.255.0.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
		"192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.2.3", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::7f00:1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1",
		"fd12:3456::1", "ff02::1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1",
	}
	f := on(t)
	strict := webhooks.New(f.store, f.clock, nil)
	for _, addr := range private {
		if webhooks.Allowed(addr, "https") {
			t.Errorf("%s is allowed", addr)
		}
		host := addr
		if strings.Contains(addr, ":") {
			host = "[" + strings.ReplaceAll(addr, "%", "%25") + "]"
		}
		var refused *answers.Error
		if _, err := strict.SetWebhook(t.Context(), f.project, api.WebhookRequest{URL: "https://" + host + "/"}); !errors.As(err, &refused) || refused.Status != 400 {
			t.Errorf("%s is set: %v", addr, err)
		}
	}
	for _, addr := range []string{"1.1.1.1", "93.184.215.14", "::ffff:1.1.1.1", "2606:4700::1111", "2a00:1450::1"} {
		if !webhooks.Allowed(addr, "https") || webhooks.Allowed(addr, "http") {
			t.Errorf("%s is not allowed, or without TLS", addr)
		}
	}
	if n := netip.MustParsePrefix("10.1.0.0/16"); !webhooks.Allowed("10.1.2.3", "http", n) || !webhooks.Allowed("::ffff:10.1.2.3", "https", n) ||
		webhooks.Allowed("10.2.0.1", "https", n) {
		t.Error("the operator's network is not what is allowed")
	}
	if _, err := strict.SetWebhook(t.Context(), f.project, api.WebhookRequest{URL: "http://hooks.example.com/"}); err == nil {
		t.Error("an address without TLS is set")
	}
}

func TestNameThatLeadsToAnAddressThatIsNotPublicIsNotPostedTo(t *testing.T) {
	f, r := on(t), newReceiver(t)
	u, err := url.Parse(r.URL)
	if err != nil {
		t.Fatal(err)
	}
	f.set(f.project, "https://hooks.example.com:"+u.Port()+"/")
	f.end(f.project, api.JobCompleted)
	strictly := func(o *webhooks.SenderOptions) { o.Networks = nil }
	for _, addresses := range [][]string{{"127.0.0.1"}, {"1.1.1.1", "127.0.0.1"}, {"::ffff:127.0.0.1"}} {
		f.sender(leadsTo(addresses...), strictly).Once(t.Context())
		if d := f.only(); d.State != api.DeliveryWaiting || !strings.Contains(d.Problem, "must be public") {
			t.Errorf("%v: %+v", addresses, d)
		}
		f.pass(time.Hour)
	}
	if len(r.got()) > 0 {
		t.Error("it was posted")
	}
}

// TestPostGoesToTheAddressThatWasLookedAt has a name lead elsewhere when it is looked up
// again.
func TestPostGoesToTheAddressThatWasLookedAt(t *testing.T) {
	f, r := on(t), newReceiver(t)
	u, err := url.Parse(r.URL)
	if err != nil {
		t.Fatal(err)
	}
	f.set(f.project, "http://hooks.example.com:"+u.Port()+"/")
	f.end(f.project, api.JobCompleted)
	var asked atomic.Int64
	f.sender(func(o *webhooks.SenderOptions) {
		o.LookUp = func(context.Context, string) ([]netip.Addr, error) {
			if asked.Add(1) > 1 {
				return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}
	}).Once(t.Context())
	if posts := r.got(); asked.Load() != 1 || len(posts) != 1 || posts[0].host != "hooks.example.com:"+u.Port() {
		t.Errorf("looked up %d times, posted %d times", asked.Load(), len(posts))
	}
}

func TestCertificateMustBeTheHosts(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate()) // of example.com
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{"example.com": "", "other.test": "certificate"} {
		f := on(t)
		f.set(f.project, "https://"+host+":"+u.Port()+"/")
		f.end(f.project, api.JobCompleted)
		f.sender(leadsTo("127.0.0.1"), func(o *webhooks.SenderOptions) { o.Roots = roots }).Once(t.Context())
		if d := f.only(); want == "" && d.State != api.DeliveryDelivered || !strings.Contains(d.Problem, want) {
			t.Errorf("%s: %+v", host, d)
		}
	}
}

// untilGone returns when whoever posted is gone. A server looks for that once it has read
// the request.
func untilGone(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func TestReceiverThatMisbehavesIsCutOff(t *testing.T) {
	followed := newReceiver(t)
	var sent atomic.Int64
	for name, test := range map[string]struct {
		answer  http.HandlerFunc
		state   string
		problem string
	}{
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, followed.URL, http.StatusTemporaryRedirect)
		}, api.DeliveryWaiting, "Redirects"},
		"slow head": {func(_ http.ResponseWriter, r *http.Request) { untilGone(r) }, api.DeliveryWaiting, "No answer within"},
		"slow body": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			untilGone(r)
		}, api.DeliveryDelivered, ""},
		"another protocol": {func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			_, _ = io.Copy(io.Discard, conn) // until whoever posted is gone
			_ = conn.Close()
		}, api.DeliveryWaiting, "answered 101"},
		"endless body": {func(w http.ResponseWriter, _ *http.Request) {
			for {
				n, err := w.Write(make([]byte, 1<<16))
				if sent.Add(int64(n)); err != nil {
					return
				}
			}
		}, api.DeliveryDelivered, ""},
		"endless head": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		}, api.DeliveryWaiting, "No answer"},
		"cut": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, api.DeliveryWaiting, "No answer"},
	} {
		f := on(t)
		server := httptest.NewServer(test.answer)
		f.set(f.project, server.URL)
		f.end(f.project, api.JobCompleted)
		s := f.sender()
		if strings.HasPrefix(name, "slow") {
			s.SetTimeout(100 * time.Millisecond)
		} else {
			s.SetTimeout(wait.Patience)
		}
		s.Once(t.Context())
		server.Close()
		if d := f.only(); d.State != test.state || !strings.Contains(d.Problem, test.problem) {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if len(followed.got()) > 0 {
		t.Error("a redirect was followed")
	}
	if n := sent.Load(); n > 64<<20 {
		t.Errorf("%d bytes of an answer were taken", n)
	}
}

// TestSlowReceiverDelaysItsOwnProjectAlone has two senders, as of two sidecars.
func TestSlowReceiverDelaysItsOwnProjectAlone(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		r := newReceiver(t)
		begun, release := make(chan struct{}, 2), make(chan struct{})
		slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			begun <- struct{}{}
			<-release
		}))
		t.Cleanup(slow.Close)
		other := f.newProject()
		f.set(f.project, slow.URL)
		f.set(other, r.URL)
		f.end(f.project, api.JobCompleted)
		f.end(f.project, api.JobCompleted)
		one, two := f.sender(), f.sender()
		one.Begin(t.Context())
		<-begun
		f.end(other, api.JobCompleted)
		one.Begin(t.Context())
		two.Once(t.Context()) // takes nothing else of the first project
		wait.Until(t, "the other project's post", func() bool { return len(r.got()) == 1 })
		if len(begun) > 0 {
			t.Error("two posts of a project were under way")
		}
		close(release)
		one.Once(t.Context())
		two.Once(t.Context())
		<-begun
		if list := f.deliveries(api.DeliveryDelivered); len(list) != 2 {
			t.Errorf("delivered %+v", list)
		}
	})
}

func TestSlowReceiversDelayTheirOwnersAlone(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		r := newReceiver(t)
		begun, release := make(chan struct{}, 16), make(chan struct{})
		slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			begun <- struct{}{}
			<-release
		}))
		t.Cleanup(slow.Close)
		for range webhooks.PerOwner + 2 {
			project := f.newProject()
			f.set(project, slow.URL)
			f.end(project, api.JobCompleted)
		}
		one := f.sender()
		one.Begin(t.Context())
		for range webhooks.PerOwner {
			<-begun
		}
		f.as("bob")
		f.set(f.project, r.URL)
		f.end(f.project, api.JobCompleted)
		f.sender().Once(t.Context())
		if len(r.got()) != 1 || len(begun) > 0 {
			t.Errorf("%d posts of another owner, %d more of the slow one", len(r.got()), len(begun))
		}
		close(release)
		one.Once(t.Context())
	})
}

func TestDeliveriesAreListedForAMonthAfterTheirEnd(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		r := newReceiver(t)
		r.answer(http.StatusGone)
		f.set(f.project, r.URL)
		f.end(f.project, api.JobCompleted)
		s := f.sender()
		s.Once(t.Context())
		f.pass(webhooks.Keep)
		s.Prune(t.Context())
		id := f.only().ID
		if _, err := f.registry.ReplayDelivery(t.Context(), f.project, id); err != nil {
			t.Fatal(err)
		}
		f.pass(webhooks.Keep)
		s.Prune(t.Context())
		if d := f.only(); d.State != api.DeliveryWaiting {
			t.Errorf("listed %+v", d)
		}
		s.Once(t.Context())
		f.pass(webhooks.Keep + time.Millisecond)
		s.Prune(t.Context())
		if list := f.deliveries(""); len(list) > 0 {
			t.Errorf("listed %+v", list)
		}
	})
}

func TestPostThatStopsWithItsSenderIsDueAtOnce(t *testing.T) {
	f := on(t)
	ctx, stop := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stop()
		untilGone(r)
	}))
	t.Cleanup(server.Close)
	f.set(f.project, server.URL)
	f.end(f.project, api.JobCompleted)
	f.sender().Run(ctx)
	if d := f.only(); d.State != api.DeliveryWaiting || d.Attempts != 0 || !d.NextAt.Equal(f.clock()) {
		t.Errorf("listed %+v", d)
	}
}
