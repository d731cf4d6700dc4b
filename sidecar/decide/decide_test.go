package decide_test

import (
	"context"
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/decide"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

// recorder is a policy that allows everything and keeps what it was asked.
type recorder struct {
	asked policy.Input
	err   error
	wait  bool // until the deadline
}

func (p *recorder) Decide(ctx context.Context, in policy.Input) (policy.Decision, error) {
	p.asked = in
	if p.wait {
		<-ctx.Done()
		return policy.Decision{}, ctx.Err()
	}
	return policy.Decision{Allow: true, Status: 200}, p.err
}

type fixture struct {
	*decide.Decider
	policy  *recorder
	key     keys.Created
	project api.Project
}

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// onEach runs a test on every kind of store.
func onEach(t *testing.T, timeout time.Duration, test func(t *testing.T, f *fixture)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, s *store.Store) { test(t, newFixture(t, s, timeout)) })
}

func newFixture(t *testing.T, s *store.Store, timeout time.Duration) *fixture {
	t.Helper()
	f := &fixture{policy: &recorder{}}
	f.Decider = decide.New(decide.Options{Store: s, Now: time.Now, Policy: f.policy, Timeout: timeout})
	registry := keys.New(s, time.Now)
	if _, err := registry.CreateUser(t.Context(), "test", "alice", 0); err != nil {
		t.Fatal(err)
	}
	day := int64(5)
	var err error
	if f.key, err = registry.Create(t.Context(), "test", "alice", "ci", policy.Limits{JobsPerDay: &day}); err != nil {
		t.Fatal(err)
	}
	catalog := projects.New(projects.Options{Store: s, Now: time.Now})
	if f.project, err = catalog.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "p"}); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPolicySeesTheFactsOfTheAction(t *testing.T) {
	onEach(t, time.Minute, func(t *testing.T, f *fixture) {
		day := int64(5)
		key := &policy.Key{ID: f.key.ID, UserID: "alice", State: policy.KeyActive, Limits: policy.Limits{JobsPerDay: &day}}
		project := &policy.Project{ID: f.project.ID, OwnerID: "alice", Attributes: map[string]string{}}
		for name, tc := range map[string]struct {
			keyID, projectID string
			action           policy.Action
			want             policy.Input
		}{
			"status":          {f.key.ID, f.project.ID, policy.ActionStatus, policy.Input{Key: key, Project: project}},
			"generate":        {f.key.ID, f.project.ID, policy.ActionGenerate, policy.Input{Key: key, Project: project, Usage: &policy.Usage{}}},
			"no project":      {f.key.ID, "", policy.ActionCreateProject, policy.Input{Key: key}},
			"unknown project": {f.key.ID, "000000000000000000000000", policy.ActionStatus, policy.Input{Key: key}},
			"unknown key":     {"key_x", f.project.ID, policy.ActionGenerate, policy.Input{Project: project}},
		} {
			tc.want.Action = tc.action
			if _, err := f.Decide(t.Context(), tc.keyID, tc.projectID, tc.action); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !reflect.DeepEqual(f.policy.asked, tc.want) {
				t.Errorf("%s: asked %+v, want %+v", name, f.policy.asked, tc.want)
			}
		}
	})
}

func TestAuthenticationFindsTheKeyOfASecret(t *testing.T) {
	onEach(t, time.Minute, func(t *testing.T, f *fixture) {
		hash, _ := api.ParseKey(f.key.Secret)
		who, err := f.Authenticate(t.Context(), hash)
		if err != nil || who.KeyID != f.key.ID || who.UserID != "alice" || !who.Decision.Allow {
			t.Errorf("got %+v, %v", who, err)
		}
		if f.policy.asked.Project != nil || f.policy.asked.Usage != nil || f.policy.asked.Action != policy.ActionAuthenticate {
			t.Errorf("asked %+v", f.policy.asked)
		}
		if _, err := f.Authenticate(t.Context(), api.KeyHash{}); !errors.Is(err, sidecar.ErrUnknownKey) {
			t.Errorf("got %v, want ErrUnknownKey", err)
		}
	})
}

func TestNoDecisionIsAnError(t *testing.T) {
	onEach(t, time.Minute, func(t *testing.T, f *fixture) {
		f.policy.err = policy.ErrNoDecision
		hash, _ := api.ParseKey(f.key.Secret)
		if _, err := f.Authenticate(t.Context(), hash); !errors.Is(err, policy.ErrNoDecision) {
			t.Errorf("Authenticate: %v", err)
		}
		if d, err := f.Decide(t.Context(), f.key.ID, "", policy.ActionStatus); !errors.Is(err, policy.ErrNoDecision) || d.Allow {
			t.Errorf("Decide: %+v, %v", d, err)
		}
	})
}

func TestDecisionThatTakesTooLongIsAnError(t *testing.T) {
	onEach(t, 5*time.Millisecond, func(t *testing.T, f *fixture) {
		f.policy.wait = true
		if _, err := f.Decide(t.Context(), f.key.ID, "", policy.ActionStatus); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
	})
}
