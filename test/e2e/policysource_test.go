package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy/policytest"
)

// policyState is what svc policy status says.
type policyState struct {
	Degraded bool `json:"degraded"`
	Problem  *struct {
		Step string `json:"step"`
		File string `json:"file"`
		Line int    `json:"line"`
	} `json:"problem"`
	Active struct {
		Revision string `json:"revision"`
	} `json:"active"`
}

// policyState asks the running service. The command's exit code is 1 while the
// policy is degraded.
func (s *service) policyState() policyState {
	s.t.Helper()
	cmd := exec.Command(bin(s.t, "svc"), "policy", "status", "--json", "--data-dir", s.dir)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	var state policyState
	if err := json.Unmarshal(out, &state); err != nil {
		s.t.Fatalf("svc policy status: %v: %s", err, out)
	}
	if state.Degraded != (err != nil) {
		s.t.Errorf("degraded is %t, and the command ends with %v", state.Degraded, err)
	}
	return state
}

// TestSignedBundleIsFollowedByARunningService replaces the bundle that the
// service watches: by a good one, one that is broken, one that nobody signed.
func TestSignedBundleIsFollowedByARunningService(t *testing.T) {
	inEveryForm(t, signedBundleIsFollowedByARunningService)
}

// failingPolicy is a copy of the policy in a folder with a slip that its tests find.
func failingPolicy(t *testing.T, policy string) string {
	t.Helper()
	failing := filepath.Join(t.TempDir(), "failing")
	if err := os.CopyFS(failing, os.DirFS(policy)); err != nil {
		t.Fatal(err)
	}
	rules := filepath.Join(failing, "svc", "project", "project.rego")
	text, err := os.ReadFile(rules)
	if err != nil {
		t.Fatal(err)
	}
	slip := strings.Replace(string(text), "\tinput.key.userId in readers\n", "\tnot input.key.userId in readers\n", 1)
	if slip == string(text) {
		t.Fatal("the policy has no such condition")
	}
	if err := os.WriteFile(rules, []byte(slip), 0o600); err != nil {
		t.Fatal(err)
	}
	return failing
}

func signedBundleIsFollowedByARunningService(t *testing.T, f form) {
	dir := t.TempDir()
	key, source := filepath.Join(dir, "reviewer"), filepath.Join(dir, "policy.tar.gz")
	tool := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(bin(t, "svc"), append([]string{"policy"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("svc policy %v: %v\n%s", args, err, out)
		}
	}
	// publish puts a bundle in the place of the one before.
	publish := func(policy string, args ...string) {
		t.Helper()
		next := filepath.Join(dir, "next.tar.gz")
		tool(append([]string{"bundle", policy, "-o", next}, args...)...)
		if err := os.Rename(next, source); err != nil {
			t.Fatal(err)
		}
	}
	shipped, readers := filepath.Join(root(t), "policy"), policytest.Example(t)
	failing := failingPolicy(t, readers)

	tool("key", key)
	signed := []string{"--key", key + ".pem"}
	publish(shipped, append(signed, "--sequence", "1")...)
	s := start(t, f, "SVC_POLICY="+source, "SVC_POLICY_KEY="+key+".pub.pem")
	alice, bob := s.newKey("alice"), s.newKey("bob")
	project := s.newProject(alice)
	s.svc("admin", "project", "attributes", project, "readers=bob")
	look := func() int { return s.call(bob, "GET", "/v1/projects/"+project, nil).status }
	if got := look(); got != 403 {
		t.Fatalf("bob gets %d before the change", got)
	}

	// Requests are decisions: many that a policy changes have the next one wait.
	follows := func(former string) {
		t.Helper()
		s.eventually("the new policy decides", func() bool { return s.policyState().Active.Revision != former })
	}
	first := s.policyState().Active.Revision
	publish(readers, append(signed, "--sequence", "2")...)
	follows(first)
	good := s.policyState().Active.Revision

	publish(failing, append(signed, "--sequence", "3")...)
	s.eventually("the failing policy is refused", func() bool { return s.policyState().Degraded })
	if state := s.policyState(); state.Problem.Step != "tests" || state.Problem.Line == 0 || state.Active.Revision != good || look() != 200 {
		t.Errorf("state %+v, problem %+v", state, state.Problem)
	}
	publish(shipped, "--sequence", "4")
	s.eventually("the unsigned policy is refused", func() bool {
		state := s.policyState()
		return state.Degraded && state.Problem.Step == "signature"
	})

	// Killed and started again: by the last good policy, and still degraded.
	if err := s.stop(os.Kill); err == nil {
		t.Error("the service was not killed")
	}
	s.start()
	if state := s.policyState(); !state.Degraded || state.Active.Revision != good || look() != 200 {
		t.Errorf("after a restart: %+v", state)
	}
	publish(shipped, append(signed, "--sequence", "5")...)
	follows(good)
	if state := s.policyState(); state.Degraded || look() != 403 {
		t.Errorf("state %+v, problem %+v", state, state.Problem)
	}
	s.eventually("the decisions are recorded", s.readersAreReplayed)
}

// readersAreReplayed reports whether all that was decided is recorded, the last decision
// included.
func (s *service) readersAreReplayed() bool {
	out, err := exec.Command(bin(s.t, "svc"), "policy", "replay", "--policy", "embedded", "--data-dir", s.dir).CombinedOutput()
	return err != nil && strings.Contains(string(out), "projects.get: 200 allowed -> 403 project.forbidden")
}
