package service_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

// clock stands until it is set.
type clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// onEach runs a test with the options for a new store of every kind.
func onEach(t *testing.T, test func(t *testing.T, o service.Options)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		test(t, service.Options{DataDir: filepath.Join(t.TempDir(), "new", "data")})
	})
	t.Run("PostgreSQL", func(t *testing.T) { test(t, service.Options{Store: postgrestest.URL(t)}) })
}

// open opens a service, with the shipped policy and a minute for decisions unless o
// has others. The test may close it.
func open(t testing.TB, o service.Options) *service.Service {
	t.Helper()
	if o.Policy == nil {
		o.Policy, o.DecisionTimeout = policytest.Embedded(t), time.Minute
	}
	s, err := service.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// newKey makes a key of a user, and the user if need be.
func newKey(t testing.TB, s *service.Service, user string, limits policy.Limits) (keys.Created, mint.KeyHash) {
	t.Helper()
	if _, err := s.Keys().CreateUser(t.Context(), "test", user, 10*api.MicroPerTIK); err != nil && !errors.Is(err, keys.ErrUserExists) {
		t.Fatal(err)
	}
	key, err := s.Keys().Create(t.Context(), "test", user, "key", limits)
	if err != nil {
		t.Fatal(err)
	}
	hash, ok := mint.ParseKey(key.Secret)
	if !ok {
		t.Fatalf("%q is no key", key.Secret)
	}
	return key, hash
}

func newProject(t testing.TB, s *service.Service, user string) api.Project {
	t.Helper()
	p, err := s.CreateProject(t.Context(), user, api.ProjectRequest{Name: "game", Template: api.TemplateBlank})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSubmissionGoesFromKeyToSettledJob(t *testing.T) {
	onEach(t, func(t *testing.T, o service.Options) {
		s := open(t, o)
		key, hash := newKey(t, s, "alice", policy.Limits{})
		who, err := s.Authenticate(t.Context(), hash)
		if err != nil || !who.Decision.Allow || who.UserID != "alice" {
			t.Fatalf("identity %+v, %v", who, err)
		}
		project := newProject(t, s, "alice")
		decision, err := s.Decide(t.Context(), key.ID, project.ID, policy.ActionGenerate)
		if err != nil || !decision.Allow {
			t.Fatalf("decision %+v, %v", decision, err)
		}
		jobID := mint.NewJobID(time.Now())
		_, err = s.Reserve(t.Context(), sidecar.Reservation{
			JobID: jobID, KeyID: key.ID, ProjectID: project.ID, Limits: decision.Limits,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(t.Context(), jobID); err != nil {
			t.Fatal(err)
		}
		record := contract.JobRecord{JobID: jobID, ProjectID: project.ID, Status: api.JobCompleted}
		_, err = s.ApplyFeed(t.Context(), contract.FeedBatch{ProjectID: project.ID, FeedID: "f", Records: []contract.FeedRecord{
			{FeedID: "f", Seq: 1, Kind: contract.FeedUsage, JobID: jobID, Units: []contract.Unit{{Name: "generator.job", Quantity: 1}}},
			{FeedID: "f", Seq: 2, Kind: contract.FeedEnded, JobID: jobID, Record: &record},
		}})
		if err != nil {
			t.Fatal(err)
		}
		job, err := s.AwaitEnd(t.Context(), jobID)
		if err != nil || job.Status != api.JobCompleted || job.TIKSpent != api.MicroPerTIK {
			t.Errorf("job %+v, %v", job, err)
		}
	})
}

func TestRefusalsNameTheirReason(t *testing.T) {
	onEach(t, func(t *testing.T, o service.Options) {
		s := open(t, o)
		none := int64(0)
		full, _ := newKey(t, s, "alice", policy.Limits{JobsPerDay: &none})
		disabled, disabledHash := newKey(t, s, "alice", policy.Limits{})
		revoked, revokedHash := newKey(t, s, "alice", policy.Limits{})
		foreign, _ := newKey(t, s, "bob", policy.Limits{})
		if _, err := s.Keys().Disable(t.Context(), "test", disabled.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Keys().Revoke(t.Context(), "test", revoked.ID); err != nil {
			t.Fatal(err)
		}
		project := newProject(t, s, "alice")
		for _, tc := range []struct {
			keyID, projectID string
			status           int
			reason, limit    string
		}{
			{full.ID, project.ID, 429, api.ReasonLimitExceeded, api.LimitJobsPerDay},
			{disabled.ID, project.ID, 401, api.ReasonDisabled, ""},
			{revoked.ID, project.ID, 401, api.ReasonRevoked, ""},
			{foreign.ID, project.ID, 403, "", ""},
			{foreign.ID, "000000000000000000000000", 403, "", ""},
		} {
			d, err := s.Decide(t.Context(), tc.keyID, tc.projectID, policy.ActionGenerate)
			if err != nil || d.Allow || d.Status != tc.status || d.Reason != tc.reason || d.Limit != tc.limit {
				t.Errorf("got %+v, %v; want %+v", d, err, tc)
			}
		}
		for reason, hash := range map[string]mint.KeyHash{api.ReasonDisabled: disabledHash, api.ReasonRevoked: revokedHash} {
			who, err := s.Authenticate(t.Context(), hash)
			if err != nil || who.Decision.Allow || who.Decision.Reason != reason {
				t.Errorf("got %+v, %v; want %s", who, err, reason)
			}
		}
	})
}

// TestLedgerRefusesInTheWordsOfThePolicy: which of the two refused is nothing that a
// client should see.
func TestLedgerRefusesInTheWordsOfThePolicy(t *testing.T) {
	s := open(t, service.Options{DataDir: t.TempDir()})
	none := int64(0)
	key, _ := newKey(t, s, "alice", policy.Limits{JobsPerDay: &none})
	project := newProject(t, s, "alice")
	change := func(set func(ctx context.Context, actor, keyID string) (keys.Key, error)) string {
		key, _ := newKey(t, s, "alice", policy.Limits{})
		if _, err := set(t.Context(), "test", key.ID); err != nil {
			t.Fatal(err)
		}
		return key.ID
	}
	limited := func(limits policy.Limits) string {
		key, _ := newKey(t, s, "alice", limits)
		return key.ID
	}
	for name, keyID := range map[string]string{
		"jobs per day":    key.ID,
		"jobs per month":  limited(policy.Limits{JobsPerMonth: &none}),
		"concurrent jobs": limited(policy.Limits{MaxConcurrentJobs: &none}),
		"TIK per month":   limited(policy.Limits{TIKPerMonth: new(api.TIK)}),
		"disabled":        change(s.Keys().Disable),
		"revoked":         change(s.Keys().Revoke),
	} {
		d, err := s.Decide(t.Context(), keyID, project.ID, policy.ActionGenerate)
		if err != nil || d.Allow {
			t.Fatalf("%s: %+v, %v", name, d, err)
		}
		_, err = s.Reserve(t.Context(), sidecar.Reservation{JobID: mint.NewJobID(time.Now()), KeyID: keyID, ProjectID: project.ID})
		var refused *answers.Error
		if !errors.As(err, &refused) || refused.Message != d.Error || refused.Status != d.Status || refused.Reason != d.Reason || refused.Limit != d.Limit {
			t.Errorf("%s: the ledger says %v, the policy %+v", name, err, d)
		}
	}
}

func TestLastUseOfAKeyIsNotedOnceAMinute(t *testing.T) {
	onEach(t, func(t *testing.T, o service.Options) {
		c := &clock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
		o.Now = c.Now
		s := open(t, o)
		key, hash := newKey(t, s, "alice", policy.Limits{})
		start := c.Now()
		for _, step := range []struct {
			after time.Duration
			want  time.Duration // since start
		}{{0, 0}, {59 * time.Second, 0}, {time.Second, time.Minute}, {30 * time.Second, time.Minute}} {
			c.Add(step.after)
			if _, err := s.Authenticate(t.Context(), hash); err != nil {
				t.Fatal(err)
			}
			wantLastUsed(t, s, key.ID, start.Add(step.want))
		}
		if err := s.Close(); err != nil { // which leaves nothing unwritten
			t.Fatal(err)
		}
		wantLastUsed(t, open(t, o), key.ID, start.Add(time.Minute))
	})
}

// wantLastUsed wants a key used last at a moment. It is written behind the use.
func wantLastUsed(t *testing.T, s *service.Service, keyID string, want time.Time) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		got, err := s.Keys().Key(t.Context(), keyID)
		if err != nil {
			t.Fatal(err)
		}
		if got.LastUsedAt != nil && got.LastUsedAt.Equal(want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("last used %v, want %v", got.LastUsedAt, want)
		}
	}
}

func TestLockedDatabaseKeepsNoCheckOfAKeyWaiting(t *testing.T) {
	o := service.Options{DataDir: t.TempDir()}
	s := open(t, o)
	const checks = 20
	var key keys.Created
	hashes := make([]mint.KeyHash, checks) // a key's use is noted once a minute
	for i := range hashes {
		key, hashes[i] = newKey(t, s, fmt.Sprintf("user%d", i), policy.Limits{})
	}
	free := lock(t, filepath.Join(o.DataDir, "svc.db"))
	// The lock is held until the checks have their answers: each that waited for
	// it would run into SQLite's own time-out of five seconds.
	began := time.Now()
	for _, hash := range hashes {
		if who, err := s.Authenticate(t.Context(), hash); err != nil || !who.Decision.Allow {
			t.Errorf("%+v, %v", who, err)
		}
	}
	took := time.Since(began)
	free()
	if took > checks*4*time.Second {
		t.Errorf("%d checks took %s", checks, took)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := open(t, o).Keys().Key(t.Context(), key.ID); err != nil || got.LastUsedAt == nil {
		t.Errorf("once the database is free: last used %v, %v", got.LastUsedAt, err)
	}
}

// lock keeps everyone else from writing to a SQLite file until free is called.
func lock(t *testing.T, path string) (free func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestServiceFindsEverythingAfterARestart(t *testing.T) {
	onEach(t, func(t *testing.T, o service.Options) {
		s := open(t, o)
		key, hash := newKey(t, s, "alice", policy.Limits{})
		project := newProject(t, s, "alice")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, o)
		if who, err := s.Authenticate(t.Context(), hash); err != nil || who.KeyID != key.ID {
			t.Errorf("identity %+v, %v", who, err)
		}
		if p, err := s.Project(t.Context(), project.ID); err != nil || p.Name != "game" {
			t.Errorf("project %+v, %v", p, err)
		}
	})
}

func TestDataDirectoryIsForItsOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	open(t, service.Options{DataDir: dir})
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("data directory %v, %v", info.Mode(), err)
	}
}

func TestWhatKeepsTheServiceFromOpeningIsSaidInOneLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "svc.db"), []byte(strings.Repeat("not a database. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	newer := t.TempDir()
	s, err := store.OpenSQLite(t.Context(), filepath.Join(newer, "svc.db"))
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO schema_steps (version, name, applied_at) VALUES (9999, 'later', 1)")
		return err
	})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		options service.Options
		want    string
	}{
		"data directory is a file": {service.Options{DataDir: file, Policy: policytest.Embedded(t)}, "SVC_DATA_DIR"},
		"database is damaged":      {service.Options{DataDir: damaged, Policy: policytest.Embedded(t)}, "restore it from a backup"},
		"database is newer":        {service.Options{DataDir: newer, Policy: policytest.Embedded(t)}, "newer version"},
		"server is not there": {service.Options{
			Store: "postgres://svc:s3cr3t@127.0.0.1:1/svc", Policy: policytest.Embedded(t),
		}, "see that the server runs"},
		"password is not encoded": {service.Options{
			Store: "postgres://svc:s3cr3t/%zz@127.0.0.1:1/svc", Policy: policytest.Embedded(t),
		}, "percent-encoded"},
		"address is unknown": {service.Options{Store: "mysql://svc:s3cr3t@h/svc", Policy: policytest.Embedded(t)}, "SVC_STORE"},
		"no policy":          {service.Options{DataDir: t.TempDir()}, "no policy"},
		"negative price": {service.Options{
			DataDir: t.TempDir(), Policy: policytest.Embedded(t), Prices: map[string]api.TIK{"step": -1},
		}, "step costs -0.000001 TIK"},
		"hole in the price list": {service.Options{
			DataDir: t.TempDir(), Policy: policytest.Embedded(t), Prices: map[string]api.TIK{"image": 5},
		}, "prices: generator.job has no price"},
	} {
		_, err := service.Open(t.Context(), tc.options)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") ||
			strings.Contains(err.Error(), "s3c") {
			t.Errorf("%s: %q, want one line with %q", name, err, tc.want)
		}
	}
}
