package rig

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/wait"
)

// Options of NewGateway.
type Options struct {
	// Program is a build of Caddy with the service's modules; default bin/caddy.
	Program string
	// Caddyfile is the text of the configuration; default: the shipped file.
	Caddyfile string
	// Env are further variables, NAME=value.
	Env []string
	// Prefix are arguments before the program: taskset and its own.
	Prefix []string
	// Dir is the data folder; default: a new one.
	Dir string
}

// Gateway is a Caddy with the service's modules, a data folder and an address.
type Gateway struct {
	Process
	Dir  string // data folder
	Addr string // host:port

	t        testing.TB
	adminDir string // the data folder of the sidecar
	HTTP     *http.Client
}

// NewGateway prepares a gateway; Start and Ready make it answer. At the end it is
// stopped, and what it started and left is killed.
func NewGateway(t testing.TB, o Options) *Gateway {
	t.Helper()
	g := &Gateway{t: t, Dir: o.Dir, Addr: freeport.Address(t)}
	if g.Dir == "" {
		g.Dir = Dir(t)
	}
	g.adminDir = g.Dir
	program := o.Program
	if program == "" {
		program = Bin(t, "caddy")
	}
	config := filepath.Join(Root(t), "Caddyfile")
	if o.Caddyfile != "" {
		config = filepath.Join(Dir(t), "Caddyfile")
		if err := os.WriteFile(config, []byte(o.Caddyfile), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g.Args = append(o.Prefix, program, "run", "--config", config)
	g.Process.Dir = Root(t)
	g.Env = append([]string{
		"SVC_ADDRESS=http://" + g.Addr, "SVC_DATA_DIR=" + g.Dir, "SVC_ENGINE_CHROMIUM=off", "SVC_GRACE=1s", "SVC_LOG_FORMAT=json",
		"SVC_DECISION_TIMEOUT=10s", // on a busy machine 50 ms pass before a decision begins
		"SVC_FRAMEWORKS=" + filepath.Join(filepath.Dir(Bin(t, "svc")), "frameworks"),
	}, o.Env...)
	transport := &http.Transport{MaxIdleConnsPerHost: 128, DisableCompression: true}
	g.HTTP = &http.Client{Transport: transport, Timeout: 10 * wait.Patience} // no client gives up first
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := g.Stop(); err != nil {
			t.Error(err)
		}
		if err := killEngines(t, g.Dir); err != nil {
			t.Error(err)
		}
		keep.Text(t, filepath.Base(g.Dir)+"-gateway.log", g.Log())
		if t.Failed() {
			t.Logf("log of the gateway at %s:\n%s", g.Addr, tail(g.Log()))
			g.showEngineLogs()
		}
	})
	return g
}

// showEngineLogs shows the ends of the engines' logs.
func (g *Gateway) showEngineLogs() {
	for _, pattern := range []string{"engines/*/*.log"} {
		logs, err := filepath.Glob(filepath.Join(g.Dir, pattern))
		if err != nil {
			g.t.Error(err)
		}
		for _, path := range logs {
			if raw, err := os.ReadFile(path); err == nil {
				g.t.Logf("%s:\n%s", path, tail(string(raw)))
			}
		}
	}
}

// tail returns the end of a log.
func tail(log string) string {
	const most = 8 << 10
	return log[max(0, len(log)-most):]
}

// Launch starts the gateway and waits until it answers.
func Launch(t testing.TB, o Options) *Gateway {
	t.Helper()
	g := NewGateway(t, o)
	if err := errors.Join(g.Start(), g.Ready(t.Context())); err != nil {
		t.Fatalf("%v\n%s", err, tail(g.Log()))
	}
	return g
}

// Ready waits until the gateway's answers come from the store: a key that no one
// has is refused.
func (g *Gateway) Ready(ctx context.Context) error {
	exited := g.Exited()
	var ended error
	err := wait.Poll(ctx, wait.Patience, func() bool {
		select {
		case <-exited:
			ended = errors.New("the gateway ended")
			return true
		default:
		}
		a, err := g.Do(ctx, Key{Secret: api.NewKey()}, http.MethodGet, "/v1/projects", nil)
		return err == nil && a.Status == http.StatusUnauthorized
	})
	return errors.Join(err, ended)
}

// Answer is a response, read whole.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends one request. body is nil, bytes, or a value for JSON.
func (g *Gateway) Do(ctx context.Context, key Key, method, path string, body any, headers ...string) (Answer, error) {
	var reader io.Reader
	if raw, ok := body.([]byte); ok {
		reader = bytes.NewReader(raw)
	} else if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return Answer{}, err
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+g.Addr+path, reader)
	if err != nil {
		return Answer{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key.Secret != "" {
		req.Header.Set("X-API-Key", key.Secret)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := g.HTTP.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return Answer{Status: res.StatusCode, Header: res.Header, Body: raw}, err
}

// Key is an API key and its secret.
type Key struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

// Admin runs "svc admin" over the gateway's admin socket.
func (g *Gateway) Admin(args ...string) ([]byte, error) {
	cmd := exec.Command(Bin(g.t, "svc"), append([]string{"admin"}, args...)...)
	cmd.Env = append(os.Environ(), "SVC_DATA_DIR="+g.adminDir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("svc admin %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return out, nil
}

// MustAdmin is Admin, and the test ends when it fails.
func (g *Gateway) MustAdmin(args ...string) []byte {
	g.t.Helper()
	out, err := g.Admin(args...)
	if err != nil {
		g.t.Fatal(err)
	}
	return out
}

// NewUser makes a user with a balance of TIK.
func (g *Gateway) NewUser(user, tik string) {
	g.t.Helper()
	g.MustAdmin("user", "create", user, "--tik", tik)
}

// NewKey makes a key of a user; limits are flags of "svc admin key create".
func (g *Gateway) NewKey(user string, limits ...string) Key {
	g.t.Helper()
	var key Key
	g.Decode(g.MustAdmin(append([]string{"key", "create", "--user", user, "--name", "test", "--json"}, limits...)...), &key)
	return key
}

// Usage is what "svc admin key usage" says of a key.
type Usage struct {
	JobsThisMonth int64   `json:"jobsThisMonth"`
	RunningJobs   int64   `json:"runningJobs"`
	TIKThisMonth  api.TIK `json:"tikThisMonth"`
	TIKSpent      api.TIK `json:"tikSpent"`
}

// Usage returns what a key has used.
func (g *Gateway) Usage(key Key) Usage {
	g.t.Helper()
	var u Usage
	g.Decode(g.MustAdmin("key", "usage", key.ID, "--json"), &u)
	return u
}

// Call is Do, and the test ends when there is no answer.
func (g *Gateway) Call(key Key, method, path string, body any, headers ...string) Answer {
	g.t.Helper()
	a, err := g.Do(g.t.Context(), key, method, path, body, headers...)
	if err != nil {
		g.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// NewProject makes a project of the key's user, again while the answer is 503.
func (g *Gateway) NewProject(key Key) string {
	g.t.Helper()
	var made api.ProjectCreated
	wait.Until(g.t, "the project is made", func() bool {
		a := g.Call(key, http.MethodPost, "/v1/projects", map[string]string{"name": "game", "template": api.TemplateBlank})
		switch a.Status {
		case http.StatusServiceUnavailable:
			return false
		case http.StatusCreated:
			g.Decode(a.Body, &made)
			return true
		}
		g.t.Fatalf("creating a project: %d %s", a.Status, a.Body)
		return false
	})
	return made.Data.ID
}

// Submit submits a job once.
func (g *Gateway) Submit(ctx context.Context, key Key, project string, headers ...string) (Answer, error) {
	return g.Do(ctx, key, http.MethodPost, "/v1/generate",
		map[string]string{"projectId": project, "prompt": "a yellow duck that flaps through gaps between pipes"}, headers...)
}

// Generate submits a job, again while the answer is 503, as clients do. A disk
// may take longer than AnswerTimeout to store it: what became of a job whose
// answer came too late its Idempotency-Key tells.
func (g *Gateway) Generate(key Key, project string) api.Submission {
	g.t.Helper()
	var sub api.Submission
	once := rand.Text()
	wait.Until(g.t, "the submission is accepted", func() bool {
		a, err := g.Submit(g.t.Context(), key, project, "Idempotency-Key", once)
		if err != nil {
			g.t.Fatal(err)
		}
		switch a.Status {
		case http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusConflict:
			return false
		case http.StatusOK:
			g.Decode(a.Body, &sub)
			return true
		}
		g.t.Fatalf("submitting: %d %s", a.Status, a.Body)
		return false
	})
	return sub
}

// StatusPath is where a job's record is.
func StatusPath(sub api.Submission) string {
	return "/v1/generate/" + sub.JobID + "/status?projectId=" + sub.ProjectID
}

// Job returns a job's record.
func (g *Gateway) Job(key Key, sub api.Submission) api.Job {
	g.t.Helper()
	a := g.Call(key, http.MethodGet, StatusPath(sub), nil)
	if a.Status != http.StatusOK {
		g.t.Fatalf("status: %d %s", a.Status, a.Body)
	}
	var job api.Job
	g.Decode(a.Body, &job)
	return job
}

// Finish polls until the job has ended, as clients do: past a 503.
func (g *Gateway) Finish(key Key, sub api.Submission) api.Job {
	g.t.Helper()
	var job api.Job
	wait.Until(g.t, "the job has ended", func() bool {
		a := g.Call(key, http.MethodGet, StatusPath(sub), nil)
		if a.Status == http.StatusServiceUnavailable {
			return false
		}
		if a.Status != http.StatusOK {
			g.t.Fatalf("status: %d %s", a.Status, a.Body)
		}
		g.Decode(a.Body, &job)
		return job.Status.Terminal()
	})
	return job
}

// Decode reads JSON.
func (g *Gateway) Decode(raw []byte, dst any) {
	g.t.Helper()
	if err := json.Unmarshal(raw, dst); err != nil {
		g.t.Fatalf("decoding %q: %v", raw, err)
	}
}

// Status returns the body of GET /svc/status on Caddy's admin socket.
func (g *Gateway) Status(dst any) (int, error) {
	client := http.Client{Timeout: 10 * wait.Patience, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(g.Dir, "run", "caddy.sock"))
		},
	}}
	res, err := client.Get("http://caddy/svc/status")
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	return res.StatusCode, json.NewDecoder(res.Body).Decode(dst)
}

// Engines returns the process ids of the engines that work on the data folder.
func (g *Gateway) Engines() []int { return EnginesOf(g.Dir) }

// EnginesOf finds the engines of a data folder by their command lines.
func EnginesOf(dir string) []int {
	var pids []int
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil // the pattern is well formed
	}
	for _, path := range lines {
		line, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(line, []byte("--instance")) || !bytes.Contains(line, []byte(dir+"/")) {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(path, "/proc/%d/", &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killEngines ends the engines of a data folder, which outlive the service on
// purpose, and waits until they are gone.
func killEngines(t testing.TB, dir string) error {
	var once sync.Once
	return wait.Poll(context.WithoutCancel(t.Context()), wait.Patience, func() bool {
		pids := EnginesOf(dir)
		once.Do(func() {
			for _, pid := range pids {
				if p, err := os.FindProcess(pid); err == nil {
					_ = p.Kill() // it may be gone already
				}
			}
		})
		return len(pids) == 0
	})
}
