package admin

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/access"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/test/keep"
)

// refusing is a policy that refuses one action, and notes who asks.
type refusing struct {
	action policy.Action
	asked  policy.User
	in     policy.Input
	of     peer.Request
}

func (r *refusing) Revision() string { return "" }

func (r *refusing) Decide(ctx context.Context, in policy.Input) (policy.Decision, error) {
	r.asked, r.in, r.of = *in.User, in, peer.RequestOf(ctx)
	if in.Action == r.action {
		return policy.Decision{Status: http.StatusForbidden, Error: "Closed by a rule.", Rule: "test.closed"}, nil
	}
	return policy.Decision{Allow: true, Status: http.StatusOK, Rule: "allowed"}, nil
}

func TestAdminsGetOfUsersDataWhatThePolicyAllows(t *testing.T) {
	dir := keep.Dir(t)
	registry, s := openRegistry(t, dir)
	rules := &refusing{}
	p := parts(t, registry, s, dir)
	p.Access = access.New(access.Options{Store: s, Policy: rules, Timeout: time.Minute})
	socket := filepath.Join(dir, SocketFile)
	server, err := Start(peer.ServerOptions{Address: peer.Address{Network: "unix", Name: socket}}, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	c := NewClient(socket)
	if _, err := c.CreateUser(t.Context(), "alice", 0); err != nil {
		t.Fatal(err)
	}
	if rules.asked.Via != policy.ViaAdmin || !strings.HasPrefix(rules.asked.ID, "uid:") {
		t.Errorf("the policy sees %+v", rules.asked)
	}
	read := func() error { _, err := c.User(t.Context(), "alice"); return err }
	write := func() error {
		_, err := c.CreateKey(t.Context(), keys.Request{UserID: "alice", Name: "ci"})
		return err
	}
	reports := func() error { _, err := c.Reports(t.Context()); return err }
	made, err := p.Projects.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "pong", Template: "blank"})
	if err != nil {
		t.Fatal(err)
	}
	block := func() error { return c.BlockGame(t.Context(), made.ID, "harmful") }
	unblock := func() error { return c.UnblockGame(t.Context(), made.ID) }
	for _, tc := range []struct {
		refuses       policy.Action
		reads, writes bool
	}{
		{policy.ActionAdminRead, false, true}, {policy.ActionAdminWrite, true, false}, {"", true, true},
	} {
		rules.action = tc.refuses
		for _, call := range []struct {
			do   func() error
			want bool
		}{{read, tc.reads}, {reports, tc.reads}, {write, tc.writes}, {block, tc.writes}, {unblock, tc.writes}} {
			err := call.do()
			var refused *Error
			if call.want != (err == nil) || err != nil && (!errors.As(err, &refused) || refused.Status != http.StatusForbidden || refused.Message != "Closed by a rule.") {
				t.Errorf("without %q: %v", tc.refuses, err)
			}
		}
		if _, err := c.PolicyStatus(t.Context()); err != nil {
			t.Errorf("without %q: the policy can't be seen: %v", tc.refuses, err)
		}
	}
}

// TestADecisionForAnAdminIsAboutWhomTheRequestNames: by its address, its question or its body.
func TestADecisionForAnAdminIsAboutWhomTheRequestNames(t *testing.T) {
	dir := keep.Dir(t)
	registry, s := openRegistry(t, dir)
	rules := &refusing{}
	p := parts(t, registry, s, dir)
	p.Access = access.New(access.Options{Store: s, Policy: rules, Timeout: time.Minute})
	socket := filepath.Join(dir, SocketFile)
	server, err := Start(peer.ServerOptions{Address: peer.Address{Network: "unix", Name: socket}}, p)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c := NewClient(socket)
	ctx := t.Context()
	if _, err := c.CreateUser(ctx, "alice", 0); err != nil {
		t.Fatal(err)
	}
	if rules.in.Target == nil || rules.in.Target.UserID != "alice" || rules.in.Target.State != "" {
		t.Errorf("a user who is to be made: %+v", rules.in.Target)
	}
	vip := "yes"
	if _, err := registry.SetAttributes(ctx, "test", "alice", map[string]*string{"vip": &vip}); err != nil {
		t.Fatal(err)
	}
	key, err := c.CreateKey(ctx, keys.Request{UserID: "alice", Name: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	made, err := p.Projects.CreateProject(ctx, "alice", api.ProjectRequest{Name: "pong", Template: "blank"})
	if err != nil {
		t.Fatal(err)
	}
	failed := func(_ any, err error) error { return err }
	for name, tc := range map[string]struct {
		do                 func() error
		user, key, project string
	}{
		"a user":            {func() error { return failed(c.User(ctx, "alice")) }, "alice", "", ""},
		"a user's facts":    {func() error { return failed(c.SetUserAttributes(ctx, "alice", map[string]*string{"vip": &vip})) }, "alice", "", ""},
		"a key that is new": {func() error { return failed(c.CreateKey(ctx, keys.Request{UserID: "alice", Name: "cd"})) }, "alice", "", ""},
		"a user's keys":     {func() error { return failed(c.Keys(ctx, "alice")) }, "alice", "", ""},
		"a key":             {func() error { return failed(c.Key(ctx, key.ID)) }, "alice", key.ID, ""},
		"a key's end":       {func() error { return failed(c.Revoke(ctx, key.ID)) }, "alice", key.ID, ""},
		"all keys":          {func() error { return failed(c.Keys(ctx, "")) }, "", "", ""},
		"a project":         {func() error { return failed(c.Project(ctx, made.ID)) }, "", "", made.ID},
		"a game":            {func() error { return c.BlockGame(ctx, made.ID, "harmful") }, "", "", made.ID},
		"an audit log":      {func() error { return failed(c.Audit(ctx, key.ID, "", 0)) }, "alice", key.ID, ""},
	} {
		rules.in = policy.Input{}
		if err := tc.do(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var target policy.Target
		if rules.in.Target != nil {
			target = *rules.in.Target
		}
		if target.UserID != tc.user || target.KeyID != tc.key || (target.Attributes["vip"] == "yes") != (tc.user != "") {
			t.Errorf("%s: decided about %+v", name, target)
		}
		if got := rules.in.Project; (got != nil) != (tc.project != "") || got != nil && got.ID != tc.project {
			t.Errorf("%s: decided on the project %+v", name, got)
		}
	}
}

// TestADecisionForAnAdminIsForTheRequestThatTheAnswerNames: the log is then asked by it.
func TestADecisionForAnAdminIsForTheRequestThatTheAnswerNames(t *testing.T) {
	dir := keep.Dir(t)
	registry, s := openRegistry(t, dir)
	rules := &refusing{action: policy.ActionAdminRead}
	p := parts(t, registry, s, dir)
	p.Access = access.New(access.Options{Store: s, Policy: rules, Timeout: time.Minute})
	socket := filepath.Join(dir, SocketFile)
	server, err := Start(peer.ServerOptions{Address: peer.Address{Network: "unix", Name: socket}}, p)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c := peer.UnixClient(socket)
	defer c.CloseIdle()
	ids := map[string]bool{}
	for range 2 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://admin/keys", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := c.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		id := answer.Header.Get("X-Request-Id")
		if answer.StatusCode != http.StatusForbidden || id == "" || rules.of != (peer.Request{ID: id, Method: http.MethodGet}) {
			t.Errorf("%d, named %q, decided for %+v", answer.StatusCode, id, rules.of)
		}
		ids[id] = true
	}
	if len(ids) != 2 {
		t.Errorf("two requests are known by %v", ids)
	}
}
