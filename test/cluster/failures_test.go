package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

var update = flag.Bool("update", false, "write the lines of docs/failures.md anew")

// failures is the page; tests in parallel write to it with -update.
var failures sync.Mutex

const failuresPage = "docs/failures.md"

// patientClient is how long a client waits for an answer.
const patientClient = 30 * time.Second

// A failure is a trouble that a test has made, and by what it is to be known.
type failure struct {
	trouble string
	log     string // a message of the gateway's log, ": ", and words of the same line
	metric  string // a sample of the gateway's: a name, "=", "<" or ">", and a number, or time() and perhaps one
	alert   string // the one that fires for the metric
}

// asked is what a client does meanwhile, in the order of the page.
var asked = []struct {
	name string
	do   func(g *rig.Gateway, key rig.Key, old api.Submission) (rig.Answer, error)
}{
	{"submit", func(g *rig.Gateway, key rig.Key, old api.Submission) (rig.Answer, error) {
		return g.Submit(context.Background(), key, old.ProjectID)
	}},
	{"status", reading("/status")}, {"events", reading("/events")}, {"files", reading("/files")},
	{"projects", func(g *rig.Gateway, key rig.Key, _ api.Submission) (rig.Answer, error) {
		return g.Do(context.Background(), key, http.MethodGet, "/v1/projects", nil)
	}},
}

func reading(what string) func(*rig.Gateway, rig.Key, api.Submission) (rig.Answer, error) {
	return func(g *rig.Gateway, key rig.Key, old api.Submission) (rig.Answer, error) {
		return g.Do(context.Background(), key, http.MethodGet, "/v1/generate/"+old.JobID+what+"?projectId="+old.ProjectID, nil)
	}
}

// wantAsOnThePage compares what is seen of a trouble, while it lasts, with its line on
// the page. old is a job that has ended.
func (f failure) wantAsOnThePage(t *testing.T, g *rig.Gateway, key rig.Key, old api.Submission) {
	t.Helper()
	var refused, goesOn []string
	for _, a := range asked {
		began := time.Now()
		got, err := a.do(g, key, old)
		if took := time.Since(began); took > patientClient {
			t.Errorf("%s: to %s is answered after %s, when its client has gone", f.trouble, a.name, took)
		}
		switch {
		case err == nil && got.Status == http.StatusServiceUnavailable && got.Header.Get("Retry-After") != "":
			refused = append(refused, a.name)
		case err == nil && got.Status == http.StatusOK:
			goesOn = append(goesOn, a.name)
		default:
			t.Errorf("%s: to %s is answered %d %s, %v", f.trouble, a.name, got.Status, got.Body, err)
		}
	}
	wait.Until(t, "the metrics have "+f.metric, func() bool { return f.measured(g) })
	f.wantLogged(t, g)
	f.wantAlert(t)
	state := f.status(t, g)
	is := fmt.Sprintf("| %s | %s | %s | %s | %s | `%s` | `%s` |\n", f.trouble, list(refused), list(goesOn), state, f.log, f.metric, f.alert)
	f.compare(t, is)
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// measured reports whether the gateway's metrics have the sample.
func (f failure) measured(g *rig.Gateway) bool {
	raw, err := g.Metrics()
	if err != nil {
		return false
	}
	want := strings.Fields(f.metric)
	bound, err := strconv.ParseFloat(want[2], 64)
	if off, now := strings.CutPrefix(want[2], "time()"); now { // as Prometheus has it
		bound, err = strconv.ParseFloat(cmp.Or(off, "0"), 64)
		bound += float64(time.Now().Unix())
	}
	for line := range strings.Lines(raw) {
		sample := strings.Fields(line)
		if err != nil || len(sample) != 2 || sample[0] != want[0] {
			continue
		}
		value, err := strconv.ParseFloat(sample[1], 64)
		return err == nil && (want[1] == "=" && value == bound || want[1] == "<" && value < bound || want[1] == ">" && value > bound)
	}
	return false
}

// status returns what GET /svc/status says, once it is what the page has: each part is
// missed in its own time.
func (f failure) status(t *testing.T, g *rig.Gateway) (said string) {
	t.Helper()
	page := f.line(t)
	_ = wait.Poll(t.Context(), wait.Patience, func() bool { // else the lines differ
		var s status
		code, err := g.Status(&s)
		if err != nil {
			t.Fatal(err)
		}
		said = fmt.Sprintf("%d %s", code, strings.Join(append([]string{s.State}, s.Problems...), ", "))
		return *update || strings.Contains(page, "| "+said+" |")
	})
	return said
}

// wantLogged wants the message with the words in the log, as a warning or an error.
func (f failure) wantLogged(t *testing.T, g *rig.Gateway) {
	t.Helper()
	message, words, _ := strings.Cut(f.log, ": ")
	wait.Until(t, "the log says "+f.log, func() bool {
		for line := range strings.Lines(g.Log()) {
			var entry struct{ Level, Msg string }
			if strings.Contains(line, words) && json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == message &&
				slices.Contains([]string{"warn", "error"}, entry.Level) {
				return true
			}
		}
		return false
	})
}

// wantAlert wants an alert by that name which reads the metric.
func (f failure) wantAlert(t *testing.T) {
	t.Helper()
	rules, err := os.ReadFile(filepath.Join(rig.Root(t), "deploy/prometheus/alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	_, rule, found := strings.Cut(string(rules), "- alert: "+f.alert+"\n")
	rule, _, _ = strings.Cut(rule, "- alert: ")
	if name := regexp.MustCompile(`^\w+`).FindString(f.metric); !found || !strings.Contains(rule, name) {
		t.Errorf("the alert %s does not read %s", f.alert, name)
	}
}

// line is the page's line of the trouble.
func (f failure) line(t *testing.T) string {
	t.Helper()
	failures.Lock()
	defer failures.Unlock()
	page, err := os.ReadFile(filepath.Join(rig.Root(t), failuresPage))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(f.trouble) + ` \|.*\n`).FindString(string(page))
}

// compare compares a line with the page's, or writes it there.
func (f failure) compare(t *testing.T, is string) {
	t.Helper()
	was := f.line(t)
	if was == is {
		return
	}
	if !*update || was == "" {
		t.Errorf("%s has\n%swhere now it is\n%s(the same test with -update writes it)", failuresPage, was, is)
		return
	}
	failures.Lock()
	defer failures.Unlock()
	path := filepath.Join(rig.Root(t), failuresPage)
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(page), was, is, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestEachLineOfThePageOfFailuresIsMadeByATest: else it would stand there unproven.
func TestEachLineOfThePageOfFailuresIsMadeByATest(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(rig.Root(t), failuresPage))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "<!-- troubles: ")
	table, _, _ = strings.Cut(table, "<!-- end of troubles -->")
	var there, made []string
	for i, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(table, -1) {
		if i > 0 { // the head
			there = append(there, row[1])
		}
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range regexp.MustCompile(`failure\{"([^"]+)"`).FindAllStringSubmatch(string(code), -1) {
			made = append(made, f[1])
		}
	}
	slices.Sort(there)
	slices.Sort(made)
	if len(there) == 0 || !slices.Equal(there, made) {
		t.Errorf("%s has\n%q\nand tests make\n%q", failuresPage, there, made)
	}
}

func TestPartsThatAreAwayAreAsThePageOfFailuresSays(t *testing.T) {
	t.Parallel()
	c := rig.LaunchCluster(t, 1, "", script.Engine{})
	g := c.Gateways[0]
	g.NewUser("alice", "100")
	key := g.NewKey("alice")
	old := g.Generate(key, g.NewProject(key))
	g.Finish(key, old)
	for _, part := range []struct {
		process *rig.Process
		failure failure
	}{
		{c.Proxy, failure{"engine proxy gone", "status is degraded: the engine proxy does not answer", `svc_requests_total{action="generate",class="5xx",reason="unavailable"} > 0`,
			"SvcRequestsUnavailable"}},
		{c.Sidecar, failure{"sidecar gone", "status is degraded: the sidecar does not answer", `svc_decision_failures_total{reason="unreachable"} > 0`, "SvcDecisionsFail"}},
	} {
		if err := part.process.Kill(); err != nil {
			t.Fatal(err)
		}
		wait.Until(t, "the gateway notices", func() bool {
			code, err := g.Status(new(status))
			a := g.Call(key, http.MethodGet, rig.StatusPath(old), nil)
			return err == nil && code == http.StatusServiceUnavailable && (part.process == c.Proxy || a.Status == http.StatusServiceUnavailable)
		})
		part.failure.wantAsOnThePage(t, g, key, old)
		ready := c.ProxyReady
		if part.process == c.Sidecar {
			ready = c.SidecarReady
		}
		if err := part.process.Start(); err != nil {
			t.Fatal(err)
		}
		if err := ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.Finish(key, g.Generate(key, old.ProjectID))
	}
}
