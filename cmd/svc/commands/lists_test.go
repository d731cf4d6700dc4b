package commands

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestJobsAndProjectsAreListedShownAndDeleted(t *testing.T) {
	s := newFakeService(t)
	code, stdout, stderr := svc("jobs", "-p", fakeProject, "--status", "completed", "-n", "1")
	if code != exitOK || strings.Count(stdout, fakeJob) != 1 || !slices.Equal(s.listed, []string{"projectId=" + fakeProject + "&status=completed"}) {
		t.Errorf("exit %d, %q asked: %s%s", code, s.listed, stdout, stderr)
	}
	for _, wrong := range [][]string{{"jobs", "--status", "done"}, {"jobs", "-n", "0"}, {"projects", "get"}} {
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

// TestWhatIsNoProjectIsWrongUsageOfEachCommand: nothing is sent, and the exit code is one.
func TestWhatIsNoProjectIsWrongUsageOfEachCommand(t *testing.T) {
	t.Setenv("SVC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("SVC_API_KEY", fakeKey)
	asked := 0
	eachCommand(newRoot(), func(c *cobra.Command) {
		use, _, _ := strings.Cut(c.Use, " --")
		words := strings.Fields(use)
		line := append(strings.Fields(c.CommandPath()), words[1:]...)[1:]
		if o := c.Flags().Lookup("output"); o != nil {
			line = append(line, "-o", t.TempDir())
		}
		switch {
		case len(words) > 1 && words[1] == "PROJECT": // which is none
		case c.Flags().Lookup("project") != nil && c.Flags().Lookup("base-url") != nil:
			line = append(line, "-p", "PROJECT")
		default:
			return
		}
		asked++
		if code, stdout, stderr := svc(line...); code != exitUsage || stdout != "" || !strings.Contains(stderr, `"PROJECT" is not a project id`) {
			t.Errorf("svc %s: exit %d: %s%s", strings.Join(line, " "), code, stdout, stderr)
		}
	})
	if asked < 40 {
		t.Errorf("only %d commands take a project", asked)
	}
}

// eachCommand calls of with c and all below it.
func eachCommand(c *cobra.Command, of func(*cobra.Command)) {
	of(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, of)
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
