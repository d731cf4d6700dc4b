package service_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/service"
)

// recorder is a policy that allows everything and keeps what it was asked.
type recorder struct {
	policytest.Fixed
	asked policy.Input
	times int
	about string // the project that was asked for and is not there
	err   error
	wait  bool // until the deadline

	refused policy.Input // by the ledger
	refusal policy.Decision
	count   int64
	of      peer.Request
	log     error // why it could not be recorded
}

func (p *recorder) Note(ctx context.Context, note decisionlog.Entry) error {
	p.refused, p.refusal, p.count, p.of = note.Input, note.Decision, note.Count, peer.RequestOf(ctx)
	return p.log
}

func (p *recorder) Revision() string { return "1" }

func (p *recorder) Decide(ctx context.Context, in policy.Input) (policy.Decision, error) {
	p.asked, p.about = in, decisionlog.ProjectOf(ctx)
	p.times++
	if p.wait {
		<-ctx.Done()
		return policy.Decision{}, ctx.Err()
	}
	if in.Key == nil && in.User == nil {
		return policy.Decision{Status: 401, Error: "No.", Reason: "invalid", Rule: "no"}, p.err
	}
	return policy.Decision{Allow: true, Status: 200}, p.err
}

type fixture struct {
	*service.Service
	policy  *recorder
	key     keys.Created
	project api.Project
}

// recorded runs a test on every kind of store, with a policy that is asked.
func recorded(t *testing.T, timeout time.Duration, test func(t *testing.T, f *fixture)) {
	t.Helper()
	onEach(t, func(t *testing.T, o service.Options) {
		f := &fixture{policy: &recorder{}}
		o.Policy, o.DecisionTimeout = f.policy, timeout
		f.Service = open(t, o)
		day := int64(5)
		f.key, _ = newKey(t, f.Service, "alice", policy.Limits{JobsPerDay: &day})
		f.project = newProject(t, f.Service, "alice")
		test(t, f)
	})
}

func TestPolicySeesTheFactsOfTheAction(t *testing.T) {
	recorded(t, time.Minute, func(t *testing.T, f *fixture) {
		day := int64(5)
		key := &policy.Key{ID: f.key.ID, UserID: "alice", State: policy.KeyActive, UserState: policy.UserActive,
			Scopes: []string{policy.ScopeFull}, Limits: policy.Limits{JobsPerDay: &day}}
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
			f.policy.asked.Request = nil // TestPolicySeesTheFactsOfTheRequest
			if !reflect.DeepEqual(readAgain(t, f.policy.asked), readAgain(t, tc.want)) {
				t.Errorf("%s: asked %+v, want %+v", name, f.policy.asked, tc.want)
			}
			if gone := tc.projectID != f.project.ID && tc.projectID != ""; gone != (f.policy.about == "000000000000000000000000") {
				t.Errorf("%s: the log gets the project %q", name, f.policy.about)
			}
		}
	})
}

func TestPolicySeesTheAttributesOfTheUser(t *testing.T) {
	recorded(t, time.Minute, func(t *testing.T, f *fixture) {
		hash, _ := mint.ParseKey(f.key.Secret)
		for name, ask := range map[string]func() error{
			"decide":       func() error { _, err := f.Decide(t.Context(), f.key.ID, f.project.ID, policy.ActionStatus); return err },
			"authenticate": func() error { _, err := f.Authenticate(t.Context(), hash); return err },
			"decide on a user": func() error {
				_, err := f.DecideUser(t.Context(), policy.User{ID: "alice", Via: policy.ViaConsole}, "", policy.ActionReadConsole)
				return err
			},
		} {
			for _, plan := range []string{"school", ""} {
				set, want := &plan, map[string]string{"plan": plan}
				if plan == "" {
					set, want = nil, nil
				}
				if _, err := f.Keys().SetAttributes(t.Context(), "test", "alice", map[string]*string{"plan": set}); err != nil {
					t.Fatal(err)
				}
				if err := ask(); err != nil {
					t.Fatal(err)
				}
				var got map[string]string
				if f.policy.asked.Key != nil {
					got = f.policy.asked.Key.UserAttributes
				} else {
					got = f.policy.asked.User.Attributes
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: the policy is asked with %v, want %v", name, got, want)
				}
			}
		}
	})
}

func TestPolicySeesTheFactsOfTheRequest(t *testing.T) {
	at := time.Date(2026, time.November, 26, 10, 41, 5, 999_999_999, time.FixedZone("", 3600))
	p := &recorder{}
	s := open(t, service.Options{DataDir: t.TempDir(), Policy: p, Now: func() time.Time { return at }, DecisionTimeout: time.Minute})
	key, _ := newKey(t, s, "alice", policy.Limits{})
	hash, _ := mint.ParseKey(key.Secret)
	from := peer.WithRequest(t.Context(), peer.Request{ID: "r-1", IP: "192.0.2.1", Method: "GET", UserAgent: "curl/8.5.0"})
	for name, ask := range map[string]func(context.Context) error{
		"decide": func(ctx context.Context) error {
			_, err := s.Decide(ctx, key.ID, "", policy.ActionListProjects)
			return err
		},
		"authenticate": func(ctx context.Context) error { _, err := s.Authenticate(ctx, hash); return err },
		"decide on a user": func(ctx context.Context) error {
			_, err := s.DecideUser(ctx, policy.User{ID: "alice", Via: policy.ViaConsole}, "", policy.ActionReadConsole)
			return err
		},
	} {
		for ctx, want := range map[context.Context]policy.Request{
			from:        {IP: "192.0.2.1", Time: "2026-11-26T09:41:05Z", Method: "GET", UserAgent: "curl/8.5.0"},
			t.Context(): {Time: "2026-11-26T09:41:05Z"},
		} {
			if err := ask(ctx); err != nil || p.asked.Request == nil || *p.asked.Request != want {
				t.Errorf("%s: asked about %+v, %v; want %+v", name, p.asked.Request, err, want)
			}
		}
	}
	// What all clients can send as often as they like is one decision.
	if _, err := s.Authenticate(from, mint.KeyHash{}); !errors.Is(err, sidecar.ErrUnknownKey) || p.asked.Request != nil {
		t.Errorf("a key that no one has: asked about %+v, %v", p.asked.Request, err)
	}
}

func TestAuthenticationFindsTheKeyOfASecret(t *testing.T) {
	recorded(t, time.Minute, func(t *testing.T, f *fixture) {
		hash, _ := mint.ParseKey(f.key.Secret)
		who, err := f.Authenticate(t.Context(), hash)
		if err != nil || who.KeyID != f.key.ID || who.UserID != "alice" || !who.Decision.Allow {
			t.Errorf("got %+v, %v", who, err)
		}
		if f.policy.asked.Project != nil || f.policy.asked.Usage != nil || f.policy.asked.Action != policy.ActionAuthenticate {
			t.Errorf("asked %+v", f.policy.asked)
		}
		before := f.policy.times
		for i := range 3 {
			who, err := f.Authenticate(t.Context(), mint.KeyHash{byte(i)})
			if !errors.Is(err, sidecar.ErrUnknownKey) || who.KeyID != "" || who.Decision.Error != "No." {
				t.Errorf("got %+v, %v, want ErrUnknownKey and the policy's refusal", who, err)
			}
		}
		if made := f.policy.times - before; made != 1 {
			t.Errorf("%d decisions on unknown keys, want one a revision", made)
		}
	})
}

func TestNoDecisionIsAnError(t *testing.T) {
	recorded(t, time.Minute, func(t *testing.T, f *fixture) {
		f.policy.err = policy.ErrNoDecision
		hash, _ := mint.ParseKey(f.key.Secret)
		if _, err := f.Authenticate(t.Context(), hash); !errors.Is(err, policy.ErrNoDecision) {
			t.Errorf("Authenticate: %v", err)
		}
		if d, err := f.Decide(t.Context(), f.key.ID, "", policy.ActionStatus); !errors.Is(err, policy.ErrNoDecision) || d.Allow {
			t.Errorf("Decide: %+v, %v", d, err)
		}
	})
}

func TestDecisionThatTakesTooLongIsAnError(t *testing.T) {
	recorded(t, 5*time.Millisecond, func(t *testing.T, f *fixture) {
		f.policy.wait = true
		if _, err := f.Decide(t.Context(), f.key.ID, "", policy.ActionStatus); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
	})
}

// TestWhatTheLedgerRefusesIsRecorded: the policy allowed it, by facts of before.
func TestWhatTheLedgerRefusesIsRecorded(t *testing.T) {
	recorded(t, time.Minute, func(t *testing.T, f *fixture) {
		none, one := int64(0), int64(1)
		full, _ := newKey(t, f.Service, "alice", policy.Limits{JobsPerMonth: &none})
		busy, _ := newKey(t, f.Service, "alice", policy.Limits{MaxConcurrentJobs: &one})
		disabled, _ := newKey(t, f.Service, "alice", policy.Limits{})
		suspended, _ := newKey(t, f.Service, "bob", policy.Limits{})
		if _, err := f.Keys().Disable(t.Context(), "test", disabled.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Keys().Suspend(t.Context(), "test", "bob"); err != nil {
			t.Fatal(err)
		}
		reserve := func(keyID string) error {
			f.policy.refused, f.policy.refusal = policy.Input{}, policy.Decision{}
			ctx := peer.WithRequest(t.Context(), peer.Request{ID: "r-1"})
			_, err := f.Reserve(ctx, sidecar.Reservation{JobID: mint.NewJobID(time.Now()), KeyID: keyID, ProjectID: f.project.ID})
			return err
		}
		if err := reserve(busy.ID); err != nil || f.policy.refusal.Status != 0 {
			t.Fatalf("an admitted submission: %v, %+v", err, f.policy.refusal)
		}
		for keyID, want := range map[string]policy.Decision{
			full.ID:      {Status: 429, Reason: api.ReasonLimitExceeded, Limit: api.LimitJobsPerMonth, Rule: "ledger.jobsPerMonth"},
			busy.ID:      {Status: 429, Reason: api.ReasonLimitExceeded, Limit: api.LimitMaxConcurrentJobs, Rule: "ledger.maxConcurrentJobs"},
			disabled.ID:  {Status: 401, Reason: api.ReasonDisabled, Rule: "ledger.disabled"},
			suspended.ID: {Status: 403, Rule: "ledger.suspended"},
		} {
			err := reserve(keyID)
			var refused *answers.Error
			if !errors.As(err, &refused) || refused.Status != want.Status {
				t.Fatalf("%s: %v", want.Rule, err)
			}
			want.Error = refused.Message
			in := f.policy.refused
			if f.policy.refusal != want || f.policy.of.ID != "r-1" || in.Action != policy.ActionGenerate || in.Key == nil || in.Key.ID != keyID ||
				in.Project == nil || in.Project.ID != f.project.ID || in.Usage == nil || in.Request == nil {
				t.Errorf("%s: recorded %+v of %+v", want.Rule, f.policy.refusal, in)
			}
		}
		f.policy.log = decisionlog.ErrNotRecorded
		if err := reserve(full.ID); !errors.Is(err, decisionlog.ErrNotRecorded) {
			t.Errorf("where the log must have it and can't: %v", err)
		}
		for _, missing := range []string{"no-key", ""} {
			f.policy.log, f.policy.refusal = nil, policy.Decision{}
			if err := reserve(missing); err == nil || f.policy.refusal.Status != 0 {
				t.Errorf("a key that is gone: %v, %+v", err, f.policy.refusal)
			}
		}
	})
}

// TestWhatAGatewayRefusedIsRecordedWithItsNumber: no policy decides on a request without a
// key.
func TestWhatAGatewayRefusedIsRecordedWithItsNumber(t *testing.T) {
	p := &recorder{}
	s := open(t, service.Options{DataDir: t.TempDir(), Policy: p})
	ctx := peer.WithRequest(t.Context(), peer.Request{ID: "r-1", IP: "192.0.2.1"})
	for rule, refused := range map[string]sidecar.Refused{
		"gateway.missing": {Status: 401, Message: "An API key is required.", Reason: api.ReasonMissing, Count: 7},
		"gateway.rate":    {Status: 503, Message: "Many refused API keys come from this address.", Count: 1},
	} {
		want := policy.Decision{Status: refused.Status, Error: refused.Message, Reason: refused.Reason, Rule: rule}
		if err := s.NoteRefused(ctx, refused); err != nil || p.refusal != want || p.count != refused.Count || p.of.ID != "r-1" ||
			p.refused.Action != policy.ActionAuthenticate || p.refused.Key != nil || p.refused.Request == nil || p.refused.Request.IP != "192.0.2.1" {
			t.Errorf("%s: recorded %+v of %+v, %d times, %v", rule, p.refusal, p.refused, p.count, err)
		}
	}
}

// TestAReplayIsRecordedAsWhatWasAnswered: the policy's decision may be a limit's.
func TestAReplayIsRecordedAsWhatWasAnswered(t *testing.T) {
	recorded(t, time.Minute, func(t *testing.T, f *fixture) {
		ctx := peer.WithRequest(t.Context(), peer.Request{ID: "r-1"})
		of := sidecar.Reservation{JobID: mint.NewJobID(time.Now()), KeyID: f.key.ID, ProjectID: f.project.ID, IdempotencyKey: "once", Fingerprint: "f"}
		if _, err := f.Reserve(ctx, of); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(ctx, of.JobID); err != nil {
			t.Fatal(err)
		}
		if job, err := f.Replay(ctx, f.key.ID, "another", "f"); job != nil || err != nil || f.policy.refusal.Status != 0 {
			t.Fatalf("another key: %+v, %v, recorded %+v", job, err, f.policy.refusal)
		}
		job, err := f.Replay(ctx, f.key.ID, "once", "f")
		if err != nil || job == nil || job.ProjectID != f.project.ID {
			t.Fatalf("%+v, %v", job, err)
		}
		want, in := policy.Decision{Allow: true, Status: 200, Rule: decisionlog.ReplayRule}, f.policy.refused
		if f.policy.refusal != want || f.policy.of.ID != "r-1" || in.Action != policy.ActionGenerate || in.Key == nil || in.Project == nil || in.Usage == nil {
			t.Errorf("recorded %+v of %+v", f.policy.refusal, in)
		}
		f.policy.log = decisionlog.ErrNotRecorded
		if job, err := f.Replay(ctx, f.key.ID, "once", "f"); job != nil || !errors.Is(err, decisionlog.ErrNotRecorded) {
			t.Errorf("where the log must have it and can't: %+v, %v", job, err)
		}
	})
}
