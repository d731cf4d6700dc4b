package keys_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// onEach runs a test on every kind of store, with the user alice.
func onEach(t *testing.T, test func(t *testing.T, g *keys.Registry, s *store.Store)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, s *store.Store) { test(t, registry(t, s), s) })
}

// registry returns a registry with the user alice.
func registry(t *testing.T, s *store.Store) *keys.Registry {
	t.Helper()
	g := keys.New(s, func() time.Time { return noon })
	if _, err := g.CreateUser(t.Context(), "uid:7", "alice", 5*api.MicroPerTIK); err != nil {
		t.Fatal(err)
	}
	return g
}

func create(t *testing.T, g *keys.Registry, name string) keys.Created {
	t.Helper()
	key, err := g.Create(t.Context(), "uid:7", "alice", name, policy.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestOnlyHashAndMaskedFormOfASecretAreStored(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, s *store.Store) {
		key := create(t, g, "ci")
		if _, ok := mint.ParseKey(key.Secret); !ok {
			t.Errorf("%q is no key", key.Secret)
		}
		if !regexp.MustCompile(`^sk-..\*{4}.{4}$`).MatchString(key.Masked) {
			t.Errorf("masked form %q", key.Masked)
		}
		var hash string
		var everything strings.Builder
		err := s.View(t.Context(), func(r *store.Reader) error {
			if err := r.Row("SELECT hash FROM keys WHERE id = ?", key.ID).Scan(&hash); err != nil {
				return err
			}
			return r.Each(func(scan store.Scan) error {
				var text string
				err := scan(&text)
				everything.WriteString(text)
				return err
			}, "SELECT hash || masked || name FROM keys UNION ALL SELECT detail FROM audit")
		})
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256([]byte(key.Secret)); hash != hex.EncodeToString(sum[:]) {
			t.Errorf("hash %s", hash)
		}
		if strings.Contains(everything.String(), key.Secret[5:len(key.Secret)-4]) {
			t.Error("the secret is in the store")
		}
	})
}

func TestAUserHasAtMostTwentyKeysThatAreNotRevoked(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, _ *store.Store) {
		var made, refused atomic.Int64
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				switch _, err := g.Create(t.Context(), "uid:7", "alice", fmt.Sprint(i), policy.Limits{}); {
				case err == nil:
					made.Add(1)
				case errors.Is(err, keys.ErrTooMany):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if made.Load() != keys.MaxPerUser || refused.Load() != 50-keys.MaxPerUser {
			t.Errorf("%d made, %d refused", made.Load(), refused.Load())
		}
		list, err := g.Keys(t.Context(), "alice")
		if err != nil || len(list) != keys.MaxPerUser {
			t.Fatalf("%d keys, %v", len(list), err)
		}
		// Disabling frees no place, revoking does.
		if _, err := g.Disable(t.Context(), "uid:7", list[0].ID); err != nil {
			t.Fatal(err)
		}
		if _, err := g.Create(t.Context(), "uid:7", "alice", "more", policy.Limits{}); !errors.Is(err, keys.ErrTooMany) {
			t.Errorf("got %v, want ErrTooMany", err)
		}
		if _, err := g.Revoke(t.Context(), "uid:7", list[0].ID); err != nil {
			t.Fatal(err)
		}
		create(t, g, "more")
	})
}

func TestStateChanges(t *testing.T) {
	type move func(g *keys.Registry, t *testing.T, id string) (keys.Key, error)
	disable := func(g *keys.Registry, t *testing.T, id string) (keys.Key, error) {
		return g.Disable(t.Context(), "uid:7", id)
	}
	enable := func(g *keys.Registry, t *testing.T, id string) (keys.Key, error) {
		return g.Enable(t.Context(), "uid:7", id)
	}
	revoke := func(g *keys.Registry, t *testing.T, id string) (keys.Key, error) {
		return g.Revoke(t.Context(), "uid:7", id)
	}
	for _, tc := range []struct {
		name   string
		before []move
		move   move
		want   string // "" for refused
	}{
		{"disable active", nil, disable, policy.KeyDisabled},
		{"enable active", nil, enable, ""},
		{"revoke active", nil, revoke, policy.KeyRevoked},
		{"disable disabled", []move{disable}, disable, ""},
		{"enable disabled", []move{disable}, enable, policy.KeyActive},
		{"revoke disabled", []move{disable}, revoke, policy.KeyRevoked},
		{"disable revoked", []move{revoke}, disable, ""},
		{"enable revoked", []move{revoke}, enable, ""},
		{"revoke revoked", []move{revoke}, revoke, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, g *keys.Registry, s *store.Store) {
				id := create(t, g, "ci").ID
				for _, m := range tc.before {
					if _, err := m(g, t, id); err != nil {
						t.Fatal(err)
					}
				}
				before, err := g.Key(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				auditBefore, revlogBefore := logs(t, s)
				key, err := tc.move(g, t, id)
				after, readErr := g.Key(t.Context(), id)
				if readErr != nil {
					t.Fatal(readErr)
				}
				audit, revlog := logs(t, s)
				if tc.want == "" {
					if !errors.Is(err, keys.ErrState) || !reflect.DeepEqual(after, before) {
						t.Errorf("got %v and %+v, want a refusal that changes nothing", err, after)
					}
					if audit != auditBefore || revlog != revlogBefore {
						t.Error("a refused change is in the logs")
					}
					return
				}
				if err != nil || key.State != tc.want || after.State != tc.want || after.Version != before.Version+1 {
					t.Errorf("got %+v, %v; stored %+v", key, err, after)
				}
				if audit != auditBefore+1 || revlog != revlogBefore+1 {
					t.Errorf("audit %d→%d, revlog %d→%d: want one entry each", auditBefore, audit, revlogBefore, revlog)
				}
			})
		})
	}
}

// logs returns how many entries the audit and the revocation log have, and
// checks that they are numbered without a gap.
func logs(t *testing.T, s *store.Store) (audit, revlog int) {
	t.Helper()
	err := s.View(t.Context(), func(r *store.Reader) error {
		var lastAudit, lastRevlog int
		err := errors.Join(
			r.Row("SELECT count(*), coalesce(max(seq), 0) FROM audit").Scan(&audit, &lastAudit),
			r.Row("SELECT count(*), coalesce(max(seq), 0) FROM revlog").Scan(&revlog, &lastRevlog))
		if audit != lastAudit || revlog != lastRevlog {
			t.Errorf("%d audit entries up to %d, %d revocations up to %d", audit, lastAudit, revlog, lastRevlog)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return audit, revlog
}

func TestEveryChangeIsAuditedWithWhoWhatAndWhen(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, s *store.Store) {
		id := create(t, g, "ci").ID
		for _, change := range []func() error{
			func() error { _, err := g.Rename(t.Context(), "uid:8", id, "build"); return err },
			func() error {
				_, err := g.SetLimits(t.Context(), "uid:8", id, 2, policy.Limits{JobsPerDay: new(int64)})
				return err
			},
			func() error { _, err := g.Revoke(t.Context(), "uid:9", id); return err },
			func() error { _, err := g.TopUp(t.Context(), "uid:9", "alice", keys.Credit{TIK: 1}); return err },
		} {
			if err := change(); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		err := s.View(t.Context(), func(r *store.Reader) error {
			return r.Each(func(scan store.Scan) error {
				var at int64
				var actor, action, subject string
				err := scan(&at, &actor, &action, &subject)
				if at != noon.UnixMilli() {
					t.Errorf("%s at %d", action, at)
				}
				got = append(got, actor+" "+action+" "+strings.Replace(subject, id, "KEY", 1))
				return err
			}, "SELECT at, actor, action, subject FROM audit ORDER BY seq")
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"uid:7 user.create alice", "uid:7 key.create KEY", "uid:8 key.rename KEY",
			"uid:8 key.limits KEY", "uid:9 key.revoke KEY", "uid:9 user.topup alice",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("audit:\n%s", strings.Join(got, "\n"))
		}
	})
}

func TestLimitsAreReplacedOnlyInTheVersionThatWasRead(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, _ *store.Store) {
		id := create(t, g, "ci").ID
		day := int64(5)
		key, err := g.SetLimits(t.Context(), "uid:7", id, 1, policy.Limits{JobsPerDay: &day})
		if err != nil || key.Version != 2 || *key.Limits.JobsPerDay != 5 {
			t.Fatalf("%+v, %v", key, err)
		}
		if _, err := g.SetLimits(t.Context(), "uid:7", id, 1, policy.Limits{}); !errors.Is(err, keys.ErrVersion) {
			t.Errorf("got %v, want ErrVersion", err)
		}
		if key, err = g.Key(t.Context(), id); err != nil || key.Limits.JobsPerDay == nil || key.Version != 2 {
			t.Errorf("after the refusal: %+v, %v", key, err)
		}
		if key, err = g.SetLimits(t.Context(), "uid:7", id, 2, policy.Limits{}); err != nil || key.Limits.JobsPerDay != nil {
			t.Errorf("cleared: %+v, %v", key, err)
		}
	})
}

func TestBadInputIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, _ *store.Store) {
		id := create(t, g, "ci").ID
		negative, huge := int64(-1), ledger.MaxAmount+1
		ctx := t.Context()
		for name, tc := range map[string]struct {
			try  func() error
			want error
		}{
			"user without id":      {func() error { _, err := g.CreateUser(ctx, "a", "", 0); return err }, keys.ErrInvalid},
			"user with a slash":    {func() error { _, err := g.CreateUser(ctx, "a", "a/b", 0); return err }, keys.ErrInvalid},
			"user that exists":     {func() error { _, err := g.CreateUser(ctx, "a", "alice", 0); return err }, keys.ErrUserExists},
			"negative credit":      {func() error { _, err := g.CreateUser(ctx, "a", "bob", -1); return err }, keys.ErrInvalid},
			"absurd credit":        {func() error { _, err := g.CreateUser(ctx, "a", "bob", huge); return err }, keys.ErrInvalid},
			"top-up of nothing":    {func() error { _, err := g.TopUp(ctx, "a", "alice", keys.Credit{TIK: 0}); return err }, keys.ErrInvalid},
			"top-up of nobody":     {func() error { _, err := g.TopUp(ctx, "a", "bob", keys.Credit{TIK: 1}); return err }, keys.ErrUnknownUser},
			"show of nobody":       {func() error { _, err := g.User(ctx, "bob"); return err }, keys.ErrUnknownUser},
			"key of nobody":        {func() error { _, err := g.Create(ctx, "a", "bob", "k", policy.Limits{}); return err }, keys.ErrUnknownUser},
			"key without name":     {func() error { _, err := g.Create(ctx, "a", "alice", " ", policy.Limits{}); return err }, keys.ErrInvalid},
			"key with a bell":      {func() error { _, err := g.Create(ctx, "a", "alice", "k\a", policy.Limits{}); return err }, keys.ErrInvalid},
			"key with a long name": {func() error { _, err := g.Rename(ctx, "a", id, strings.Repeat("é", 121)); return err }, keys.ErrInvalid},
			"negative limit": {func() error {
				_, err := g.Create(ctx, "a", "alice", "k", policy.Limits{MaxConcurrentJobs: &negative})
				return err
			}, keys.ErrInvalid},
			"absurd limit": {func() error {
				_, err := g.SetLimits(ctx, "a", id, 1, policy.Limits{TIKPerMonth: &huge})
				return err
			}, keys.ErrInvalid},
			"top-up of no text":    {func() error { _, err := g.TopUp(ctx, "a", "alice\x00", keys.Credit{TIK: 1}); return err }, keys.ErrUnknownUser},
			"show of no text":      {func() error { _, err := g.User(ctx, "alice\x00"); return err }, keys.ErrUnknownUser},
			"key of no text":       {func() error { _, err := g.Create(ctx, "a", "alice\x00", "k", policy.Limits{}); return err }, keys.ErrUnknownUser},
			"key that is no text":  {func() error { _, err := g.Revoke(ctx, "a", id+"\x00"); return err }, sidecar.ErrUnknownKey},
			"usage of no text":     {func() error { _, err := g.Usage(ctx, id+"\x00"); return err }, sidecar.ErrUnknownKey},
			"unknown key":          {func() error { _, err := g.Revoke(ctx, "a", "key_x"); return err }, sidecar.ErrUnknownKey},
			"usage of unknown key": {func() error { _, err := g.Usage(ctx, "key_x"); return err }, sidecar.ErrUnknownKey},
		} {
			if err := tc.try(); !errors.Is(err, tc.want) {
				t.Errorf("%s: %v, want %v", name, err, tc.want)
			}
		}
		if u, err := g.User(ctx, "alice"); err != nil || u.Balance != 5*api.MicroPerTIK || u.Keys != 1 {
			t.Errorf("afterwards alice has %+v, %v", u, err)
		}
	})
}
