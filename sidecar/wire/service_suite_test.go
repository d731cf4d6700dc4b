package wire_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/test/wait"
)

const nowhere = "000000000000000000000000"

// testService runs the suite of sidecar.Service.
func testService(t *testing.T, open opening) {
	run(t, "AuthenticateTellsWhoAndDecidesOnTheKeysState", open, testAuthenticate)
	run(t, "WhatAGatewayRefusedIsTaken", open, testNoteRefused)
	run(t, "DecideGathersTheFacts", open, testDecide)
	run(t, "EachLimitRefusesByItsName", open, testLimits)
	run(t, "ReserveRefusesWhatIsNotThere", open, testReserveUnknown)
	run(t, "ReserveTellsUsageAndLimits", open, testAdmission)
	run(t, "NotOneJobOverTheLimitUnderConcurrency", open, testConcurrentReserve)
	run(t, "ReservationThatIsRenewedIsNotOverdue", open, testRenew)
	run(t, "CommitAndReleaseAreIdempotentAndExclusive", open, testResolve)
	run(t, "IdempotencyKeyMakesOneJob", open, testReplay)
	run(t, "JobIsReadWhole", open, testJob)
	run(t, "JobsAreListed", open, testJobs)
	run(t, "StreamTokenGrantsItsJobUntilItIsOver", open, testStreamTokens)
	run(t, "AwaitEndReturnsOnceTheJobIsSettled", open, testAwaitEnd)
	run(t, "ProjectsAreMadeListedFoundAndDeleted", open, testProjects)
	run(t, "GameIsPublishedAndTakenBack", open, testPublishing)
	run(t, "GameIsSetByItsOwner", open, testGames)
	run(t, "WebhookIsSetRotatedAndDropped", open, testWebhooks)
	run(t, "NamedRequestMakesOneProject", open, testProjectOnce)
	run(t, "ChangesNamesEachKeyAfterAPlace", open, testChanges)
	run(t, "WatchHintsAtARevocation", open, testWatch)
	run(t, "ContextThatEndedIsAnError", open, testEndedContext)
}

func testAuthenticate(t *testing.T, w world) {
	key := w.key("alice", policy.Limits{})
	who, err := w.Service.Authenticate(t.Context(), w.hash(key))
	if err != nil || who.KeyID != key.ID || who.UserID != "alice" || !who.Decision.Allow || who.Decision.Rule == "" {
		t.Errorf("identity %+v, %v", who, err)
	}
	unknown, _ := mint.ParseKey(mint.NewKey())
	for range 2 { // the second is no decision of its own
		who, err := w.Service.Authenticate(t.Context(), unknown)
		if !errors.Is(err, sidecar.ErrUnknownKey) || who.KeyID != "" || who.UserID != "" || who.Decision.Status != http.StatusUnauthorized ||
			who.Decision.Error == "" || who.Decision.Rule == "" {
			t.Errorf("a key no one has: %+v, %v", who, err)
		}
	}
	if _, err := w.Keys.Revoke(t.Context(), "test", key.ID); err != nil {
		t.Fatal(err)
	}
	who, err = w.Service.Authenticate(t.Context(), w.hash(key))
	if err != nil || who.Decision.Allow || who.Decision.Status != http.StatusUnauthorized || who.Decision.Reason != api.ReasonRevoked {
		t.Errorf("a revoked key: %+v, %v", who, err)
	}
}

func testNoteRefused(t *testing.T, w world) {
	refused := sidecar.Refused{Status: http.StatusUnauthorized, Message: "An API key is required.", Reason: api.ReasonMissing, Count: 7}
	if err := w.Service.NoteRefused(t.Context(), refused); err != nil {
		t.Error(err)
	}
}

func testDecide(t *testing.T, w world) {
	key, foreign := w.key("alice", policy.Limits{JobsPerDay: new(int64(0))}), w.key("bob", policy.Limits{})
	project := w.project("alice")
	for _, tc := range []struct {
		keyID, projectID string
		action           policy.Action
		status           int
		limit            string
	}{
		{key.ID, project.ID, policy.ActionStatus, 200, ""},
		{key.ID, "", policy.ActionListProjects, 200, ""},
		{key.ID, project.ID, policy.ActionGenerate, 429, api.LimitJobsPerDay},
		{foreign.ID, project.ID, policy.ActionStatus, 403, ""},
		{foreign.ID, nowhere, policy.ActionStatus, 403, ""},
		{"key_none", project.ID, policy.ActionStatus, 401, ""},
	} {
		d, err := w.Service.Decide(t.Context(), tc.keyID, tc.projectID, tc.action)
		if err != nil || d.Status != tc.status || d.Allow != (tc.status == 200) || d.Limit != tc.limit || d.Rule == "" {
			t.Errorf("%+v: %+v, %v", tc, d, err)
		}
		if tc.keyID == key.ID && (d.Limits.JobsPerDay == nil || *d.Limits.JobsPerDay != 0 || d.Limits.TIKPerMonth != nil) {
			t.Errorf("%+v: limits %+v", tc, d.Limits)
		}
	}
}

func testLimits(t *testing.T, w world) {
	project := w.project("alice")
	for limit, limits := range map[string]policy.Limits{
		api.LimitJobsPerDay:        {JobsPerDay: new(int64(0))},
		api.LimitJobsPerMonth:      {JobsPerMonth: new(int64(0))},
		api.LimitMaxConcurrentJobs: {MaxConcurrentJobs: new(int64(0))},
		api.LimitTIKPerMonth:       {TIKPerMonth: new(api.TIK(0))},
	} {
		key := w.key("alice", limits)
		_, err := w.Service.Reserve(t.Context(), sidecar.Reservation{JobID: mint.NewJobID(time.Now()), KeyID: key.ID, ProjectID: project.ID})
		var refused *answers.Error
		if !errors.As(err, &refused) || refused.Status != http.StatusTooManyRequests || refused.Reason != api.ReasonLimitExceeded ||
			refused.Limit != limit || refused.Message == "" || refused.RetryAfter <= 0 || refused.Starting {
			t.Errorf("%s: %+v", limit, err)
		}
	}
	key := w.key("alice", policy.Limits{})
	if _, err := w.Keys.Disable(t.Context(), "test", key.ID); err != nil {
		t.Fatal(err)
	}
	_, err := w.Service.Reserve(t.Context(), sidecar.Reservation{JobID: mint.NewJobID(time.Now()), KeyID: key.ID, ProjectID: project.ID})
	var refused *answers.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized || refused.Reason != api.ReasonDisabled {
		t.Errorf("a disabled key: %+v", err)
	}
}

func testReserveUnknown(t *testing.T, w world) {
	key := w.key("alice", policy.Limits{})
	for want, r := range map[error]sidecar.Reservation{
		sidecar.ErrUnknownProject: {KeyID: key.ID, ProjectID: nowhere},
		sidecar.ErrUnknownKey:     {KeyID: "key_none", ProjectID: nowhere},
	} {
		r.JobID = mint.NewJobID(time.Now())
		if _, err := w.Service.Reserve(t.Context(), r); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func testAdmission(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{JobsPerDay: new(int64(9)), TIKPerMonth: new(api.TIK(1_500_001))}), w.project("alice")
	a, err := w.Service.Reserve(t.Context(), sidecar.Reservation{
		JobID: mint.NewJobID(time.Now()), KeyID: key.ID, ProjectID: project.ID,
		Limits: policy.Limits{JobsPerDay: new(int64(5))}, Deadline: time.Hour,
	})
	if err != nil || a.SessionID == "" || a.Replayed != nil || a.Usage != (policy.Usage{JobsToday: 1, JobsThisMonth: 1, RunningJobs: 1}) ||
		*a.Limits.JobsPerDay != 5 || *a.Limits.TIKPerMonth != 1_500_001 || a.Limits.JobsPerMonth != nil {
		t.Errorf("admission %+v, %v", a, err)
	}
}

func testConcurrentReserve(t *testing.T, w world) {
	const limit, submissions = 5, 40
	key, project := w.key("alice", policy.Limits{MaxConcurrentJobs: new(int64(limit))}), w.project("alice")
	var wg sync.WaitGroup
	admitted := make(chan string, submissions)
	for range submissions {
		wg.Go(func() {
			jobID := mint.NewJobID(time.Now())
			_, err := w.Service.Reserve(t.Context(), sidecar.Reservation{JobID: jobID, KeyID: key.ID, ProjectID: project.ID})
			var refused *answers.Error
			switch {
			case err == nil:
				admitted <- jobID
			case !errors.As(err, &refused) || refused.Limit != api.LimitMaxConcurrentJobs:
				t.Errorf("refused with %v", err)
			}
		})
	}
	wg.Wait()
	if len(admitted) != limit {
		t.Errorf("%d admitted, the limit is %d", len(admitted), limit)
	}
	used, err := w.Keys.Usage(t.Context(), key.ID)
	if err != nil || used.JobsToday != limit || used.RunningJobs != limit {
		t.Errorf("usage %+v, %v", used, err)
	}
}

func testRenew(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	overdue := func(jobID string) bool {
		t.Helper()
		jobs, err := w.Ledger.OpenJobs(t.Context(), project.ID)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(jobs, func(j contract.OpenJob) bool { return j.JobID == jobID })
		if i < 0 {
			t.Fatalf("%s is not listed", jobID)
		}
		return jobs[i].Overdue
	}
	r := sidecar.Reservation{JobID: mint.NewJobID(time.Now()), KeyID: key.ID, ProjectID: project.ID, Deadline: time.Millisecond}
	if _, err := w.Service.Reserve(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "nobody renews it: it is overdue", func() bool { return overdue(r.JobID) })
	for _, after := range []time.Duration{time.Hour, time.Millisecond} { // the later one counts
		if err := w.Service.Renew(t.Context(), r.JobID, after); err != nil {
			t.Error(err)
		}
	}
	if overdue(r.JobID) {
		t.Error("it is overdue, and its gateway works on it")
	}
	if err := w.Service.Release(t.Context(), r.JobID); err != nil {
		t.Error(err)
	}
	for _, id := range []string{r.JobID, mint.NewJobID(time.Now())} {
		if err := w.Service.Renew(t.Context(), id, time.Hour); err != nil {
			t.Errorf("there is nothing to renew: %v", err)
		}
	}
}

func testResolve(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	committed, released := w.reserve(key.ID, project.ID), w.reserve(key.ID, project.ID)
	for range 2 {
		if err := w.Service.Commit(t.Context(), committed); err != nil {
			t.Error(err)
		}
		if err := w.Service.Release(t.Context(), released); err != nil {
			t.Error(err)
		}
	}
	if err := w.Service.Release(t.Context(), committed); err != nil {
		t.Errorf("release of a committed job: %v", err)
	}
	if err := w.Service.Commit(t.Context(), released); !errors.Is(err, sidecar.ErrReleased) {
		t.Errorf("commit of a released one: %v", err)
	}
	for name, call := range map[string]func(context.Context, string) error{"commit": w.Service.Commit, "release": w.Service.Release} {
		if err := call(t.Context(), mint.NewJobID(time.Now())); !errors.Is(err, sidecar.ErrUnknownJob) {
			t.Errorf("%s of no job: %v", name, err)
		}
	}
	if _, err := w.Service.Job(t.Context(), released); !errors.Is(err, sidecar.ErrUnknownJob) {
		t.Errorf("a released job: %v", err)
	}
}

func testReplay(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{JobsPerDay: new(int64(1))}), w.project("alice")
	if job, err := w.Service.Replay(t.Context(), key.ID, "once", "f1"); job != nil || err != nil {
		t.Errorf("before: %+v, %v", job, err)
	}
	r := sidecar.Reservation{JobID: mint.NewJobID(time.Now()), KeyID: key.ID, ProjectID: project.ID, IdempotencyKey: "once", Fingerprint: "f1"}
	if _, err := w.Service.Reserve(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	var flying *answers.Error
	if _, err := w.Service.Replay(t.Context(), key.ID, "once", "f1"); !errors.As(err, &flying) || flying.Status != http.StatusConflict {
		t.Errorf("in flight: %v", err)
	}
	if err := w.Service.Commit(t.Context(), r.JobID); err != nil {
		t.Fatal(err)
	}
	if job, err := w.Service.Replay(t.Context(), key.ID, "once", "f1"); err != nil || job == nil || job.JobID != r.JobID {
		t.Errorf("after: %+v, %v", job, err)
	}
	if _, err := w.Service.Replay(t.Context(), key.ID, "once", "f2"); !errors.Is(err, sidecar.ErrIdempotencyMismatch) {
		t.Errorf("another body: %v", err)
	}
	again := r
	again.JobID = mint.NewJobID(time.Now())
	if a, err := w.Service.Reserve(t.Context(), again); err != nil || a.Replayed == nil || a.Replayed.JobID != r.JobID || a.SessionID == "" {
		t.Errorf("reserved again: %+v, %v", a, err)
	}
}

func testProjects(t *testing.T, w world) {
	key := w.key("alice", policy.Limits{})
	w.key("bob", policy.Limits{})
	var ids []string
	for range 3 {
		ids = append(ids, w.project("alice").ID)
	}
	var refused *answers.Error
	if _, err := w.Service.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "x"}); !errors.As(err, &refused) {
		t.Errorf("over the cap: %v", err)
	}
	found, err := w.Service.Project(t.Context(), ids[1])
	if err != nil || found.ID != ids[1] || found.OwnerID != "alice" || found.SessionID == "" || found.Name != "Duck & <co>" ||
		found.Description != "ünïcode \u2028" || found.Template != api.TemplateBlank || found.CreatedAt.IsZero() {
		t.Errorf("project %+v, %v", found, err)
	}
	first, err := w.Service.Projects(t.Context(), "alice", "", 2)
	if err != nil || len(first.Data) != 2 || first.NextCursor == "" {
		t.Fatalf("first page %+v, %v", first, err)
	}
	second, err := w.Service.Projects(t.Context(), "alice", first.NextCursor, 2)
	if err != nil || len(second.Data) != 1 || second.NextCursor != "" {
		t.Fatalf("second page %+v, %v", second, err)
	}
	listed := []string{first.Data[0].ID, first.Data[1].ID, second.Data[0].ID}
	if slices.Sort(listed); !slices.Equal(listed, slices.Sorted(slices.Values(ids))) {
		t.Errorf("listed %v, made %v", listed, ids)
	}
	if none, err := w.Service.Projects(t.Context(), "bob", "", 2); err != nil || none.Data == nil || len(none.Data) != 0 {
		t.Errorf("of a user without: %+v, %v", none, err)
	}
	jobID := w.submit(key.ID, ids[0])
	if err := w.Service.DeleteProject(t.Context(), ids[0]); !errors.Is(err, sidecar.ErrProjectBusy) {
		t.Errorf("with a job: %v", err)
	}
	if _, err := w.Ledger.ApplyFeed(t.Context(), finished(ids[0], jobID)); err != nil {
		t.Fatal(err)
	}
	if err := w.Service.DeleteProject(t.Context(), ids[0]); err != nil {
		t.Error(err)
	}
	if err := w.Service.DeleteProject(t.Context(), ids[0]); !errors.Is(err, sidecar.ErrUnknownProject) {
		t.Errorf("twice: %v", err)
	}
	if _, err := w.Service.Project(t.Context(), ids[0]); !errors.Is(err, sidecar.ErrUnknownProject) {
		t.Errorf("a deleted one: %v", err)
	}
}

func testEndedContext(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"authenticate": func() error { _, err := w.Service.Authenticate(ctx, w.hash(key)); return err },
		"decide":       func() error { _, err := w.Service.Decide(ctx, key.ID, project.ID, policy.ActionStatus); return err },
		"project":      func() error { _, err := w.Service.Project(ctx, project.ID); return err },
		"changes":      func() error { _, err := w.Service.Changes(ctx, 0); return err },
		"reserve": func() error {
			_, err := w.Service.Reserve(ctx, sidecar.Reservation{JobID: mint.NewJobID(time.Now()), KeyID: key.ID, ProjectID: project.ID})
			return err
		},
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
