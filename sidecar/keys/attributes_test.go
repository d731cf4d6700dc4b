package keys_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
)

func TestAttributesOfAUserAreSetAuditedAndVoidDecisions(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, _ *store.Store) {
		hints, stop := g.Watch()
		defer stop()
		school, paris := "school", "Paris é"
		for _, step := range []struct {
			set  map[string]*string
			want map[string]string
		}{
			{map[string]*string{"plan": &school, "town": &paris}, map[string]string{"plan": school, "town": paris}},
			{map[string]*string{"plan": nil}, map[string]string{"town": paris}},
			{map[string]*string{"town": nil, "never": nil}, nil},
		} {
			before, err := g.Changes(t.Context(), -1)
			if err != nil {
				t.Fatal(err)
			}
			user, err := g.SetAttributes(t.Context(), "uid:7", "alice", step.set)
			if err != nil || len(user.Attributes) != len(step.want) {
				t.Fatalf("set %+v, %v, want %v", user, err, step.want)
			}
			<-hints
			if stored, err := g.User(t.Context(), "alice"); err != nil || !reflect.DeepEqual(stored.Attributes, step.want) {
				t.Errorf("stored %+v, %v, want %v", stored, err, step.want)
			}
			if after, err := g.Changes(t.Context(), -1); err != nil || after.Basis == before.Basis {
				t.Errorf("what is cached stays: %v", err)
			}
			log, err := g.Audit(t.Context(), "", "alice", 0)
			if err != nil || log.Entries[0].Action != "user.attributes" || log.Entries[0].Actor != "uid:7" {
				t.Errorf("the audit log has %+v, %v", log.Entries, err)
			}
		}
	})
}

func TestAttributesOfAUserThatAreNoneAreRefused(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, _ *store.Store) {
		many, text, long, control := map[string]*string{}, "x", strings.Repeat("x", 513), "a\nb"
		for i := range 33 {
			many[fmt.Sprint("a", i)] = &text
		}
		for name, set := range map[string]map[string]*string{
			"none": {}, "a name with a space": {"a b": &text}, "no name": {"": nil}, "too long": {"a": &long}, "a line": {"a": &control}, "too many": many,
		} {
			if _, err := g.SetAttributes(t.Context(), "uid:7", "alice", set); !errors.Is(err, keys.ErrInvalid) {
				t.Errorf("%s: %v, want a refusal", name, err)
			}
		}
		if _, err := g.SetAttributes(t.Context(), "uid:7", "nobody", map[string]*string{"a": &text}); !errors.Is(err, keys.ErrUnknownUser) {
			t.Errorf("an unknown user: %v", err)
		}
		if user, err := g.User(t.Context(), "alice"); err != nil || user.Attributes != nil {
			t.Errorf("what was refused is stored: %+v, %v", user, err)
		}
	})
}
