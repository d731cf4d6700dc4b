// Package access is the one door to users' data: it gathers the facts about who asks
// and for what, and has the policy decide. The gateway's requests, the console, its
// previews and the admin API pass it.
package access

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

// DefaultDecisionTimeout bounds a decision, facts included.
const DefaultDecisionTimeout = 50 * time.Millisecond

// userTimeout bounds a decision for a person, whose reads wait for those of keys.
const userTimeout = store.DefaultPatience + time.Second

// Policy evaluates the rules.
type Policy interface {
	Decide(ctx context.Context, in policy.Input) (policy.Decision, error)
	// Revision names the rules in force.
	Revision() string
}

// Options of a Door.
type Options struct {
	Store *store.Store
	// Now is of days and months, and of the facts about requests; nil means the store's
	// own clock, and time.Now for the latter.
	Now    func() time.Time
	Policy Policy
	// Timeout of a decision on a key, facts included; 0 means DefaultDecisionTimeout.
	Timeout time.Duration
}

// Door gathers facts on one snapshot of the store and has the policy make one decision
// about them. A decision that can't be made is an error, and the caller refuses. It is
// safe for concurrent use.
type Door struct {
	store   *store.Store
	now     func() time.Time
	policy  Policy
	timeout time.Duration
	unknown atomic.Pointer[refusal]
	known   known
}

// New returns the door to a store's data.
func New(o Options) *Door {
	return &Door{store: o.Store, now: o.Now, policy: o.Policy, timeout: cmp.Or(o.Timeout, DefaultDecisionTimeout), known: newKnown()}
}

// Authenticate looks up a key by the hash of its secret and has the policy
// decide on it alone. For one that is not there it returns sidecar.ErrUnknownKey, and
// an identity of no one with the policy's refusal.
func (d *Door) Authenticate(ctx context.Context, hash mint.KeyHash) (sidecar.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	in := policy.Input{Action: policy.ActionAuthenticate}
	err := d.store.View(ctx, func(r *store.Reader) error {
		var err error
		in.Key, err = readKey(r, "hash", hex.EncodeToString(hash[:]))
		return err
	})
	if err != nil {
		return sidecar.Identity{}, fmt.Errorf("looking up an API key: %w", err)
	}
	if in.Key == nil {
		decision, err := d.refuseUnknown(ctx, in)
		if err != nil {
			return sidecar.Identity{}, fmt.Errorf("deciding on an unknown key: %w", err)
		}
		return sidecar.Identity{Decision: decision}, sidecar.ErrUnknownKey
	}
	in.Request = d.request(ctx)
	decision, err := d.policy.Decide(ctx, in)
	if err != nil {
		return sidecar.Identity{}, fmt.Errorf("deciding on key %s: %w", in.Key.ID, err)
	}
	return sidecar.Identity{KeyID: in.Key.ID, UserID: in.Key.UserID, Decision: decision}, nil
}

// Decide has the policy decide on an action. A key or project that is not
// there is no error: the policy sees null. Usage is among the facts of
// policy.ActionGenerate only, so that a key over a limit is refused before an
// engine starts; the ledger has the last word.
func (d *Door) Decide(ctx context.Context, keyID, projectID string, action policy.Action) (policy.Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	in, err := d.factsOf(ctx, keyID, projectID, action)
	if err != nil {
		return policy.Decision{}, err
	}
	decision, err := d.decide(ctx, in, projectID)
	if decision.Allow && in.Key != nil && in.Project != nil && in.Project.OwnerID != in.Key.UserID {
		decision.OwnerID = in.Project.OwnerID
	}
	return decision, err
}

// asked adds the request to the facts, and a project that is not there to what the log has.
func (d *Door) asked(ctx context.Context, in policy.Input, projectID string) (context.Context, policy.Input) {
	in.Request = d.request(ctx)
	if projectID != "" && in.Project == nil {
		ctx = decisionlog.WithProject(ctx, projectID)
	}
	return ctx, in
}

func (d *Door) decide(ctx context.Context, in policy.Input, projectID string) (policy.Decision, error) {
	ctx, in = d.asked(ctx, in, projectID)
	decision, err := d.policy.Decide(ctx, in)
	if err != nil {
		return policy.Decision{}, fmt.Errorf("deciding on %s: %w", in.Action, err)
	}
	return decision, nil
}

// request returns the facts about the request that a decision is for. It has a time also
// where nothing else is known, as of a stream that is decided on again.
func (d *Door) request(ctx context.Context) *policy.Request {
	now := time.Now
	if d.now != nil {
		now = d.now
	}
	of := peer.RequestOf(ctx)
	return &policy.Request{IP: of.IP, Time: now().UTC().Format(policy.TimeFormat), Method: of.Method, UserAgent: of.UserAgent}
}

// readKey returns the facts about the key whose column has value, or nil.
func readKey(r *store.Reader, column, value string) (*policy.Key, error) {
	var k policy.Key
	err := r.Row("SELECT id, user_id, state, "+ledger.UserState("keys.user_id")+", (SELECT attributes FROM users WHERE id = keys.user_id), "+ledger.FactColumns+", "+ledger.LimitColumns+" FROM keys WHERE "+column+" = ?", value).
		Scan(slices.Concat([]any{&k.ID, &k.UserID, &k.State, &k.UserState, ledger.Attributes(&k.UserAttributes)}, ledger.FactFields(&k.Scopes, &k.Labels), ledger.LimitFields(&k.Limits))...)
	if errors.Is(err, store.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the key: %w", err)
	}
	return &k, nil
}

// readProject returns the facts about a project, or nil.
func readProject(r *store.Reader, projectID string) (*policy.Project, error) {
	if projectID == "" {
		return nil, nil
	}
	p := policy.Project{ID: projectID}
	var attributes, ofAdmin string
	err := r.Row("SELECT owner_id, attributes, admin_attributes FROM projects WHERE id = ?", projectID).Scan(&p.OwnerID, &attributes, &ofAdmin)
	if errors.Is(err, store.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the project: %w", err)
	}
	if err := json.Unmarshal([]byte(attributes), &p.Attributes); err != nil {
		return nil, fmt.Errorf("reading the attributes of project %s: %w", projectID, err)
	}
	if ofAdmin == "{}" { // most projects' have none
		return &p, nil
	}
	if err := json.Unmarshal([]byte(ofAdmin), &p.AdminAttributes); err != nil {
		return nil, fmt.Errorf("reading the admin's attributes of project %s: %w", projectID, err)
	}
	return &p, nil
}
