package foreign

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/openapi"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

var update = flag.Bool("update", false, "write docs/streamclients.md")

// streamCases are what happens to a stream, in the order of the page; the short form has two.
var streamCases = []struct {
	name  string
	short bool
	run   func(*streamScene) map[string]string
}{
	{"cut in an event", true, (*streamScene).cutInAnEvent},
	{"graceful stop", false, func(s *streamScene) map[string]string {
		return s.across(s.g.Stop, s.startAgain)
	}},
	{"kill", true, func(s *streamScene) map[string]string {
		return s.across(s.g.Kill, s.startAgain)
	}},
	{"reload", false, func(s *streamScene) map[string]string {
		return s.across(func() error { return reload(s, s.g) }, func() {})
	}},
	{"ended job", false, func(s *streamScene) map[string]string { return s.ofEnded("", false) }},
	{"future id", false, func(s *streamScene) map[string]string { return s.ofEnded("&lastEventId=100000", false) }},
	{"cold start", false, (*streamScene).coldStart}, // the last one: no engine is left
}

// TestClientsOfOthersReadStreamsAsThePageSays: whatever happens to a stream, the clients
// that people use, and those that generators make of the document, get each event once, or
// docs/streamclients.md says what they do instead. The short form has one of each.
func TestClientsOfOthersReadStreamsAsThePageSays(t *testing.T) {
	page := filepath.Join(rig.Root(t), "docs", "streamclients.md")
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(raw), "| client |")
	said := cellsOf(string(raw))
	s := newStreamScene(t)
	for _, c := range streamCases {
		if !c.short && !long.Asked() {
			continue
		}
		outcomes := c.run(s)
		t.Logf("%s: %v", c.name, outcomes)
		for client, outcome := range outcomes {
			said[cell{client, c.name}] = outcome
		}
	}
	want := before + tableOf(said)
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(raw) {
		t.Errorf("docs/streamclients.md is not what the clients do, which is:\n%s", want[len(before):])
	}
}

// streamScene is a service with a job that has ended, and the programs.
type streamScene struct {
	*testing.T
	tools []streamTool
	g     *rig.Gateway
	key   rig.Key
	types string
	ended api.Submission
}

func newStreamScene(t *testing.T) *streamScene {
	t.Helper()
	d, err := openapi.Read()
	if err != nil {
		t.Fatal(err)
	}
	s := &streamScene{T: t, types: strings.Join(sortedKeys(d.Doc.Components.Schemas["Event"].Value.Discriminator.Mapping), " ")}
	programs := foreignFolder(t, "streams")
	if long.Asked() {
		inFolder(t, programs, nil, "go", "build", "-o", "streams", ".")
	}
	for _, tool := range streamTools {
		if !tool.short && !long.Asked() {
			continue
		}
		tool.folder = programs
		if tool.generator != "" {
			tool.folder, tool.command = generated(t, tool.generator), generators[tool.generator].client
		}
		s.tools = append(s.tools, tool)
	}
	s.g = rig.Launch(t, rig.Options{Env: []string{"SVC_RETRY_AFTER=1s"}})
	s.g.NewUser("foreign", "1000")
	s.key = s.g.NewKey("foreign")
	s.ended = s.g.Generate(s.key, s.g.NewProject(s.key))
	s.g.Finish(s.key, s.ended)
	return s
}

func (s *streamScene) startAgain() {
	s.Helper()
	if err := startAgain(s, s.g); err != nil {
		s.Fatal(err)
	}
}

// startAgain starts a service that has ended, and waits until it answers.
func startAgain(t testing.TB, g *rig.Gateway) error {
	if err := g.Start(); err != nil {
		return err
	}
	return g.Ready(t.Context())
}

// reload has Caddy load its configuration again.
func reload(t testing.TB, g *rig.Gateway) error {
	cmd := exec.CommandContext(t.Context(), rig.Bin(t, "caddy"), "reload", "--force",
		"--config", filepath.Join(rig.Root(t), "Caddyfile"), "--address", "unix/"+filepath.Join(g.Dir, "run", "caddy.sock"))
	cmd.Dir, cmd.Env = rig.Root(t), append(os.Environ(), g.Env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", cmd, err, out)
	}
	return nil
}

func (s *streamScene) coldStart() map[string]string {
	if err := s.g.Stop(); err != nil {
		s.Fatal(err)
	}
	for _, pid := range s.g.Engines() {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	wait.Until(s, "no engine is left", func() bool { return len(s.g.Engines()) == 0 })
	s.startAgain()
	return s.ofEnded("", false)
}

func (s *streamScene) cutInAnEvent() map[string]string { return s.ofEnded("", true) }

// ofEnded has all tools follow the job that has ended.
func (s *streamScene) ofEnded(query string, cut bool) map[string]string {
	want := s.log(s.ended)
	if query != "" {
		want = nil
	}
	followers := s.follow(s.ended, query, cut)
	return s.outcomes(followers, want)
}

// before is how many jobs end before one that is followed: long enough for Node to start.
const before = 9

// across has all tools follow a job that waits for others, does to the service what ends
// their streams, and lets the job end.
func (s *streamScene) across(trouble func() error, mend func()) map[string]string {
	project := s.g.NewProject(s.key)
	var last api.Submission
	for range before + 1 {
		last = s.g.Generate(s.key, project)
	}
	followers := s.follow(last, "", false)
	for _, f := range followers {
		wait.Until(s, f.name+" reads the first event", func() bool { return f.read() > 0 })
	}
	held := s.g.Engines()
	signal := func(sig syscall.Signal) {
		for _, pid := range held {
			_ = syscall.Kill(pid, sig) // it may have been killed
		}
	}
	if job := s.g.Job(s.key, last); job.Status.Terminal() {
		s.Fatal("the job ended before all followed it")
	}
	signal(syscall.SIGSTOP)
	defer signal(syscall.SIGCONT) // a stop would wait for it
	done := make(chan error, 1)
	go func() { done <- trouble() }()
	// A stop waits for the engine, streams don't.
	wait.Until(s, "the trouble is over, or the streams are", func() bool {
		select {
		case err := <-done:
			done <- err
			return true
		default:
			return !slices.ContainsFunc(followers, func(f *follower) bool { return f.wire.open() > 0 })
		}
	})
	signal(syscall.SIGCONT)
	if err := <-done; err != nil {
		s.Fatal(err)
	}
	mend()
	s.g.Finish(s.key, last)
	return s.outcomes(followers, s.log(last))
}

// log returns the events of a job, as the tools print them.
func (s *streamScene) log(sub api.Submission) (events []string) {
	s.Helper()
	var a rig.Answer
	wait.Until(s, "the job's events are answered", func() bool {
		a = s.g.Call(s.key, "GET", "/v1/generate/"+sub.JobID+"/events?projectId="+sub.ProjectID, nil)
		return a.Status == http.StatusOK
	})
	var id string
	for line := range strings.Lines(string(a.Body)) {
		line = strings.TrimSpace(line)
		if n, is := strings.CutPrefix(line, "id: "); is {
			id = n
		} else if event, is := strings.CutPrefix(line, "event: "); is {
			events = append(events, id+" "+event)
		}
	}
	return events
}
