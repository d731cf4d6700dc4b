package foreign

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/openapi"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

var update = flag.Bool("update", false, "write docs/streamclients.md")

// streamTools are what follows streams, in the order of the page: programs that get an
// address and print a line an event.
var streamTools = []struct {
	name    string
	command func(programs, address string) []string
}{
	{"eventsource 4.1.1", inNode("eventsource")},
	{"undici 7.28.1", inNode("undici")},
	{"eventsource-client 1.2.0", inNode("eventsource-client")},
	{"eventsource-parser 3.1.1, asked again by hand", inNode("eventsource-parser")},
	{"@microsoft/fetch-event-source 2.0.1", inNode("@microsoft/fetch-event-source")},
	{"r3labs/sse v2.10.0", inGo("r3labs/sse")},
	{"tmaxmax/go-sse v0.11.0", inGo("tmaxmax/go-sse")},
	{"launchdarkly/eventsource v1.11.0", inGo("launchdarkly/eventsource")},
	{"curl", func(_, address string) []string {
		return []string{"sh", "-c", `curl -sSN -H "X-API-Key: $SVC_API_KEY" "$0" | awk '/^id: /{id = $2} /^event: /{print id, $2; fflush()}'`, address}
	}},
}

func inNode(client string) func(string, string) []string {
	return func(programs, address string) []string {
		return []string{"node", filepath.Join(programs, "follow.mjs"), client, address}
	}
}

func inGo(client string) func(string, string) []string {
	return func(programs, address string) []string {
		return []string{filepath.Join(programs, "streams"), client, address}
	}
}

// What becomes of a stream.
const (
	whole     = "all"            // each event once, in order
	lost      = "loses the rest" // it ends before the last event
	doubled   = "doubles"        // an event comes twice, or not in order
	endless   = "all, asks on"   // and asks again after the last one, without end
	endsAt204 = "ends"           // of a job that has no more events for it
	asksOn    = "asks on"        // it takes the 204 for a fault
	hangs     = "neither ends nor asks on"
)

// streamCases are what happens to a stream, in the order of the page.
var streamCases = []struct {
	name string
	run  func(*streamScene) map[string]string
}{
	{"cut in an event", (*streamScene).cutInAnEvent},
	{"graceful stop", func(s *streamScene) map[string]string {
		return s.across(func() error { return s.g.Stop() }, s.startAgain)
	}},
	{"kill", func(s *streamScene) map[string]string {
		return s.across(func() error { return s.g.Kill() }, s.startAgain)
	}},
	{"reload", func(s *streamScene) map[string]string { return s.across(s.reload, func() {}) }},
	{"ended job", func(s *streamScene) map[string]string { return s.ofEnded("", false) }},
	{"future id", func(s *streamScene) map[string]string { return s.ofEnded("&lastEventId=100000", false) }},
	{"cold start", (*streamScene).coldStart}, // the last one: no engine is left
}

// TestClientsOfOthersReadStreamsAsThePageSays: whatever happens to a stream, the clients
// that people use get each event once, or docs/streamclients.md says what they do instead.
func TestClientsOfOthersReadStreamsAsThePageSays(t *testing.T) {
	long.Only(t) // TestAStopCutsStreamsOffBetweenEventsAndTheyResume checks what most of them need
	s := newStreamScene(t)
	head, line := "| client |", "|---|"
	rows := make([]string, len(streamTools))
	for i, tool := range streamTools {
		rows[i] = "| " + tool.name + " |"
	}
	for _, c := range streamCases {
		head, line = head+" "+c.name+" |", line+"---|"
		outcomes := c.run(s)
		for i, tool := range streamTools {
			rows[i] += " " + outcomes[tool.name] + " |"
		}
		t.Logf("%s: %v", c.name, outcomes)
	}
	table := strings.Join(append([]string{head, line}, rows...), "\n")
	page := filepath.Join(rig.Root(t), "docs", "streamclients.md")
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(raw), "| client |")
	want := before + table + "\n"
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(raw) {
		t.Errorf("docs/streamclients.md is not what the clients do, which is:\n%s", table)
	}
}

// streamScene is a service with a job that has ended, and the programs.
type streamScene struct {
	*testing.T
	g        *rig.Gateway
	key      rig.Key
	programs string
	types    string
	ended    api.Submission
}

func newStreamScene(t *testing.T) *streamScene {
	t.Helper()
	d, err := openapi.Read()
	if err != nil {
		t.Fatal(err)
	}
	s := &streamScene{T: t, programs: foreignFolder(t, "streams"), types: strings.Join(sortedKeys(d.Doc.Components.Schemas["Event"].Value.Discriminator.Mapping), " ")}
	inFolder(t, s.programs, nil, "go", "build", "-o", "streams", ".")
	s.g = rig.Launch(t, rig.Options{Env: []string{"SVC_RETRY_AFTER=1s"}})
	s.g.NewUser("foreign", "1000")
	s.key = s.g.NewKey("foreign")
	s.ended = s.g.Generate(s.key, s.g.NewProject(s.key))
	s.g.Finish(s.key, s.ended)
	return s
}

func (s *streamScene) startAgain() {
	s.Helper()
	if err := s.g.Start(); err != nil {
		s.Fatal(err)
	}
	if err := s.g.Ready(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// reload has Caddy load its configuration again.
func (s *streamScene) reload() error {
	cmd := exec.CommandContext(s.Context(), rig.Bin(s, "caddy"), "reload", "--force",
		"--config", filepath.Join(rig.Root(s), "Caddyfile"), "--address", "unix/"+filepath.Join(s.g.Dir, "run", "caddy.sock"))
	cmd.Dir, cmd.Env = rig.Root(s), append(os.Environ(), s.g.Env...)
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

// across has all tools follow a job that waits for others, does to the service what ends
// their streams, and lets the job end.
func (s *streamScene) across(trouble func() error, mend func()) map[string]string {
	project := s.g.NewProject(s.key)
	var last api.Submission
	for range 3 {
		last = s.g.Generate(s.key, project)
	}
	held := s.g.Engines()
	signal := func(sig syscall.Signal) {
		for _, pid := range held {
			_ = syscall.Kill(pid, sig) // it may have been killed
		}
	}
	signal(syscall.SIGSTOP)
	defer signal(syscall.SIGCONT) // a stop would wait for it
	if job := s.g.Job(s.key, last); job.Status.Terminal() {
		s.Fatal("the job ended before it could be followed")
	}
	followers := s.follow(last, "", false)
	for _, f := range followers {
		wait.Until(s, f.name+" reads the first event", func() bool { return f.read() > 0 })
	}
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
	a := s.g.Call(s.key, "GET", "/v1/generate/"+sub.JobID+"/events?projectId="+sub.ProjectID, nil)
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

// follower is a tool that follows a stream over a wire of its own.
type follower struct {
	name   string
	wire   *wire
	exited chan struct{}
	said   rig.Log

	mu  sync.Mutex // guards got
	got []string
}

func (f *follower) read() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.got)
}

// follow starts all tools on a job.
func (s *streamScene) follow(sub api.Submission, query string, cut bool) (all []*follower) {
	s.Helper()
	path := "/v1/generate/" + sub.JobID + "/events"
	var token api.StreamToken
	s.g.Decode(s.g.Call(s.key, "POST", path+"/token?projectId="+sub.ProjectID, nil).Body, &token)
	for _, tool := range streamTools {
		f := &follower{name: tool.name, wire: newWire(s.T, s.g.Addr, cut), exited: make(chan struct{})}
		address := "http://" + f.wire.addr + path + "?projectId=" + sub.ProjectID + query
		if strings.HasPrefix(tool.name, "undici") {
			address += "&token=" + token.Token
		}
		command := tool.command(s.programs, address)
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = append(os.Environ(), "SVC_API_KEY="+s.key.Secret, "SVC_EVENTS="+s.types)
		cmd.Stderr = &f.said
		out, err := cmd.StdoutPipe()
		if err != nil {
			s.Fatal(err)
		}
		if err := child.Start(cmd); err != nil {
			s.Fatal(err)
		}
		go f.listen(bufio.NewScanner(out), cmd)
		s.Cleanup(func() {
			_ = cmd.Process.Kill() // it may have ended
			<-f.exited
		})
		all = append(all, f)
	}
	return all
}

// listen keeps what the tool prints. That the stream is about to end is no event of the job,
// and a client whose connection is cut may not show it.
func (f *follower) listen(lines *bufio.Scanner, cmd *exec.Cmd) {
	defer close(f.exited)
	for lines.Scan() {
		if !strings.HasSuffix(lines.Text(), " "+api.StreamClosing) {
			f.mu.Lock()
			f.got = append(f.got, lines.Text())
			f.mu.Unlock()
		}
	}
	_ = cmd.Wait() // how it ended is what it printed
}

// outcomes waits until each tool has ended, or goes on asking, and says what it did.
func (s *streamScene) outcomes(followers []*follower, want []string) map[string]string {
	said := make(map[string]string)
	for _, f := range followers {
		ended, at := false, -1 // when it had read all
		err := wait.Poll(s.Context(), wait.Patience, func() bool {
			select {
			case <-f.exited:
				ended = true
				return true
			default:
			}
			if at < 0 && f.read() >= len(want) {
				at = f.wire.requests()
			}
			return at >= 0 && f.wire.requests() >= at+4 // one brings the 204
		})
		said[f.name] = f.outcome(want, ended, err == nil)
		if s.Failed() || said[f.name] == hangs || said[f.name] == doubled {
			f.mu.Lock()
			s.Logf("%s: %q, want %q\n%.2000s", f.name, f.got, want, f.said.String())
			f.mu.Unlock()
		}
	}
	return said
}

func (f *follower) outcome(want []string, ended, known bool) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case !known:
		return hangs
	case len(f.got) < len(want) && slices.Equal(f.got, want[:len(f.got)]):
		return lost
	case !slices.Equal(f.got, want):
		return doubled
	case len(want) == 0 && ended:
		return endsAt204
	case len(want) == 0:
		return asksOn
	case ended:
		return whole
	}
	return endless
}
