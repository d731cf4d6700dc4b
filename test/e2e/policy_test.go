package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
)

// TestReviewersPathIsAsTheReadmeSays runs the commands of policy/README.md,
// section "Once through", word for word on a running service, and looks at
// what two users may do at each stage.
func TestReviewersPathIsAsTheReadmeSays(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	alice, bob := s.newKey("alice"), s.newKey("bob")
	project := s.newProject(alice)
	may := func(key apiKey, method, path string, body any) int {
		t.Helper()
		return s.call(key, method, path, body).status
	}
	brief := api.GenerateRequest{ProjectID: project, Prompt: "a yellow duck"}
	// notReader checks what bob gets where the policy does not know readers.
	notReader := func() {
		t.Helper()
		if look, job := may(bob, "GET", "/v1/projects/"+project, nil), may(bob, "POST", "/v1/generate", brief); look != 403 || job != 403 {
			t.Errorf("bob: %d for the project, %d for a brief; want 403 for both", look, job)
		}
		if look := may(alice, "GET", "/v1/projects/"+project, nil); look != 200 {
			t.Errorf("alice gets %d for her project", look)
		}
	}

	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(root(t), "policy"), filepath.Join(dir, "policy")); err != nil {
		t.Fatal(err)
	}
	run := func(command string) (output string, code int) {
		t.Helper()
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "SVC_DATA_DIR="+s.dir, "PROJECT="+project,
			"PATH="+filepath.Dir(bin(t, "svc"))+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatalf("%s: %v", command, err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	// What is to be seen in a command's output, and done after it.
	stages := map[string]struct {
		code  int
		says  string
		after func()
	}{
		"svc admin project attributes $PROJECT readers=bob": {says: "readers=bob", after: notReader},
		"svc policy diff active work":                       {code: 1, says: "35 decisions of the table change"},
		"svc policy test work":                              {says: " 0 failed"},
		"svc policy verify work":                            {says: "cost "},
		"svc policy replay --policy work":                   {code: 1, says: "projects.get: 403 project.forbidden -> 200 allowed"},
		"svc policy shadow work": {says: "in shadow", after: func() {
			notReader()
			s.eventually("the shadow decided along", func() bool {
				report, _ := run("svc policy shadow --report")
				return strings.Contains(report, "projects.get: 403 project.forbidden -> 200 allowed")
			})
		}},
		"svc policy shadow --report": {says: "projects.get: 403 project.forbidden -> 200 allowed", after: notReader},
		"svc policy activate work": {says: "active: ", after: func() {
			s.eventually("the policy decides", func() bool { return may(bob, "GET", "/v1/projects/"+project, nil) == 200 })
			if look := may(bob, "GET", "/v1/projects/"+project, nil); look != 200 {
				t.Errorf("bob gets %d for the project, want 200", look)
			}
			refused := s.call(bob, "POST", "/v1/generate", brief)
			if refused.status != 403 || !bytes.Contains(refused.body, []byte("may only read this project")) {
				t.Errorf("bob's brief: %d %s", refused.status, refused.body)
			}
			if gone := may(bob, "DELETE", "/v1/projects/"+project, nil); gone != 403 {
				t.Errorf("bob gets %d for deleting the project, want 403", gone)
			}
			if look := may(alice, "GET", "/v1/projects/"+project, nil); look != 200 {
				t.Errorf("alice gets %d for her project", look)
			}
			// Whom the attribute does not name any more reads no more, at once.
			s.svc("admin", "project", "attributes", project, "readers=carol")
			s.eventually("bob reads no more", func() bool { return may(bob, "GET", "/v1/projects/"+project, nil) == 403 })
			s.svc("admin", "project", "attributes", project, "readers=bob")
			s.eventually("bob reads again", func() bool { return may(bob, "GET", "/v1/projects/"+project, nil) == 200 })
		}},
		"svc policy rollback": {says: "active: ", after: func() {
			s.eventually("bob reads no more", func() bool { return may(bob, "GET", "/v1/projects/"+project, nil) == 403 })
			notReader()
		}},
	}
	seen := 0
	for _, command := range commandsOf(t, filepath.Join(root(t), "policy", "README.md"), "## Once through") {
		stage, special := stages[command]
		output, code := run(command)
		if code != stage.code || !strings.Contains(output, stage.says) {
			t.Fatalf("%s: exit code %d, want %d and %q:\n%s", command, code, stage.code, stage.says, output)
		}
		if special {
			seen++
		}
		if stage.after != nil {
			stage.after()
		}
	}
	if seen != len(stages) {
		t.Errorf("%d of the %d commands that are looked at stand in the README", seen, len(stages))
	}
	if audit := s.svc("admin", "audit"); !strings.Contains(audit, "policy.activate") || !strings.Contains(audit, "policy.rollback") {
		t.Errorf("the audit log lacks the changes:\n%s", audit)
	}
}

// commandsOf returns the commands of a document's section: the lines of its
// blocks of shell, without comments.
func commandsOf(t *testing.T, path, section string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), section+"\n")
	if !found {
		t.Fatalf("%s has no section %q", path, section)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	var commands []string
	for i, part := range strings.Split(rest, "```") {
		block, shell := strings.CutPrefix(part, "sh\n")
		if i%2 == 0 || !shell {
			continue
		}
		for line := range strings.Lines(block) {
			command, _, _ := strings.Cut(line, "#")
			if command = strings.TrimSpace(command); command != "" {
				commands = append(commands, command)
			}
		}
	}
	return commands
}
