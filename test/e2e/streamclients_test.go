package e2e

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/wait"
)

// streamClients are the programs in test/streamclients, made ready to run.
func streamClients(t *testing.T) map[string][]string {
	t.Helper()
	dir := filepath.Join(root(t), "test", "streamclients")
	program := filepath.Join(t.TempDir(), "r3labs")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = dir
	install := exec.CommandContext(t.Context(), filepath.Join(root(t), "scripts", "npm-install"), dir)
	for _, cmd := range []*exec.Cmd{build, install} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	return map[string][]string{
		"r3labs/sse":                    {program},
		"@microsoft/fetch-event-source": {"node", filepath.Join(dir, "fetch-event-source.mjs")},
	}
}

// TestClientsOfOthersReadOnAcrossAStop: two that take a good end of the body for
// the end of the stream (r3labs/sse, @microsoft/fetch-event-source) get every event
// of a job whose stream was ended by a stop of the gateway.
func TestClientsOfOthersReadOnAcrossAStop(t *testing.T) {
	long.Only(t)                // TestAStopCutsStreamsOffBetweenEventsAndTheyResume checks the bad end that they need
	clients := streamClients(t) // which takes longer than a job
	s := start(t, onlyEmbedded(t))
	key := s.newKey("demo")
	ours, jobs := s.openStream(key, 4)
	last := jobs[len(jobs)-1]
	readers := make(map[string]*streamReader)
	for name, command := range clients {
		readers[name] = follow(t, key, command, "http://"+s.addr+"/v1/generate/"+last.JobID+"/events?projectId="+last.ProjectID)
		readers[name].read(t, 1)
	}

	release := s.holdEngines() // the job must not end before
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop(os.Interrupt) }()
	wantClosing(t, ours, "shutdown")
	release()
	if err := <-stopped; err != nil {
		t.Errorf("the stop ended with %v", err)
	}
	s.start()

	var want []string
	for _, rec := range s.readEvents(s.events(key, last, "").Body) {
		want = append(want, itoa(rec.ID)+" "+rec.Type)
	}
	for name, r := range readers {
		r.read(t, len(want))
		if !slices.Equal(r.got, want) {
			t.Errorf("%s got %q, want %q\n%s", name, r.got, want, r.said)
		}
	}
}

// streamReader is a program that prints a line an event.
type streamReader struct {
	lines *bufio.Scanner
	said  *bytes.Buffer // on its standard error
	got   []string      // ids and types of events
}

func follow(t *testing.T, key apiKey, command []string, url string) *streamReader {
	t.Helper()
	ctx, cancel := wait.Within(t.Context(), 4*wait.Patience) // some games are made meanwhile
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], url)...)
	cmd.Env = append(os.Environ(), "SVC_API_KEY="+key.Secret)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r := &streamReader{lines: bufio.NewScanner(out), said: new(bytes.Buffer)}
	cmd.Stderr = r.said
	if err := child.Start(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
	})
	return r
}

// read reads until there are n events. That the stream is about to end is no
// event of the job, and a client whose connection is cut may not show it.
func (r *streamReader) read(t *testing.T, n int) {
	t.Helper()
	for len(r.got) < n && r.lines.Scan() {
		if !strings.HasSuffix(r.lines.Text(), " "+api.StreamClosing) {
			r.got = append(r.got, r.lines.Text())
		}
	}
	if err := r.lines.Err(); err != nil {
		t.Error(err)
	}
}
