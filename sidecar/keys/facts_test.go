package keys_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
)

func TestAKeyKeepsTheScopesAndLabelsItWasMadeWith(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, _ *store.Store) {
		for _, tc := range []struct {
			asked keys.Request
			want  []string
		}{
			{keys.Request{}, []string{policy.ScopeFull}},
			{keys.Request{Labels: map[string]string{"team": "arcade"}}, []string{policy.ScopeFull}},
			{keys.Request{Scopes: []string{policy.ScopeRead}}, []string{policy.ScopeRead}},
			{keys.Request{Scopes: []string{"deploy", "read"}, Labels: map[string]string{"stage": "test", "team": ""}}, []string{"deploy", "read"}},
		} {
			tc.asked.UserID, tc.asked.Name = "alice", "ci"
			made, err := g.CreateWith(t.Context(), "uid:7", tc.asked, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := g.Rename(t.Context(), "uid:7", made.ID, "other"); err != nil {
				t.Fatal(err)
			}
			key, err := g.Key(t.Context(), made.ID)
			if err != nil || !slices.Equal(key.Scopes, tc.want) || !slices.Equal(made.Scopes, tc.want) ||
				len(key.Labels) != len(tc.asked.Labels) || len(key.Labels) > 0 && !reflect.DeepEqual(key.Labels, tc.asked.Labels) {
				t.Errorf("made %+v, kept %+v, %v", made, key, err)
			}
		}
	})
}

func TestScopesAndLabelsThatAreNoneAreRefused(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, s *store.Store) {
		audit, revlog := logs(t, s)
		for name, r := range map[string]keys.Request{
			"capitals":      {Scopes: []string{"READ"}},
			"empty":         {Scopes: []string{""}},
			"space":         {Scopes: []string{"read "}},
			"twice":         {Scopes: []string{"read", "read"}},
			"too many":      {Scopes: strings.Split("abcdefghi", "")},
			"label's name":  {Labels: map[string]string{"a b": "x"}},
			"label's text":  {Labels: map[string]string{"a": "x\ny"}},
			"not UTF-8":     {Labels: map[string]string{"a": "\xff"}},
			"label's size":  {Labels: map[string]string{"a": strings.Repeat("x", 121)}},
			"label unnamed": {Labels: map[string]string{"": "x"}},
		} {
			r.UserID, r.Name = "alice", "ci"
			if _, err := g.CreateWith(t.Context(), "uid:7", r, nil); !errors.Is(err, keys.ErrInvalid) {
				t.Errorf("%s: %v, want a refusal", name, err)
			}
		}
		if auditNow, revlogNow := logs(t, s); auditNow != audit || revlogNow != revlog {
			t.Error("what was refused is in the logs")
		}
	})
}
