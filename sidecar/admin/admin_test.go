package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/access"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/storetest"
	"github.com/svc-games/svc/test/keep"
)

func openRegistry(t *testing.T, dir string) (*keys.Registry, *store.Store) {
	t.Helper()
	storetest.SQLite(t, filepath.Join(dir, "svc.db"))
	s, err := store.OpenSQLite(t.Context(), filepath.Join(dir, "svc.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return keys.New(s, time.Now), s
}

// parts are what the API administers.
func parts(t *testing.T, registry *keys.Registry, s *store.Store, dir string) Parts {
	t.Helper()
	engine, err := activation.Open(t.Context(), activation.Options{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return Parts{Access: access.New(access.Options{Store: s, Policy: engine, Timeout: time.Minute}), Keys: registry, Projects: projects.New(projects.Options{Store: s, Now: time.Now}), Policy: engine}
}

// serve starts the admin API on a socket of its own.
func serve(t *testing.T) (*Client, *Server, *store.Store) {
	t.Helper()
	dir := keep.Dir(t)
	registry, s := openRegistry(t, dir)
	socket := filepath.Join(dir, SocketFile)
	server, err := Start(peer.ServerOptions{Address: peer.Address{Network: "unix", Name: socket}}, parts(t, registry, s, dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return NewClient(socket), server, s
}

func TestUsersAndKeysAreAdministeredOverTheSocket(t *testing.T) {
	c, _, _ := serve(t)
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	user, err := c.CreateUser(ctx, "alice@example.org", 1_500_000)
	check(err)
	if user.Balance != 3*api.MicroPerTIK/2 {
		t.Errorf("balance %s", user.Balance)
	}
	for _, again := range []bool{false, true} {
		credited, err := c.TopUp(ctx, "alice@example.org", keys.Credit{TIK: 500_000, Reference: "invoice-1"})
		check(err)
		if credited.Balance != 2*api.MicroPerTIK || credited.Repeated != again {
			t.Errorf("credited: %+v", credited)
		}
	}
	key, err := c.CreateKey(ctx, keys.Request{UserID: "alice@example.org", Name: "ci", Limits: policy.Limits{JobsPerDay: new(int64(3)), TIKPerMonth: new(api.TIK(2_500_000))}})
	check(err)
	if hash, ok := mint.ParseKey(key.Secret); !ok || hash == (mint.KeyHash{}) {
		t.Errorf("secret %q", key.Secret)
	}
	_, err = c.Rename(ctx, key.ID, "build")
	check(err)
	_, err = c.Disable(ctx, key.ID)
	check(err)
	_, err = c.Enable(ctx, key.ID)
	check(err)
	_, err = c.SetLimits(ctx, key.ID, 4, policy.Limits{JobsPerMonth: new(int64(9))})
	check(err)
	usage, err := c.Usage(ctx, key.ID)
	check(err)
	if usage.KeyID != key.ID || *usage.Limits.JobsPerMonth != 9 || usage.JobsToday != 0 {
		t.Errorf("usage %+v", usage)
	}
	shown, err := c.Key(ctx, key.ID)
	check(err)
	if shown.Name != "build" || shown.State != policy.KeyActive || shown.Version != 5 || shown.Limits.JobsPerDay != nil {
		t.Errorf("key %+v", shown)
	}
	revoked, err := c.Revoke(ctx, key.ID)
	check(err)
	if revoked.State != policy.KeyRevoked {
		t.Errorf("key %+v", revoked)
	}
	list, err := c.Keys(ctx, "alice@example.org")
	check(err)
	if len(list) != 1 || list[0].ID != key.ID {
		t.Errorf("list %+v", list)
	}
	if list, err = c.Keys(ctx, "nobody"); err != nil || len(list) != 0 {
		t.Errorf("keys of nobody: %+v, %v", list, err)
	}
	if user, err = c.User(ctx, "alice@example.org"); err != nil || user.Keys != 0 {
		t.Errorf("user %+v, %v", user, err)
	}
}

func TestAuditNamesTheUserAtTheOtherEnd(t *testing.T) {
	c, _, s := serve(t)
	if _, err := c.CreateUser(t.Context(), "alice", 0); err != nil {
		t.Fatal(err)
	}
	var actor string
	err := s.View(t.Context(), func(r *store.Reader) error {
		return r.Row("SELECT actor FROM audit").Scan(&actor)
	})
	if want := fmt.Sprintf("uid:%d", os.Geteuid()); err != nil || actor != want {
		t.Errorf("actor %q, %v; want %q", actor, err, want)
	}
}

func TestRefusalsHaveAStatusAndAMessage(t *testing.T) {
	c, _, _ := serve(t)
	if _, err := c.CreateUser(t.Context(), "alice", 0); err != nil {
		t.Fatal(err)
	}
	key, err := c.CreateKey(t.Context(), keys.Request{UserID: "alice", Name: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		method, path, body string
		status             int
		message            string
	}{
		{"POST", "/users", `{"id":"alice"}`, 409, "exists already"},
		{"POST", "/users", `{"id":"a b"}`, 400, "the user id"},
		{"POST", "/users", `{"id":"bob","tik":-1}`, 400, "the amount can't be"},
		{"POST", "/users", `{"id":"bob","tik":0.0000001}`, 400, "six places"},
		{"POST", "/users", `{"id":"bob","colour":1}`, 400, "colour"},
		{"POST", "/users", `{"id":7}`, 400, "id can't be a number"},
		{"POST", "/users", `{"id":"bob"} {}`, 400, "after the object"},
		{"POST", "/users", ``, 400, "the body"},
		{"POST", "/users", `{"id":"` + strings.Repeat("x", maxBody) + `"}`, 400, "too large"},
		{"GET", "/users/bob", ``, 404, "there is no user bob"},
		{"POST", "/users/bob/topup", `{"tik":1}`, 404, "there is no user bob"},
		{"POST", "/keys", `{"userId":"alice","name":"x","limits":{"jobsPerDay":1.5}}`, 400, "jobsPerDay"},
		{"POST", "/keys", `{"userId":"alice","name":"x","limits":{"jobsPerDay":9223372036854775808}}`, 400, "jobsPerDay"},
		{"POST", "/keys", `{"userId":"alice","name":"x","limits":{"jobsPerDay":-1}}`, 400, "jobsPerDay"},
		{"POST", "/keys", `{"userId":"bob","name":"x"}`, 404, "there is no user bob"},
		{"GET", "/keys/key_x", ``, 404, "there is no key key_x"},
		{"GET", "/keys/key_x/usage", ``, 404, "there is no key key_x"},
		{"POST", "/keys/" + key.ID + "/enable", ``, 409, "active already"},
		{"PUT", "/keys/" + key.ID + "/limits", `{"version":9,"limits":{}}`, 409, "changed meanwhile"},
		{"DELETE", "/keys/" + key.ID, ``, 404, "no route"},
	} {
		var into any
		err := c.send(t.Context(), tc.method, tc.path, []byte(tc.body), &into)
		var refusal *Error
		if !errors.As(err, &refusal) || refusal.Status != tc.status || !strings.Contains(refusal.Message, tc.message) {
			t.Errorf("%s %s %.60s: %v; want %d %q", tc.method, tc.path, tc.body, err, tc.status, tc.message)
		}
	}
}

func TestRequestWithoutTheTokenIsRefused(t *testing.T) {
	_, server, _ := serve(t)
	bare := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", server.Addr().Name)
	}}
	defer bare.CloseIdleConnections()
	for _, token := range []string{"", "Bearer x"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://admin/keys", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", token)
		res, err := bare.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%q: status %d, want 401", token, res.StatusCode)
		}
	}
}

func TestClientSaysThatNobodyListens(t *testing.T) {
	c, server, _ := serve(t)
	_, err := NewClient(filepath.Join(keep.Dir(t), SocketFile)).Keys(t.Context(), "")
	if !errors.Is(err, ErrNotRunning) {
		t.Errorf("no socket: %v", err)
	}
	// The token stays.
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Keys(t.Context(), ""); !errors.Is(err, ErrNotRunning) {
		t.Errorf("no service: %v", err)
	}
}

func TestAChangeThatMayHaveBeenMadeIsNotSaidToHaveFailed(t *testing.T) {
	_, server, _ := serve(t)
	w := httptest.NewRecorder()
	server.answer(w, http.StatusOK, nil, fmt.Errorf("topping up: %w", store.ErrInDoubt))
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "look before you do it again") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
