package wire_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// testLedger runs the suite of the ledger's side.
func testLedger(t *testing.T, open opening) {
	run(t, "EnginesBelongToTheFirstWhoClaimsThem", open, testClaim)
	run(t, "FeedIsAppliedOnceAndItsCursorKept", open, testFeed)
	run(t, "FeedThatCanNotBeIsRefused", open, testBadFeed)
	run(t, "VerdictStopsAJobWithoutBalance", open, testVerdict)
	run(t, "OpenJobsAreListedWhole", open, testOpenJobs)
	run(t, "ResolveEndsTheDoubt", open, testDoubt)
	run(t, "FirstEndOfAJobWins", open, testEndJob)
	run(t, "ExpireForgetsWhatEnded", open, testExpire)
	run(t, "DeletedProjectIsListedUntilItIsForgotten", open, testDeletions)
	run(t, "CallIsGrantedAndChargedOnce", open, testCall)
	run(t, "UnpricedNamesWhatHasNoPrice", open, testUnpriced)
	run(t, "PricesAreThoseOfTheList", open, testPrices)
	run(t, "ContextThatEndedIsAnError", open, func(t *testing.T, w world) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := w.Ledger.OpenJobs(ctx, ""); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func testClaim(t *testing.T, w world) {
	first := contract.Installation{ID: "first", Place: "a:/srv/svc"}
	for _, who := range []contract.Installation{first, {ID: "second", Place: "b:/srv/svc"}, first} {
		owner, err := w.Ledger.Claim(t.Context(), who)
		if err != nil || owner.ID != first.ID || owner.Place != first.Place || time.Since(owner.Since).Abs() > time.Hour {
			t.Errorf("%s claims: they belong to %+v, %v", who.ID, owner, err)
		}
	}
	moved := contract.Installation{ID: "first", Place: "c:/data"}
	if owner, err := w.Ledger.Claim(t.Context(), moved); err != nil || owner.Place != moved.Place {
		t.Errorf("a folder that was moved: %+v, %v", owner, err)
	}
	if _, err := w.Ledger.Claim(t.Context(), contract.Installation{}); err == nil {
		t.Error("nobody claimed the engines, and nothing was said")
	}
}

func testFeed(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	jobID := w.submit(key.ID, project.ID)
	if cursor, err := w.Ledger.FeedCursor(t.Context(), project.ID, "f"); cursor != 0 || err != nil {
		t.Errorf("a new feed: %d, %v", cursor, err)
	}
	for range 2 {
		v, err := w.Ledger.ApplyFeed(t.Context(), finished(project.ID, jobID))
		if err != nil || v.Cursor != 2 || len(v.Stop) != 0 {
			t.Errorf("verdict %+v, %v", v, err)
		}
	}
	if cursor, err := w.Ledger.FeedCursor(t.Context(), project.ID, "f"); cursor != 2 || err != nil {
		t.Errorf("cursor %d, %v", cursor, err)
	}
	user, err := w.Keys.User(t.Context(), "alice")
	if err != nil || user.Balance != 9*api.MicroPerTIK {
		t.Errorf("user %+v, %v", user, err)
	}
}

func testBadFeed(t *testing.T, w world) {
	project := w.project("alice").ID
	for want, b := range map[string]contract.FeedBatch{
		"names no project": {},
		"unknown kind":     {ProjectID: project, FeedID: "f", Records: []contract.FeedRecord{{FeedID: "f", Seq: 1, Kind: "x"}}},
		"out of order":     {ProjectID: project, FeedID: "f", Records: []contract.FeedRecord{{FeedID: "f", Seq: 0, Kind: contract.FeedUsage}}},
	} {
		if _, err := w.Ledger.ApplyFeed(t.Context(), b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func testVerdict(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	jobID := w.submit(key.ID, project.ID)
	v, err := w.Ledger.ApplyFeed(t.Context(), contract.FeedBatch{ProjectID: project.ID, FeedID: "f", Records: []contract.FeedRecord{
		{FeedID: "f", Seq: 1, Kind: contract.FeedUsage, JobID: jobID, Units: []contract.Unit{{Name: "generator.step", Quantity: 6}}},
	}})
	if err != nil || len(v.Stop) != 1 || v.Stop[0].JobID != jobID || v.Stop[0].Code != api.FailureTIKExhausted {
		t.Errorf("verdict %+v, %v", v, err)
	}
}

func testOpenJobs(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	if jobs, err := w.Ledger.OpenJobs(t.Context(), ""); err != nil || jobs == nil || len(jobs) != 0 {
		t.Errorf("without jobs: %+v, %v", jobs, err)
	}
	reserved, active := w.reserve(key.ID, project.ID), w.submit(key.ID, project.ID)
	for _, of := range []string{"", project.ID} {
		jobs, err := w.Ledger.OpenJobs(t.Context(), of)
		if err != nil || len(jobs) != 2 {
			t.Errorf("jobs %+v, %v", jobs, err)
		}
		for _, j := range jobs {
			if j.OwnerID != "alice" || j.ProjectID != project.ID || j.Overdue || j.Reserved != (j.JobID == reserved) ||
				j.Reserved == (j.JobID == active) || j.Record.JobID != j.JobID || j.Record.Status != api.JobQueued ||
				j.Record.CreatedAt.IsZero() {
				t.Errorf("job %+v", j)
			}
		}
	}
	if jobs, err := w.Ledger.OpenJobs(t.Context(), nowhere); err != nil || len(jobs) != 0 {
		t.Errorf("of no project: %+v, %v", jobs, err)
	}
}

func testDoubt(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	accepted, fenced := w.reserve(key.ID, project.ID), w.reserve(key.ID, project.ID)
	if err := w.Ledger.Resolve(t.Context(), accepted, contract.Accepted); err != nil {
		t.Error(err)
	}
	if err := w.Ledger.Resolve(t.Context(), fenced, contract.Fenced); err != nil {
		t.Error(err)
	}
	if _, err := w.Service.Job(t.Context(), accepted); err != nil {
		t.Errorf("an accepted job: %v", err)
	}
	if _, err := w.Service.Job(t.Context(), fenced); !errors.Is(err, sidecar.ErrUnknownJob) {
		t.Errorf("a fenced one: %v", err)
	}
	if err := w.Ledger.Resolve(t.Context(), accepted, "perhaps"); err == nil {
		t.Error("an unknown verdict is believed")
	}
}

func testEndJob(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	jobID := w.submit(key.ID, project.ID)
	at := time.Now().UTC().Truncate(time.Millisecond)
	record := contract.JobRecord{
		JobID: jobID, ProjectID: project.ID, Status: api.JobFailed, CreatedAt: at, FinishedAt: &at,
		Failure: &api.Failure{Code: api.FailureEngineLost, Message: "lost"},
	}
	for range 2 {
		if err := w.Ledger.EndJob(t.Context(), record); err != nil {
			t.Error(err)
		}
		record.Failure = &api.Failure{Code: api.FailureTimeout, Message: "later"}
	}
	job, err := w.Service.Job(t.Context(), jobID)
	if err != nil || !job.Settled || job.Failure == nil || job.Failure.Code != api.FailureEngineLost || job.Failure.Message != "lost" {
		t.Errorf("job %+v, %v", job, err)
	}
}

func testExpire(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	old, open := w.submit(key.ID, project.ID), w.submit(key.ID, project.ID)
	if _, err := w.Ledger.ApplyFeed(t.Context(), finished(project.ID, old)); err != nil {
		t.Fatal(err)
	}
	if n, err := w.Ledger.Expire(t.Context(), time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("nothing is that old: %d, %v", n, err)
	}
	if n, err := w.Ledger.Expire(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("forgot %d, %v", n, err)
	}
	if _, err := w.Service.Job(t.Context(), old); !errors.Is(err, sidecar.ErrUnknownJob) {
		t.Errorf("the ended job: %v", err)
	}
	if _, err := w.Service.Job(t.Context(), open); err != nil {
		t.Errorf("the open job: %v", err)
	}
}

func testDeletions(t *testing.T, w world) {
	who := contract.Installation{ID: "first", Place: "a:/srv/svc"}
	if _, err := w.Ledger.Claim(t.Context(), who); err != nil {
		t.Fatal(err)
	}
	if ids, err := w.Ledger.DeletedProjects(t.Context(), who.ID); err != nil || ids == nil || len(ids) != 0 {
		t.Errorf("before a deletion: %q, %v", ids, err)
	}
	project := w.project("alice").ID
	if err := w.Service.DeleteProject(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	if ids, err := w.Ledger.DeletedProjects(t.Context(), who.ID); err != nil || !slices.Equal(ids, []string{project}) {
		t.Errorf("after it: %q, %v", ids, err)
	}
	if ids, err := w.Ledger.DeletedProjects(t.Context(), "second"); err == nil {
		t.Errorf("another installation was told %q", ids)
	}
	if err := w.Ledger.ProjectsForgotten(t.Context(), "second", []string{project}); err == nil {
		t.Error("another installation was believed")
	}
	for range 2 {
		if err := w.Ledger.ProjectsForgotten(t.Context(), who.ID, []string{project}); err != nil {
			t.Error(err)
		}
	}
	if ids, err := w.Ledger.DeletedProjects(t.Context(), who.ID); err != nil || !slices.Equal(ids, []string{project}) {
		t.Errorf("at once, when something of it may still be under way: %q, %v", ids, err)
	}
}

func testCall(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	if grant, err := w.Ledger.GrantCall(t.Context(), project.ID); err != nil || grant != (contract.CallGrant{}) {
		t.Errorf("without a job: %+v, %v", grant, err)
	}
	jobID := w.submit(key.ID, project.ID)
	at := time.Now().UTC().Truncate(time.Millisecond)
	if _, err := w.Ledger.ApplyFeed(t.Context(), contract.FeedBatch{ProjectID: project.ID, FeedID: "f", Records: []contract.FeedRecord{{
		FeedID: "f", Seq: 1, Kind: contract.FeedStarted, JobID: jobID, At: at, Record: &contract.JobRecord{
			JobID: jobID, ProjectID: project.ID, Status: api.JobRunning, CreatedAt: at, StartedAt: &at,
		},
	}}}); err != nil {
		t.Fatal(err)
	}
	if grant, err := w.Ledger.GrantCall(t.Context(), project.ID); err != nil || grant.JobID != jobID || grant.Exhausted {
		t.Errorf("grant %+v, %v", grant, err)
	}
	for range 2 {
		if err := w.Ledger.ChargeCall(t.Context(), contract.Call{
			ProjectID: project.ID, ID: 7, JobID: jobID, Units: []contract.Unit{{Name: "image", Quantity: 5}},
		}); err != nil {
			t.Error(err)
		}
	}
	if grant, err := w.Ledger.GrantCall(t.Context(), project.ID); err != nil || !grant.Exhausted {
		t.Errorf("with an empty balance: %+v, %v", grant, err)
	}
	if user, err := w.Keys.User(t.Context(), "alice"); err != nil || user.Balance != 0 {
		t.Errorf("user %+v, %v", user, err)
	}
}

func testPrices(t *testing.T, w world) {
	got, err := w.Ledger.Prices(t.Context(), []string{"generator.job", "model.x.input"})
	if _, priced := got["generator.job"]; err != nil || !priced || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

func testUnpriced(t *testing.T, w world) {
	got, err := w.Ledger.Unpriced(t.Context(), []string{"image", "audio", "generator.job", "model.x.input"})
	slices.Sort(got)
	if err != nil || !slices.Equal(got, []string{"audio", "model.x.input"}) {
		t.Errorf("got %q, %v", got, err)
	}
}
