package wire_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/test/wait"
)

// fixture is a sidecar under test.
type fixture struct {
	// Service and Ledger are the form that is tested.
	Service sidecar.Service
	Ledger  contract.Ledger
	// Keys arranges users and keys, as administrators do.
	Keys *keys.Registry
	// Catalog arranges attributes of projects, as administrators do.
	Catalog *projects.Catalog
}

// opening makes a sidecar with an empty store for one test.
type opening func(t *testing.T) fixture

// world is a fixture with what tests arrange in it.
type world struct {
	fixture
	t *testing.T
}

// run runs one test of a suite in a world of its own.
func run(t *testing.T, name string, open opening, test func(t *testing.T, w world)) {
	t.Run(name, func(t *testing.T) { test(t, world{fixture: open(t), t: t}) })
}

// user makes a user with ten TIK, unless it is there.
func (w world) user(user string) {
	w.t.Helper()
	if _, err := w.Keys.CreateUser(w.t.Context(), "test", user, 10*api.MicroPerTIK); err != nil && !errors.Is(err, keys.ErrUserExists) {
		w.t.Fatal(err)
	}
}

// key makes a key of a user, and the user if need be.
func (w world) key(user string, limits policy.Limits) keys.Created {
	w.t.Helper()
	w.user(user)
	key, err := w.Keys.Create(w.t.Context(), "test", user, "key", limits)
	if err != nil {
		w.t.Fatal(err)
	}
	return key
}

func (w world) hash(key keys.Created) mint.KeyHash {
	w.t.Helper()
	hash, ok := mint.ParseKey(key.Secret)
	if !ok {
		w.t.Fatal("the new key is no key")
	}
	return hash
}

// project makes a project of a user, and the user if need be.
func (w world) project(user string) api.Project {
	w.t.Helper()
	w.user(user)
	p, err := w.Service.CreateProject(w.t.Context(), user, api.ProjectRequest{
		Name: "Duck & <co>", Template: api.TemplateBlank, Description: "ünïcode \u2028",
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// reserve admits a submission, which must be admissible.
func (w world) reserve(keyID, projectID string) string {
	w.t.Helper()
	jobID := mint.NewJobID(time.Now())
	if _, err := w.Service.Reserve(w.t.Context(), sidecar.Reservation{JobID: jobID, KeyID: keyID, ProjectID: projectID}); err != nil {
		w.t.Fatal(err)
	}
	return jobID
}

// submit makes a job that the engine accepted.
func (w world) submit(keyID, projectID string) string {
	w.t.Helper()
	jobID := w.reserve(keyID, projectID)
	if err := w.Service.Commit(w.t.Context(), jobID); err != nil {
		w.t.Fatal(err)
	}
	return jobID
}

// finished is the feed of a job that was priced and ended.
func finished(projectID, jobID string) contract.FeedBatch {
	at := time.Now().UTC().Truncate(time.Millisecond)
	record := contract.JobRecord{
		JobID: jobID, ProjectID: projectID, Status: api.JobCompleted, CreatedAt: at, StartedAt: &at, FinishedAt: &at,
		Progress: api.Progress{Stage: api.StageDone, Percent: 100, Message: "done"},
		Files:    &api.Files{Count: 3, Bytes: 12345, SHA256: "ab"}, LastEventID: 17,
	}
	return contract.FeedBatch{ProjectID: projectID, FeedID: "f", Records: []contract.FeedRecord{
		{FeedID: "f", Seq: 1, Kind: contract.FeedUsage, JobID: jobID, At: at, Units: []contract.Unit{{Name: "generator.job", Quantity: 1}}},
		{FeedID: "f", Seq: 2, Kind: contract.FeedEnded, JobID: jobID, At: at, Record: &record},
	}}
}

// patient returns a context that ends before the test's patience does.
func (w world) patient() context.Context {
	ctx, cancel := wait.Context(w.t)
	w.t.Cleanup(cancel)
	return ctx
}
