package foreign

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// streamTool is a program that follows a stream: it gets an address, and prints a line an event.
type streamTool struct {
	name      string
	short     bool     // it is in the short form
	command   []string // to which the address is added
	generator string   // which made its client, if one of generators did; then it has no command of its own
	folder    string   // in which it runs
}

// streamTools are all of them, in the order of the page.
var streamTools = []streamTool{
	{name: "eventsource 4.1.1", short: true, command: []string{"node", "follow.mjs", "eventsource"}},
	{name: "undici 7.30.2", command: []string{"node", "follow.mjs", "undici"}},
	{name: "eventsource-client 1.2.0", command: []string{"node", "follow.mjs", "eventsource-client"}},
	{name: "eventsource-parser 3.1.1, asked again by hand", command: []string{"node", "follow.mjs", "eventsource-parser"}},
	{name: "@microsoft/fetch-event-source 2.0.1", command: []string{"node", "follow.mjs", "@microsoft/fetch-event-source"}},
	{name: "r3labs/sse v2.10.0", command: []string{"./streams", "r3labs/sse"}},
	{name: "tmaxmax/go-sse v0.11.0", command: []string{"./streams", "tmaxmax/go-sse"}},
	{name: "launchdarkly/eventsource v1.11.0", command: []string{"./streams", "launchdarkly/eventsource"}},
	{name: "curl", command: []string{"sh", "-c", `curl -sSN -H "X-API-Key: $SVC_API_KEY" "$0" | awk '/^id: /{id = $2} /^event: /{print id, $2; fflush()}'`}},
	{name: "client of openapi-typescript 7.13.0, asked again by hand", short: true, generator: "openapi-typescript"},
	{name: "client of @hey-api/openapi-ts 0.99.0", generator: "hey-api"},
	{name: "client of ogen v1.24.0, asked again by hand", generator: "ogen"},
	{name: "client of oapi-codegen v2.8.2, asked again by hand", generator: "oapi-codegen"},
}

// What becomes of a stream.
const (
	whole     = "all"            // each event once, in order
	lost      = "loses the rest" // it ends before the last event
	doubled   = "doubles"        // an event comes twice, or not in order
	missing   = "misses one"     // it never shows the event that was cut
	endless   = "all, asks on"   // and asks again after the last one, without end
	endsAt204 = "ends"           // of a job that has no more events for it
	asksOn    = "asks on"        // it takes the 204 for a fault
	hangs     = "neither ends nor asks on"
)

// follower is a tool that follows a stream over a wire of its own.
type follower struct {
	name   string
	wire   *wire
	cmd    *exec.Cmd
	exited chan struct{}
	said   rig.Log

	mu  sync.Mutex // guards got
	got []string
}

// complete reports whether the tool has read what it is to read last.
func (f *follower) complete(want []string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(want) == 0 || len(f.got) > 0 && f.got[len(f.got)-1] == want[len(want)-1]
}

func (f *follower) read() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.got)
}

// follow starts the tools on a job.
func (s *streamScene) follow(sub api.Submission, query string, cut bool) (all []*follower) {
	s.Helper()
	path := "/v1/generate/" + sub.JobID + "/events"
	token := streamToken(s, s.g, s.key, sub)
	for _, tool := range s.tools {
		f := &follower{name: tool.name, wire: newWire(s.T, s.g.Addr, cut), exited: make(chan struct{})}
		s.Cleanup(f.end)
		address := "http://" + f.wire.addr + path + "?projectId=" + sub.ProjectID + query
		if strings.HasPrefix(tool.name, "undici") {
			address += "&token=" + token
		}
		cmd := exec.Command(tool.command[0], append(tool.command[1:], address)...)
		cmd.Dir, cmd.Env = tool.folder, append(os.Environ(), "SVC_API_KEY="+s.key.Secret, "SVC_EVENTS="+s.types)
		cmd.Stderr = &f.said
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // curl and awk end together
		out, err := cmd.StdoutPipe()
		if err != nil {
			s.Fatal(err)
		}
		if err := child.Start(cmd); err != nil {
			s.Fatal(err)
		}
		f.cmd = cmd
		go f.listen(bufio.NewScanner(out))
		all = append(all, f)
	}
	return all
}

// streamToken makes a token for a job's events, again while the key has asked too often: who
// waited for the job's end did.
func streamToken(t testing.TB, g *rig.Gateway, key rig.Key, sub api.Submission) string {
	t.Helper()
	var token api.StreamToken
	wait.Until(t, "a stream token is made", func() bool {
		a := g.Call(key, "POST", "/v1/generate/"+sub.JobID+"/events/token?projectId="+sub.ProjectID, nil)
		g.Decode(a.Body, &token)
		return a.Status == http.StatusCreated
	})
	return token.Token
}

// listen keeps what the tool prints. That the stream is about to end is no event of the job,
// and a client whose connection is cut may not show it.
func (f *follower) listen(lines *bufio.Scanner) {
	defer close(f.exited)
	for lines.Scan() {
		if !strings.HasSuffix(lines.Text(), " "+api.StreamClosing) {
			f.mu.Lock()
			f.got = append(f.got, lines.Text())
			f.mu.Unlock()
		}
	}
	_ = f.cmd.Wait() // how it ended is what it printed
}

// end ends the tool, if it has not ended.
func (f *follower) end() {
	if f.cmd == nil {
		return
	}
	select {
	case <-f.exited:
	default:
		_ = syscall.Kill(-f.cmd.Process.Pid, syscall.SIGKILL) // it may end just now
		<-f.exited
	}
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
			if at < 0 && f.complete(want) {
				at = f.wire.requests()
			}
			return at >= 0 && f.wire.requests() >= at+4 // one brings the 204
		})
		said[f.name] = f.outcome(want, ended, err == nil)
		if f.wire.uncut() {
			s.Errorf("the wire of %s was never cut", f.name)
		}
		f.end() // so that none asks on beside the next situation's
		if s.Failed() || said[f.name] == hangs || said[f.name] == doubled || said[f.name] == lost {
			f.mu.Lock()
			s.Logf("%s: answered %q: %q, want %q\n%.2000s", f.name, f.wire.answers(), f.got, want, f.said.String())
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
	case len(f.got) == len(want)-1 && slices.Equal(f.got, slices.Delete(slices.Clone(want), cutEvent-1, cutEvent)):
		return missing
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
