package activation_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/activation"
)

func TestProgramsOwnPolicyIsActiveByDefault(t *testing.T) {
	f := open(t, activation.Options{})
	e := policytest.Embedded(t).Evaluator
	status := f.Status()
	if f.Revision() != e.Revision() || status.Degraded || status.Wanted != e.Revision() || status.Active.Source != activation.Embedded {
		t.Errorf("status %+v", status)
	}
	if f.mayRead(t) {
		t.Error("a stranger may read")
	}
}

// TestPolicyThatIsNotGoodEnoughIsRefused is the list of bad input: each is
// refused with its step, file and line and with what to do, and the policy that
// runs stays.
func TestPolicyThatIsNotGoodEnoughIsRefused(t *testing.T) {
	private, public := keyPair(t)
	for _, tc := range badPolicies(private) {
		t.Run(tc.name, func(t *testing.T) {
			// Where signing is on, all but the signature is good before the change.
			signing := tc.step == activation.StepSignature || tc.step == activation.StepSequence
			o := activation.Options{}
			if signing {
				o.KeyFile = public
			}
			f := open(t, o)
			if signing {
				good := readers(t)
				archive(t, good, 5, private)
				if _, err := f.activate(t, good); err != nil {
					t.Fatal(err)
				}
			}
			before, stays := f.Revision(), f.mayRead(t)
			bad := whole(t)
			if signing {
				archive(t, bad, 6, private)
			}
			tc.change(t, bad)
			_, err := f.activate(t, bad)
			var failure *activation.Failure
			if !errors.As(err, &failure) {
				t.Fatalf("got %v, want a failure", err)
			}
			problem := failure.Problem(time.Now())
			if problem.Step != tc.step || problem.Advice == "" {
				t.Errorf("problem %+v, want step %s", problem, tc.step)
			}
			file, line, _ := strings.Cut(tc.file, ":")
			if problem.File != file && file != "" || line != "" && !strings.Contains(problem.Error, tc.file) || file != "" && problem.Line == 0 {
				t.Errorf("the problem is in %q, line %d, want %s: %s", problem.File, problem.Line, tc.file, problem.Error)
			}
			if f.Revision() != before || f.mayRead(t) != stays {
				t.Error("the policy that runs changed")
			}
		})
	}
}

// badPolicy is a change of the shipped policy that is refused.
type badPolicy struct {
	name   string
	change func(t *testing.T, s bundle.Snapshot)
	step   string
	file   string // with its line
}

// badPolicies need the key that bundles are signed with.
func badPolicies(private string) []badPolicy {
	const rules, authz = "svc/project/project.rego", "svc/authz/authz.rego"
	return []badPolicy{
		{"it does not parse", func(t *testing.T, s bundle.Snapshot) { edit(t, s, rules, `role := "owner" if {`, `role := := {`) },
			activation.StepCompile, rules + ":17"},
		{"two rules conflict", func(t *testing.T, s bundle.Snapshot) {
			s[authz] = append(s[authz], "\ndecision := {\"x\": 1}\n\ndefault decision := 1\n\ndefault decision := 2\n"...)
		}, activation.StepCompile, authz},
		{"two values at once", func(t *testing.T, s bundle.Snapshot) {
			edit(t, s, rules, "role := \"owner\" if {", "role := \"other\" if input.project.ownerId\n\nrole := \"owner\" if {")
		}, activation.StepTests, ""},
		{"a test fails", func(t *testing.T, s bundle.Snapshot) {
			edit(t, s, rules, "input.project.ownerId == input.key.userId", "input.project.ownerId != input.key.userId")
		}, activation.StepTests, "svc/authz/authz_test.rego"},
		{"it has no tests", func(t *testing.T, s bundle.Snapshot) {
			for name := range s {
				if strings.HasSuffix(name, "_test.rego") {
					delete(s, name)
				}
			}
		}, activation.StepTests, ""},
		{"it lacks the entrypoint", func(t *testing.T, s bundle.Snapshot) {
			s[authz] = []byte(strings.ReplaceAll(string(s[authz]), "decision := {", "verdict := {"))
			delete(s, "svc/authz/authz_test.rego")
			delete(s, "svc/authz/suspended_test.rego")
		}, activation.StepCompile, ""},
		{"it calls a forbidden builtin", func(t *testing.T, s bundle.Snapshot) {
			edit(t, s, rules, "key.active\n", "key.active\n\ttime.now_ns() > 0\n")
		}, activation.StepCompile, rules + ":19"},
		{"it opens a connection", func(t *testing.T, s bundle.Snapshot) {
			edit(t, s, rules, "key.active\n", "key.active\n\thttp.send({\"method\": \"get\", \"url\": \"http://127.0.0.1/\"})\n")
		}, activation.StepCompile, rules + ":19"},
		{"it misspells a fact", func(t *testing.T, s bundle.Snapshot) {
			edit(t, s, rules, "input.project.ownerId", "input.project.ownerID")
		},
			activation.StepCompile, rules + ":19"},
		{"it brings data along", func(t *testing.T, s bundle.Snapshot) { s["svc/data.json"] = []byte(`{"admins": ["eve"]}`) },
			activation.StepCompile, ""},
		{"an input has no decision", func(t *testing.T, s bundle.Snapshot) {
			edit(t, s, authz, "} else := object.union(refusal, {\"limits\": limits.effective})",
				"} else := object.union(refusal, {\"limits\": limits.effective}) if input.action != \"teleport\"")
			delete(s, "svc/authz/authz_test.rego")
			delete(s, "svc/authz/suspended_test.rego")
		}, activation.StepTable, ""},
		{"a dead key may do something", func(t *testing.T, s bundle.Snapshot) {
			edit(t, s, authz, "allow if {\n\tinput.action in {\"authenticate\", \"projects.create\", \"projects.list\", \"models.list\", \"jobs.list\"}\n\tkey.active\n}",
				"allow if input.action == \"projects.list\"\n\nallow if {\n\tinput.action in {\"authenticate\", \"projects.create\"}\n\tkey.active\n}")
			delete(s, "svc/authz/authz_test.rego")
			delete(s, "svc/authz/suspended_test.rego")
		}, activation.StepTable, ""},
		{"its mask can't be applied", func(t *testing.T, s bundle.Snapshot) {
			s["system/log/mask.rego"] = []byte("package system.log\n\nmask contains \"/labels/host\"\n")
		}, activation.StepWarmUp, ""},
		{"it is not signed", func(t *testing.T, s bundle.Snapshot) { delete(s, bundle.SignaturesFile) }, activation.StepSignature, ""},
		{"it was changed after it was signed", func(t *testing.T, s bundle.Snapshot) {
			edit(t, s, rules, "input.project.ownerId == input.key.userId", "true")
		}, activation.StepSignature, ""},
		{"it is not numbered as before", func(t *testing.T, s bundle.Snapshot) { archive(t, s, 4, private) }, activation.StepSequence, ""},
	}
}

func TestDirectoryIsActivatedOnceItRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, files(t))
		f := open(t, activation.Options{Source: dir})
		wait := func(looks int) {
			time.Sleep(time.Duration(looks) * activation.DefaultPoll)
			synctest.Wait()
		}
		// Someone copies the new files one by one.
		for name, text := range readers(t) {
			half := files(t)
			half[name] = text
			write(t, dir, half)
			wait(1)
			if f.mayRead(t) {
				t.Fatal("a half-written directory was activated")
			}
		}
		write(t, dir, readers(t))
		wait(2)
		if !f.mayRead(t) || f.Status().Degraded {
			t.Errorf("status %+v", f.Status())
		}
	})
}

func TestLastGoodPolicyStaysWhenTheSourceBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, readers(t))
		f := open(t, activation.Options{Source: dir})
		good := f.Revision()
		wait := func() {
			time.Sleep(3 * activation.DefaultPoll)
			synctest.Wait()
		}
		write(t, dir, edit(t, readers(t), "svc/key/key.rego", "package svc.key", "package svc.key\n\nx := "))
		wait()
		status := f.Status()
		if !f.mayRead(t) || !status.Degraded || status.Problem.File != "svc/key/key.rego" || status.Wanted == good {
			t.Errorf("status %+v, problem %+v", status, status.Problem)
		}
		wait()
		logged := f.logs.FilterMessage("policy not activated; keeping the last good one").All()
		if len(logged) != 1 {
			t.Fatalf("%d lines in the log, want 1", len(logged))
		}
		fields := logged[0].ContextMap()
		for _, name := range []string{"step", "file", "line", "error", "advice", "source", "active_revision"} {
			if fields[name] == nil {
				t.Errorf("the log does not have %s: %v", name, fields)
			}
		}
		// Gone altogether: the bad files are still what is wanted.
		if err := os.Rename(dir, dir+".away"); err != nil {
			t.Fatal(err)
		}
		wait()
		if status := f.Status(); !f.mayRead(t) || status.Problem.Step != activation.StepRead {
			t.Errorf("problem %+v", status.Problem)
		}
		if err := os.Rename(dir+".away", dir); err != nil {
			t.Fatal(err)
		}
		wait()
		if status := f.Status(); !status.Degraded || status.Problem.Step != activation.StepCompile {
			t.Errorf("problem %+v", status.Problem)
		}
		write(t, dir, readers(t))
		wait()
		if status := f.Status(); status.Degraded || status.Wanted != good {
			t.Errorf("status %+v", status)
		}
	})
}

func TestWhatIsNotConfirmedIsNotActivated(t *testing.T) {
	f := open(t, activation.Options{})
	refuse := errors.New("no audit log")
	confirm := func(_ context.Context, _, _ activation.Info) error { return refuse }
	_, err := f.Activate(t.Context(), activation.Request{Files: readers(t), Source: "upload", Actor: "uid:7", Confirm: confirm})
	if !errors.Is(err, refuse) || f.mayRead(t) {
		t.Errorf("got %v", err)
	}
	if _, err := f.activate(t, readers(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Rollback(t.Context(), "uid:7", "", confirm); !errors.Is(err, refuse) || !f.mayRead(t) {
		t.Errorf("got %v", err)
	}
}

func TestServiceDoesNotStartWithoutAGoodPolicy(t *testing.T) {
	broken := t.TempDir()
	write(t, broken, edit(t, files(t), "svc/key/key.rego", "package svc.key", "package"))
	for name, o := range map[string]activation.Options{
		"nothing there":    {Source: filepath.Join(broken, "nothing")},
		"a file":           {Source: filepath.Join(broken, "svc/key/key.rego")},
		"an empty folder":  {Source: t.TempDir()},
		"a broken policy":  {Source: broken},
		"no server":        {Source: "http://127.0.0.1:1/policy.tar.gz", Unsigned: true},
		"no key":           {Source: "policy.tar.gz"},
		"key and unsigned": {Source: broken, KeyFile: "x", Unsigned: true},
		"a key not there":  {KeyFile: filepath.Join(broken, "nothing")},
	} {
		if _, err := tryOpen(t, o); err == nil {
			t.Errorf("%s: the engine opened", name)
		}
	}
}

func TestServiceStartsWithTheLastGoodPolicy(t *testing.T) {
	dir, data := t.TempDir(), t.TempDir()
	write(t, dir, readers(t))
	o := activation.Options{Source: dir, DataDir: data}
	if err := open(t, o).Close(); err != nil {
		t.Fatal(err)
	}
	write(t, dir, edit(t, files(t), "svc/key/key.rego", "package svc.key", "package"))
	// The second start finds what the first one refused.
	for range 2 {
		f := open(t, o)
		status := f.Status()
		if !f.mayRead(t) || !status.Degraded || status.Problem.Step != activation.StepCompile || status.Problem.File != "svc/key/key.rego" {
			t.Errorf("status %+v, problem %+v", status, status.Problem)
		}
		if f.PolicyProblem() == "" {
			t.Error("the problem is not told")
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// A person who chooses a policy settles it, for the next start as well.
	f := open(t, o)
	if _, err := f.Rollback(t.Context(), "uid:7", f.Revision(), nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if status := open(t, o).Status(); status.Degraded {
		t.Errorf("status %+v", status)
	}
}

func TestMetricsShowWhatIsWantedAndWhatIsActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, files(t))
		metrics := activation.NewMetrics()
		f := open(t, activation.Options{Source: dir, Metrics: metrics})
		registry := prometheus.NewPedanticRegistry()
		for _, c := range metrics.Collectors() {
			if err := registry.Register(c); err != nil {
				t.Fatal(err)
			}
		}
		// series returns the lines of the metrics that are not zero, without the
		// time of the activation.
		series := func() []string {
			t.Helper()
			families, err := registry.Gather()
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, family := range families {
				for _, m := range family.GetMetric() {
					value := m.GetGauge().GetValue() + m.GetCounter().GetValue()
					if value == 0 || family.GetName() == "svc_policy_activated_timestamp_seconds" {
						continue
					}
					line := family.GetName()
					for _, label := range m.GetLabel() {
						line += " " + label.GetValue()
					}
					lines = append(lines, fmt.Sprintf("%s %g", line, value))
				}
			}
			return lines
		}
		wait := func() {
			time.Sleep(3 * activation.DefaultPoll)
			synctest.Wait()
		}
		good := f.Revision()
		want := []string{"svc_policy_activations_total 1", "svc_policy_info " + good + " active 1", "svc_policy_info " + good + " wanted 1"}
		if got := series(); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		write(t, dir, edit(t, files(t), "svc/project/project.rego", "input.project.ownerId", "input.project.ownerID"))
		wait()
		bad := f.Status().Wanted
		want = []string{
			"svc_policy_activation_failures_total compile 1", "svc_policy_activations_total 1", "svc_policy_degraded 1",
			"svc_policy_info " + good + " active 1", "svc_policy_info " + bad + " wanted 1",
		}
		slices.Sort(want) // by the labels, which are the revisions
		if got := series(); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
