package cluster

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// poor makes everything from here on that of a user with little TIK.
func (b *stand) poor(tik int) {
	b.t.Helper()
	b.NewUser("poor", strconv.Itoa(tik))
	b.key = b.NewKey("poor")
	b.project = b.NewProject(b.key)
	b.done = 0
}

// balance returns what the poor user has left.
func (b *stand) balance() api.TIK {
	b.t.Helper()
	var user struct {
		Balance api.TIK `json:"balance"`
	}
	b.Decode(b.MustAdmin("user", "show", "poor", "--json"), &user)
	return user.Balance
}

func (b *stand) files(sub api.Submission) rig.Answer {
	b.t.Helper()
	return b.Call(b.key, http.MethodGet, "/v1/generate/"+sub.JobID+"/files?projectId="+sub.ProjectID, nil)
}

// wantExhausted wants a job failed for want of TIK, with its files there.
func (b *stand) wantExhausted(sub api.Submission) {
	b.t.Helper()
	job := b.Finish(b.key, sub)
	if job.Status != api.JobFailed || job.Failure == nil || job.Failure.Code != api.FailureTIKExhausted {
		b.t.Errorf("the record is %+v", job)
	}
	if a := b.files(sub); a.Status != http.StatusOK {
		b.t.Errorf("the files of the failed job: %d %s", a.Status, a.Body)
	}
}

func TestBalanceThatRunsOutFailsTheJobAtItsNextStepAndATopUpHelps(t *testing.T) {
	t.Parallel()
	b := newStand(t, script.Engine{})
	b.poor(1)
	if job := b.Finish(b.key, b.Generate(b.key, b.project)); job.Status != api.JobCompleted {
		t.Errorf("the last job that could be paid ended as %s", job.Status)
	}
	b.done++
	for range 2 { // the submission is accepted, and fails at its first spend
		sub := b.Generate(b.key, b.project)
		b.done++
		b.wantExhausted(sub)
	}
	if left := b.balance(); left != 0 {
		t.Errorf("the balance is %s", left)
	}
	b.wantFree()
	b.MustAdmin("user", "topup", "poor", "1")
	if job := b.Finish(b.key, b.Generate(b.key, b.project)); job.Status != api.JobCompleted {
		t.Errorf("after the top-up the job ended as %s", job.Status)
	}
	b.done++
	b.wantFree()
}

func TestJobsOfOneUserOverdrawNoMoreThanTheStepsUnderWay(t *testing.T) {
	t.Parallel()
	const jobs, credit = 4, 2
	b := newStand(t, script.Engine{Hold: "stay"})
	b.poor(credit)
	letEnd := b.Hold("stay")
	var subs []api.Submission
	for range jobs {
		sub := b.Generate(b.key, b.NewProject(b.key))
		b.done++
		wait.Until(t, "the job is in its step", func() bool { return b.Job(b.key, sub).Status == api.JobRunning })
		subs = append(subs, sub)
	}
	letEnd() // all steps are under way: each is charged, none is a further one
	for _, sub := range subs {
		b.Finish(b.key, sub)
	}
	b.wantFree()
	if over := -b.balance(); over != (jobs-credit)*api.MicroPerTIK {
		t.Errorf("overdrawn by %s TIK, %d steps were under way with %d TIK", over, jobs, credit)
	}
	// No further step of any of them, whichever project.
	for _, sub := range subs {
		b.project = sub.ProjectID
		next := b.Generate(b.key, b.project)
		b.done++
		b.wantExhausted(next)
	}
	if over := -b.balance(); over != (jobs-credit)*api.MicroPerTIK {
		t.Errorf("jobs that failed at their first step cost %s TIK", over-(jobs-credit)*api.MicroPerTIK)
	}
	b.MustAdmin("user", "topup", "poor", strconv.Itoa(jobs-credit+1))
	if job := b.Finish(b.key, b.Generate(b.key, b.project)); job.Status != api.JobCompleted {
		t.Errorf("after the top-up the job ended as %s", job.Status)
	}
}
