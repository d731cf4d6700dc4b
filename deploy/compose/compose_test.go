// Package compose holds the test of deploy/compose.yaml.
package compose

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/need"
	"github.com/svc-games/svc/test/wait"
)

const root = "../.."

// started is what compose.yaml describes, running in the machine's own Docker.
type started struct {
	t       *testing.T
	env     []string
	address string // of the balancer
	secure  string // the same with TLS, where it has a name
}

// patience is for what takes its time: ten containers that start, a game that is made.
const patience = 5 * time.Minute

// run runs a program in the repository, which must succeed, and returns its output.
func (s *started) run(name string, args ...string) string {
	s.t.Helper()
	out, err := s.try(name, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *started) try(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.t.Context()), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), s.env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out), err
}

func (s *started) compose(args ...string) string {
	s.t.Helper()
	return s.run("docker-compose", composed(args)...)
}

func composed(args []string) []string { return append([]string{"-f", "deploy/compose.yaml"}, args...) }

// end shows what happened where something failed, and leaves nothing.
func (s *started) end() {
	if s.t.Failed() {
		logs, err := s.try("docker-compose", composed([]string{"logs", "--no-color", "--tail", "40"})...)
		s.t.Log(logs, err)
	}
	if _, err := s.try("docker-compose", composed([]string{"down", "--volumes", "--timeout", "60"})...); err != nil {
		s.t.Error(err)
	}
}

// start builds the images, and starts all containers.
func start(t *testing.T) *started {
	t.Helper()
	home, err := os.MkdirTemp("", "svc") // short, since it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	port, secure := freeport.Port(t), freeport.Port(t)
	s := &started{t: t, address: "http://localhost:" + port, secure: "https://localhost:" + secure, env: []string{
		"SVC_HOME=" + home, "SVC_PORT=" + port, "SVC_TLS_PORT=" + secure, "SVC_DB_PASSWORD=not-a-secret", "SVC_STOP_ENGINES=all",
		"COMPOSE_PROJECT_NAME=" + filepath.Base(home), "SVC_POSTGRES_IMAGE=svc-test-postgres", "SVC_REDIS_IMAGE=svc-test-redis",
	}}
	s.run("scripts/service-images")
	s.run("scripts/engine-image", "slim")
	s.run("deploy/compose/testdata/images")
	s.run("deploy/compose/prepare", home)
	t.Cleanup(s.end)
	s.compose("up", "--detach")
	return s
}

// admin runs svc admin beside a sidecar, at its socket. Some machines allow no exec.
func (s *started) admin(sidecar string, args ...string) string {
	s.t.Helper()
	id := strings.TrimSpace(s.compose("ps", "-q", sidecar))
	return s.run("docker", append([]string{"run", "--rm", "--network", "none", "--volumes-from", id, "--entrypoint", "/svc", "svc-sidecar", "admin"}, args...)...)
}

// answers reports whether the balancer has a gateway that answers.
func (s *started) answers() bool { return s.answersAt(s.address) }

func (s *started) answersAt(address string) bool {
	client := http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // of an authority that the balancer made for localhost
		DisableKeepAlives: true,
	}}
	resp, err := client.Get(address + "/openapi.yaml")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// eventually waits for the containers to make ok true.
func (s *started) eventually(what string, ok func() bool) {
	s.t.Helper()
	if err := wait.Poll(s.t.Context(), patience, ok); err != nil {
		s.t.Fatalf("waited in vain until %s: %v", what, err)
	}
}

// leaves stops a container, of which no client is to know.
func (s *started) leaves(name string) {
	s.t.Helper()
	left := make(chan error, 1)
	go func() {
		_, err := s.try("docker-compose", composed([]string{"stop", name})...)
		left <- err
	}()
	for {
		if !s.answers() {
			s.t.Errorf("a request fails while %s stops", name)
		}
		select {
		case err := <-left:
			if err != nil {
				s.t.Fatal(err)
			}
			return
		default:
		}
	}
}

func TestContainersPassTheClientFlowAndOutliveAGateway(t *testing.T) {
	long.Only(t)
	if _, err := exec.LookPath("docker-compose"); err != nil {
		need.Missing(t, "docker-compose is missing: run scripts/deps long")
	}
	s := start(t)
	s.eventually("a gateway answers", s.answers)
	for _, sidecar := range []string{"sidecar-1", "sidecar-2"} { // they wait for the database
		s.eventually(sidecar+" serves", func() bool { return strings.Contains(s.compose("logs", sidecar), "sidecar serves") })
	}

	var key struct{ Secret string }
	s.admin("sidecar-1", "user", "create", "alice", "--tik", "100")
	made := s.admin("sidecar-2", "key", "create", "--user", "alice", "--name", "first", "--json")
	if err := json.Unmarshal([]byte(made), &key); err != nil || key.Secret == "" {
		t.Fatalf("no key was made: %v", err)
	}
	s.env = append(s.env, "SVC_API_KEY="+key.Secret, "SVC_BASE_URL="+s.address)
	generate := func(name string) {
		t.Helper()
		game := filepath.Join(t.TempDir(), name)
		s.run("bin/svc", "generate", "a yellow duck that flaps through gaps between pipes", "--settings", "reasoningLevel=low", "--output", game)
		if _, err := os.Stat(filepath.Join(game, "index.html")); err != nil {
			t.Errorf("the game of %s: %v", name, err)
		}
	}
	generate("both")
	s.leaves("gateway-1")
	s.compose("start", "gateway-1")
	s.compose("kill", "gateway-1")
	for range 20 {
		if !s.answers() {
			t.Fatal("with one gateway of two a request fails")
		}
	}
	generate("one")
	s.compose("start", "gateway-1")
	s.compose("kill", "gateway-2", "sidecar-1")
	s.eventually("the other gateway answers", s.answers)
	generate("other")

	s.env = append(s.env, "SVC_SITE=localhost")
	s.compose("up", "--detach", "--no-deps", "balancer")
	s.eventually("the balancer has a certificate for its name", func() bool { return s.answersAt(s.secure) })
}
