package commands

import (
	"slices"
	"strings"
	"testing"
)

func TestJobsAndProjectsAreListedShownAndDeleted(t *testing.T) {
	s := newFakeService(t)
	code, stdout, stderr := svc("jobs", "-p", fakeProject, "--status", "completed", "-n", "1")
	if code != exitOK || strings.Count(stdout, fakeJob) != 1 || !slices.Equal(s.listed, []string{"projectId=" + fakeProject + "&status=completed"}) {
		t.Errorf("exit %d, %q asked: %s%s", code, s.listed, stdout, stderr)
	}
	for _, wrong := range [][]string{{"jobs", "--status", "done"}, {"jobs", "-n", "0"}, {"projects", "delete", "nothing"}, {"projects", "get"}} {
		if code, _, stderr := svc(wrong...); code != exitUsage {
			t.Errorf("%v: exit %d: %s", wrong, code, stderr)
		}
	}
	if code, stdout, stderr := svc("projects", "get", fakeProject); code != exitOK || strings.Contains(stdout, "\x1b") || !strings.HasPrefix(stdout, fakeProject) {
		t.Errorf("exit %d: %q %s", code, stdout, stderr)
	}
	if code, _, stderr := svc("projects", "delete", fakeProject); code != exitError || s.deleted != 0 || !strings.Contains(stderr, "--yes") {
		t.Errorf("without an answer: exit %d, %d deleted: %s", code, s.deleted, stderr)
	}
	if code, stdout, stderr := svc("projects", "delete", fakeProject, "--yes"); code != exitOK || s.deleted != 1 || stdout != fakeProject+"\n" {
		t.Errorf("exit %d, %d deleted: %q %s", code, s.deleted, stdout, stderr)
	}
}

func TestShellIsGivenTheIdsThatThereAre(t *testing.T) {
	newFakeService(t)
	for line, want := range map[string]string{
		"status ": fakeJob + "\t", "watch ": fakeJob + "\t", "projects delete ": fakeProject + "\t", "jobs -p ": fakeProject + "\t",
		"generate x -p ": fakeProject + "\t", "jobs --status ": "queued\n",
	} {
		args := append([]string{"__complete"}, strings.Split(line, " ")...)
		if code, stdout, stderr := svc(args...); code != exitOK || !strings.HasPrefix(stdout, want) || strings.Contains(stdout, "\x1b") {
			t.Errorf("%q: exit %d: %q %s", line, code, stdout, stderr)
		}
	}
	if code, stdout, _ := svc("__complete", "status", fakeJob, ""); code != exitOK || strings.Contains(stdout, fakeJob) {
		t.Errorf("a second job: %q", stdout)
	}
}
