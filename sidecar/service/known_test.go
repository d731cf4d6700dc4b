package service_test

import (
	"encoding/json"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/service"
)

// TestNoDecisionIsOlderThanTheLastChangeOfItsFacts has another process change what was
// decided on before.
func TestNoDecisionIsOlderThanTheLastChangeOfItsFacts(t *testing.T) {
	onEach(t, func(t *testing.T, o service.Options) {
		asked := &recorder{}
		decides := o
		decides.Policy = asked
		s, other := open(t, decides), open(t, o)
		key, _ := newKey(t, other, "alice", policy.Limits{})
		project := newProject(t, other, "alice")
		text, version, most := "tours", int64(1), int64(7)
		attribute := func(byAdmin bool) func() error {
			return func() error {
				_, err := other.SetAttributes(t.Context(), projects.AttributeChange{
					ProjectID: project.ID, Actor: "test", Admin: byAdmin, Set: map[string]*string{"team": &text},
				})
				return err
			}
		}
		changed := func(_ any, err error) error { return err }
		for _, step := range []struct {
			name   string
			change func() error
			seen   func(in policy.Input) bool
		}{
			{"nothing", func() error { return nil }, func(in policy.Input) bool {
				return in.Key.State == policy.KeyActive && in.Key.UserState == policy.UserActive && in.Key.Limits.JobsPerDay == nil &&
					in.Key.UserAttributes == nil && len(in.Project.Attributes) == 0 && in.Project.AdminAttributes == nil
			}},
			{"the key's limits", func() error {
				return changed(other.Keys().SetLimits(t.Context(), "test", key.ID, version, policy.Limits{JobsPerDay: &most}))
			}, func(in policy.Input) bool {
				return in.Key.Limits.JobsPerDay != nil && *in.Key.Limits.JobsPerDay == most
			}},
			{"the user's attributes", func() error {
				return changed(other.Keys().SetAttributes(t.Context(), "test", "alice", map[string]*string{"team": &text}))
			}, func(in policy.Input) bool { return in.Key.UserAttributes["team"] == text }},
			{"the owner's attributes", attribute(false), func(in policy.Input) bool { return in.Project.Attributes["team"] == text }},
			{"the admin's attributes", attribute(true), func(in policy.Input) bool { return in.Project.AdminAttributes["team"] == text }},
			{"the user's state", func() error {
				return changed(other.Keys().Suspend(t.Context(), "test", "alice"))
			}, func(in policy.Input) bool { return in.Key.UserState == policy.UserSuspended }},
			{"the user's state again", func() error {
				return changed(other.Keys().Resume(t.Context(), "test", "alice"))
			}, func(in policy.Input) bool { return in.Key.UserState == policy.UserActive }},
			{"the key's state", func() error {
				return changed(other.Keys().Disable(t.Context(), "test", key.ID))
			}, func(in policy.Input) bool { return in.Key.State == policy.KeyDisabled }},
			{"the project's end", func() error { return other.DeleteProject(t.Context(), project.ID) },
				func(in policy.Input) bool { return in.Project == nil }},
		} {
			for _, action := range []policy.Action{policy.ActionStatus, policy.ActionGenerate} { // keeps the facts for the next step
				if _, err := s.Decide(t.Context(), key.ID, project.ID, action); err != nil {
					t.Fatal(err)
				}
			}
			if err := step.change(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			for _, action := range []policy.Action{policy.ActionStatus, policy.ActionGenerate} {
				if _, err := s.Decide(t.Context(), key.ID, project.ID, action); err != nil {
					t.Fatal(err)
				}
				if !step.seen(asked.asked) {
					t.Errorf("%s: %s was decided on key %+v and project %+v", step.name, action, asked.asked.Key, asked.asked.Project)
				}
				if logged := readAgain(t, asked.asked); logged.Value().Compare(asked.asked.Value()) != 0 {
					t.Errorf("%s: the policy was asked about %v, the log says %v", step.name, asked.asked.Value(), logged.Value())
				}
			}
		}
	})
}

// readAgain returns an input as a reader of the decision log has it.
func readAgain(t *testing.T, in policy.Input) (read policy.Input) {
	t.Helper()
	text, err := json.Marshal(in)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}
