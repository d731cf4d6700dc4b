package service_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/service"
)

// change of the facts about a key and its project, and whether a decision has seen it.
type change struct {
	name   string
	change func() error
	seen   func(in policy.Input) bool
}

// changesOf are all there may be, the last two of which end what they change.
func changesOf(t *testing.T, s *service.Service, keyID, projectID string) []change {
	text, most := "tours", int64(7)
	set := map[string]*string{"team": &text}
	failed := func(_ any, err error) error { return err }
	attribute := func(byAdmin bool) func() error {
		return func() error {
			return failed(s.SetAttributes(t.Context(), projects.AttributeChange{ProjectID: projectID, Actor: "test", Admin: byAdmin, Set: set}))
		}
	}
	return []change{
		{"nothing", func() error { return nil }, func(in policy.Input) bool {
			return in.Key.State == policy.KeyActive && in.Key.UserState == policy.UserActive && in.Key.Limits.JobsPerDay == nil &&
				in.Key.UserAttributes == nil && len(in.Project.Attributes) == 0 && in.Project.AdminAttributes == nil
		}},
		{"the key's limits", func() error {
			return failed(s.Keys().SetLimits(t.Context(), "test", keyID, 1, policy.Limits{JobsPerDay: &most}))
		}, func(in policy.Input) bool {
			return in.Key.Limits.JobsPerDay != nil && *in.Key.Limits.JobsPerDay == most
		}},
		{"the user's attributes", func() error { return failed(s.Keys().SetAttributes(t.Context(), "test", "alice", set)) },
			func(in policy.Input) bool { return in.Key.UserAttributes["team"] == text }},
		{"the owner's attributes", attribute(false), func(in policy.Input) bool { return in.Project.Attributes["team"] == text }},
		{"the admin's attributes", attribute(true), func(in policy.Input) bool { return in.Project.AdminAttributes["team"] == text }},
		{"the user's suspension", func() error { return failed(s.Keys().Suspend(t.Context(), "test", "alice")) },
			func(in policy.Input) bool { return in.Key.UserState == policy.UserSuspended }},
		{"its end", func() error { return failed(s.Keys().Resume(t.Context(), "test", "alice")) },
			func(in policy.Input) bool { return in.Key.UserState == policy.UserActive }},
		{"the key's state", func() error { return failed(s.Keys().Disable(t.Context(), "test", keyID)) },
			func(in policy.Input) bool { return in.Key.State == policy.KeyDisabled }},
		{"the project's end", func() error { return s.DeleteProject(t.Context(), projectID) },
			func(in policy.Input) bool { return in.Project == nil }},
	}
}

// TestNoDecisionIsOlderThanTheLastChangeOfItsFacts has another process change what was
// decided on before.
func TestNoDecisionIsOlderThanTheLastChangeOfItsFacts(t *testing.T) {
	onEach(t, func(t *testing.T, o service.Options) {
		asked := &recorder{}
		decides := o
		decides.Policy, decides.DecisionTimeout = asked, time.Minute
		s, other := open(t, decides), open(t, o)
		key, _ := newKey(t, other, "alice", policy.Limits{})
		project := newProject(t, other, "alice")
		for _, step := range changesOf(t, other, key.ID, project.ID) {
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
