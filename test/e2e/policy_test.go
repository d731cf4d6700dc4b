package e2e

import (
	"bytes"
	"errors"
	"fmt"
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
	r := &reviewer{service: s, alice: s.newKey("alice"), bob: s.newKey("bob"), dir: t.TempDir()}
	r.project = s.newProject(r.alice)
	r.brief = api.GenerateRequest{ProjectID: r.project, Prompt: "a yellow duck"}
	if err := os.Symlink(filepath.Join(root(t), "policy"), filepath.Join(r.dir, "policy")); err != nil {
		t.Fatal(err)
	}
	r.walk(filepath.Join(root(t), "policy", "README.md"), "## Once through", r.stages())
	if audit := s.svc("admin", "audit"); !strings.Contains(audit, "policy.activate") || !strings.Contains(audit, "policy.rollback") {
		t.Errorf("the audit log lacks the changes:\n%s", audit)
	}
}

// reviewer works in dir on the policy of a service where alice has a project.
type reviewer struct {
	*service
	alice, bob   apiKey
	project, dir string
	brief        api.GenerateRequest // of the project
}

// stage is what is to be seen in a command's output, and done after it.
type stage struct {
	code  int
	says  string
	after func()
}

// walk runs the commands of a document's section, and looks at the stages among them. Each
// of those must stand there.
func (r *reviewer) walk(document, section string, stages map[string]stage) {
	r.t.Helper()
	seen := 0
	for _, command := range commandsOf(r.t, document, section) {
		stage, special := stages[command]
		output, code := r.run(command)
		if code != stage.code || !strings.Contains(output, stage.says) {
			r.t.Fatalf("%s: exit code %d, want %d and %q:\n%s", command, code, stage.code, stage.says, output)
		}
		if special {
			seen++
		}
		if stage.after != nil {
			stage.after()
		}
	}
	if seen != len(stages) {
		r.t.Errorf("%d of the %d commands that are looked at stand in %s", seen, len(stages), section)
	}
}

func (r *reviewer) stages() map[string]stage {
	const change = "projects.get: 403 project.forbidden -> 200 allowed"
	return map[string]stage{
		"svc admin project attributes $PROJECT readers=bob": {says: "readers=bob", after: r.notReader},
		"svc policy diff active work":                       {code: 1, says: ": 403 project.forbidden -> 200 allowed"},
		"svc policy test work":                              {says: " 0 failed"},
		"svc policy verify work":                            {says: "cost "},
		"svc policy replay --policy work":                   {code: 1, says: change},
		"svc policy shadow work": {says: "in shadow", after: func() {
			r.notReader()
			r.eventually("the shadow decided along", func() bool {
				report, _ := r.run("svc policy shadow --report")
				return strings.Contains(report, change)
			})
		}},
		"svc policy shadow --report":     {says: change, after: r.notReader},
		"svc policy activate work --yes": {says: "active: ", after: r.reader},
		"svc policy rollback --yes": {says: "active: ", after: func() {
			r.bobGets(403)
			r.notReader()
		}},
	}
}

func (r *reviewer) run(command string) (output string, code int) {
	r.t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "SVC_DATA_DIR="+r.service.dir, "PROJECT="+r.project,
		"PATH="+filepath.Dir(bin(r.t, "svc"))+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatalf("%s: %v", command, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (r *reviewer) may(key apiKey, method, path string, body any) int {
	r.t.Helper()
	return r.call(key, method, path, body).status
}

// bobGets waits until bob gets this for the project.
func (r *reviewer) bobGets(status int) {
	r.t.Helper()
	r.eventually(fmt.Sprintf("bob gets %d for the project", status), func() bool {
		return r.may(r.bob, "GET", "/v1/projects/"+r.project, nil) == status
	})
}

// bobLists checks whether bob's list of projects has the project, and alice's has it once.
func (r *reviewer) bobLists(want bool) {
	r.t.Helper()
	for _, of := range []struct {
		key  apiKey
		want int
	}{{r.alice, 1}, {r.bob, map[bool]int{true: 1}[want]}} {
		list := r.call(of.key, "GET", "/v1/projects", nil)
		if got := strings.Count(string(list.body), r.project); list.status != 200 || got != of.want {
			r.t.Errorf("a list has the project %d times, want %d: %d %s", got, of.want, list.status, list.body)
		}
	}
}

// aliceReads checks that alice gets her project under each policy.
func (r *reviewer) aliceReads() {
	r.t.Helper()
	if look := r.may(r.alice, "GET", "/v1/projects/"+r.project, nil); look != 200 {
		r.t.Errorf("alice gets %d for her project", look)
	}
}

// notReader checks what bob gets where the policy does not know readers.
func (r *reviewer) notReader() {
	r.t.Helper()
	if look, job := r.may(r.bob, "GET", "/v1/projects/"+r.project, nil), r.may(r.bob, "POST", "/v1/generate", r.brief); look != 403 || job != 403 {
		r.t.Errorf("bob: %d for the project, %d for a brief; want 403 for both", look, job)
	}
	r.aliceReads()
	r.bobLists(false)
}

// reader checks what bob gets as a reader, and that he no longer is one, at once,
// when the attribute does not name him any more.
func (r *reviewer) reader() {
	r.t.Helper()
	r.bobGets(200)
	if look := r.may(r.bob, "GET", "/v1/projects/"+r.project, nil); look != 200 {
		r.t.Errorf("bob gets %d for the project, want 200", look)
	}
	refused := r.call(r.bob, "POST", "/v1/generate", r.brief)
	if refused.status != 403 || !bytes.Contains(refused.body, []byte("may only read this project")) {
		r.t.Errorf("bob's brief: %d %s", refused.status, refused.body)
	}
	if gone := r.may(r.bob, "DELETE", "/v1/projects/"+r.project, nil); gone != 403 {
		r.t.Errorf("bob gets %d for deleting the project, want 403", gone)
	}
	r.aliceReads()
	r.bobLists(true)
	r.svc("admin", "project", "attributes", r.project, "readers=carol")
	r.bobGets(403)
	r.bobLists(false)
	r.svc("admin", "project", "attributes", r.project, "readers=bob")
	r.bobGets(200)
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
