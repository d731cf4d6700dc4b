package console_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar/site"
)

// leading is the shipped policy with a rule by which whoever leads a team is let at the keys
// of those in it. It keeps what it is asked about keys.
type leading struct {
	*closing
	asked []policy.Input
	full  error // why no decision can be made
}

var onKeys = []policy.Action{policy.ActionReadKeys, policy.ActionChangeKey, policy.ActionReadOthersKeys, policy.ActionChangeOthersKeys}

func (l *leading) Decide(ctx context.Context, in policy.Input) (policy.Decision, error) {
	if !slices.Contains(onKeys, in.Action) {
		return l.closing.Decide(ctx, in)
	}
	if !decisionlog.Page(ctx) {
		in.Action += " without a bound"
	}
	l.asked = append(l.asked, in)
	others := in.Action == policy.ActionReadOthersKeys || in.Action == policy.ActionChangeOthersKeys
	if others && l.full == nil && in.Target.Attributes["team"] != "" && in.Target.Attributes["team"] == in.User.Attributes["leads"] {
		return policy.Decision{Allow: true, Status: http.StatusOK, Rule: "allowed"}, nil
	}
	d, err := l.closing.Decide(ctx, in)
	if l.full != nil {
		err = l.full
	}
	return d, err
}

// TestAKeyThatIsNotTheUsersIsForThePolicyToRefuse: the shipped one lets nobody at others' keys,
// and a key that is not there gets the same answer.
func TestAKeyThatIsNotTheUsersIsForThePolicyToRefuse(t *testing.T) {
	rules := &leading{closing: newClosing(t)}
	d := openBy(t, site.Options{}, rules)
	bob := d.estate("bob").keyID
	alice := d.as("alice")
	for _, tc := range []struct {
		method, path string
		action       policy.Action
		target       policy.Target
	}{
		{"GET", "/console/keys/" + bob, policy.ActionReadOthersKeys, policy.Target{UserID: "bob", KeyID: bob, State: policy.UserActive}},
		{"POST", "/console/keys/" + bob + "/name", policy.ActionChangeOthersKeys, policy.Target{UserID: "bob", KeyID: bob, State: policy.UserActive}},
		{"POST", "/console/keys/" + bob + "/revoke", policy.ActionChangeOthersKeys, policy.Target{UserID: "bob", KeyID: bob, State: policy.UserActive}},
		{"GET", "/console/keys/none", policy.ActionReadOthersKeys, policy.Target{KeyID: "none"}},
	} {
		rules.asked, rules.full = nil, nil
		p := alice.do(tc.method, tc.path, url.Values{"name": {"mine"}})
		if p.status != http.StatusNotFound || !p.has("You have no such key.") || len(rules.asked) != 1 {
			t.Fatalf("%s %s: %d after %+v", tc.method, tc.path, p.status, rules.asked)
		}
		in := rules.asked[0]
		if in.Action != tc.action || in.User.ID != "alice" || in.Target == nil || in.Target.UserID != tc.target.UserID ||
			in.Target.KeyID != tc.target.KeyID || in.Target.State != tc.target.State || in.Request == nil {
			t.Errorf("%s %s: decided on %+v about %+v", tc.method, tc.path, in, in.Target)
		}
		rules.full = decisionlog.ErrNotRecorded
		if p := alice.do(tc.method, tc.path, url.Values{"name": {"mine"}}); p.status != http.StatusServiceUnavailable {
			t.Errorf("%s %s, where it must be recorded and can't: %d", tc.method, tc.path, p.status)
		}
	}
	rules.full = nil
	if p := alice.get("/console/keys?user=bob"); p.status != http.StatusForbidden || p.has(bob) {
		t.Errorf("the list of bob's keys: %d", p.status)
	}
}

// TestAPolicyMayLetALeadAtTheKeysOfATeam: no other code than the rules compares users.
func TestAPolicyMayLetALeadAtTheKeysOfATeam(t *testing.T) {
	rules := &leading{closing: newClosing(t)}
	d := openBy(t, site.Options{}, rules)
	if _, err := d.side.Keys().CreateUser(t.Context(), "test", "carol", 5_000_000); err != nil {
		t.Fatal(err)
	}
	bob, carol := d.estate("bob").keyID, d.estate("carol").keyID
	alice := d.as("alice")
	red := "red"
	for user, name := range map[string]string{"alice": "leads", "bob": "team"} {
		if _, err := d.side.Keys().SetAttributes(t.Context(), "test", user, map[string]*string{name: &red}); err != nil {
			t.Fatal(err)
		}
	}
	if p := alice.get("/console/keys?user=bob"); p.status != http.StatusOK || !p.has(bob) || !p.has("of <bdi>bob</bdi>") || p.has("Create key") {
		t.Errorf("the list of the team: %d\n%s", p.status, p.body)
	}
	if p := alice.get("/console/keys/" + bob); p.status != http.StatusOK || !p.has("/console/keys?user=bob") {
		t.Errorf("a key of the team: %d\n%s", p.status, p.body)
	}
	if p := alice.send("/console/keys/"+bob+"/name", url.Values{"name": {"of the team"}}); p.status != http.StatusOK || !p.has("of the team") {
		t.Errorf("renaming a key of the team: %d\n%s", p.status, p.body)
	}
	if key, err := d.side.Keys().Key(t.Context(), bob); err != nil || key.Name != "of the team" || key.UserID != "bob" {
		t.Errorf("the key is %+v, %v", key, err)
	}
	for _, path := range []string{"/console/keys/" + carol, "/console/keys/" + carol + "/revoke"} {
		if p := alice.get(path); p.status != http.StatusNotFound {
			t.Errorf("%s of another team: %d", path, p.status)
		}
	}
	for path, want := range map[string]int{"/console/keys?user=carol": http.StatusForbidden, "/console/keys?user=nobody": http.StatusForbidden, "/console/keys?user=alice": http.StatusOK} {
		if p := alice.get(path); p.status != want {
			t.Errorf("%s: %d, want %d", path, p.status, want)
		}
	}
}
