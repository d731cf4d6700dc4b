package activation_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/activation"
)

// shadow has a candidate decide along.
func (f fixture) shadow(t *testing.T, candidate bundle.Snapshot, sample float64) {
	t.Helper()
	_, err := f.Shadow(t.Context(), activation.Request{Files: candidate, Source: "upload", Actor: "uid:7"}, sample)
	if err != nil {
		t.Fatal(err)
	}
}

// endShadow ends it without a record.
func (f fixture) endShadow(t *testing.T) (last activation.Report, running bool) {
	t.Helper()
	last, running, err := f.EndShadow(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return last, running
}

func (f fixture) report(t *testing.T) activation.Report {
	t.Helper()
	report, running := f.ShadowReport()
	if !running {
		t.Fatal("no policy is in shadow")
	}
	return report
}

func TestCandidateInShadowIsCountedAndNeverListenedTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, activation.Options{})
		f.shadow(t, readers(t), 1)
		for range 20 {
			if f.mayRead(t) {
				t.Fatal("the candidate's answer was given")
			}
			if d, err := f.Decide(t.Context(), verify.Submission()); err != nil || !d.Allow {
				t.Fatalf("got %+v, %v", d, err)
			}
			time.Sleep(time.Second) // it has time for every decision
			synctest.Wait()
		}
		report := f.report(t)
		if report.Compared != 40 || report.Failed != 0 || report.Dropped != 0 || len(report.Differences) != 1 {
			t.Fatalf("report %+v", report)
		}
		d := report.Differences[0]
		if d.Count != 20 || d.Action != policy.ActionStatus || d.From != "403 project.forbidden" || d.To != "200 allowed" || d.KeyID != "key_1" {
			t.Errorf("difference %+v", d)
		}
		// It has words of its own, and does not fill the log.
		logged := f.logs.FilterMessage("candidate would allow").All()
		if len(logged) != 10 || logged[0].LoggerName != "shadow" {
			t.Errorf("%d lines in the log", len(logged))
		}
		for _, line := range f.logs.All() {
			if strings.Contains(line.Message, "denied") || strings.Contains(line.Message, "refused") {
				t.Errorf("the log says %q of a policy without effect", line.Message)
			}
		}
		refused := errors.New("the audit log is full")
		if _, _, err := f.EndShadow(t.Context(), func(_ context.Context, _, _ activation.Info) error { return refused }); !errors.Is(err, refused) || f.Status().Shadow == nil {
			t.Errorf("ended without a record: %v, %+v", err, f.Status().Shadow)
		}
		last, running := f.endShadow(t)
		if !running || last.Compared != 40 {
			t.Errorf("last report %+v", last)
		}
		if _, running := f.ShadowReport(); running || f.Status().Shadow != nil {
			t.Error("the shadow goes on")
		}
	})
}

func TestCandidateWithoutADecisionHarmsNoOne(t *testing.T) {
	// It passes every step, and fails for a project that the table has not.
	candidate := files(t)
	edit(t, candidate, "svc/project/project.rego", "input.project.ownerId == input.key.userId\n",
		"input.project.ownerId == input.key.userId\n\tnot slow\n")
	candidate["svc/project/project.rego"] = append(candidate["svc/project/project.rego"], `
slow if {
	input.project.attributes.slow
	some i in numbers.range(1, 3000)
	some j in numbers.range(1, 3000)
	i * j == -1
}
`...)
	f := open(t, activation.Options{})
	f.shadow(t, candidate, 1)
	in := verify.Poll()
	in.Project.Attributes = map[string]string{"slow": "yes"}
	if d, err := f.Decide(t.Context(), in); err != nil || !d.Allow {
		t.Fatalf("got %+v, %v", d, err)
	}
	f.until(t, "the candidate fails", func(activation.Status) bool { return f.report(t).Failed == 1 })
	if report := f.report(t); len(report.Differences) != 1 || report.Differences[0].To != "no decision" {
		t.Errorf("report %+v", report)
	}
}

func TestShadowDropsWhatItHasNoTimeFor(t *testing.T) {
	f := open(t, activation.Options{})
	f.shadow(t, files(t), 1)
	var deciders sync.WaitGroup
	const decisions = 5000
	for range 4 {
		deciders.Go(func() {
			for range decisions / 4 {
				if d, err := f.Decide(t.Context(), verify.Poll()); err != nil || !d.Allow {
					t.Errorf("got %+v, %v", d, err)
					return
				}
			}
		})
	}
	deciders.Wait()
	f.until(t, "every decision is accounted for", func(activation.Status) bool {
		r := f.report(t)
		return r.Compared+r.Dropped+r.Failed == decisions
	})
	if r := f.report(t); r.Dropped == 0 {
		t.Errorf("report %+v, want some without time", r)
	}
}

func TestSampleIsAShareOfTheDecisions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, activation.Options{})
		f.shadow(t, files(t), 0.5)
		for range 400 {
			if _, err := f.Decide(t.Context(), verify.Poll()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
		// Ten standard deviations either way.
		if n := f.report(t).Compared; n < 100 || n > 300 {
			t.Errorf("%d of 400 decisions were compared", n)
		}
	})
}

func TestOnlyWhatCouldBeActivatedIsTriedInShadow(t *testing.T) {
	f := open(t, activation.Options{})
	bad := edit(t, files(t), "svc/key/key.rego", "package svc.key", "package")
	for name, tc := range map[string]struct {
		files  bundle.Snapshot
		sample float64
	}{"a broken policy": {bad, 1}, "no sample": {files(t), 0}, "more than all": {files(t), 1.5}} {
		if _, err := f.Shadow(t.Context(), activation.Request{Files: tc.files, Actor: "uid:7"}, tc.sample); err == nil {
			t.Errorf("%s is in shadow", name)
		}
	}
	if _, running := f.endShadow(t); running {
		t.Error("a policy is in shadow")
	}
	// One takes the place of another.
	f.shadow(t, files(t), 1)
	f.shadow(t, readers(t), 1)
	if s := f.Status().Shadow; s == nil || s.Revision != f.report(t).Revision || s.Revision == f.Revision() {
		t.Errorf("shadow %+v", s)
	}
}
