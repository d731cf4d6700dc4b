package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/policy/policytest"
)

// openStream opens the stream of the last of so many jobs, and reads its first
// event.
func (s *service) openStream(key apiKey, n int) (*sse.Reader, []api.Submission) {
	s.t.Helper()
	jobs := s.queue(key, n)
	reader := sse.NewReader(s.events(key, jobs[len(jobs)-1], "").Body)
	if rec, err := reader.Next(); err != nil || rec.ID != 1 {
		s.t.Fatalf("the first event is %+v, %v", rec, err)
	}
	return reader, jobs
}

// wantClosing reads to the end of a stream, whose last event must say why.
func wantClosing(t *testing.T, reader *sse.Reader, reason string) {
	t.Helper()
	if got := closing(t, reader); got != reason {
		t.Errorf("the stream ended with %q, want %q", got, reason)
	}
}

// closing reads to the end of a stream and returns why the last event says that
// it ends. One that the client shall open again must be cut off, as some clients
// take a good end for the job's.
func closing(t *testing.T, reader *sse.Reader) string {
	t.Helper()
	var last sse.Record
	var end error
	for {
		var rec sse.Record
		if rec, end = reader.Next(); end != nil {
			break
		}
		last = rec
	}
	var data struct {
		Reason string `json:"reason"`
	}
	if err := json.Unmarshal(last.Data, &data); err != nil || last.Type != api.StreamClosing || last.ID != 0 {
		t.Fatalf("the last event is %s %s, %v", last.Type, last.Data, err)
	}
	want := io.EOF
	if data.Reason == "shutdown" || data.Reason == "key_unchecked" {
		want = io.ErrUnexpectedEOF
	}
	if !errors.Is(end, want) {
		t.Errorf("after the reason %s the stream ended with %v, want %v", data.Reason, end, want)
	}
	return data.Reason
}

func TestARevokedKeyLosesItsStreamsWithinHalfASecond(t *testing.T) {
	inEveryForm(t, aRevokedKeyLosesItsStreamsWithinHalfASecond)
}

func aRevokedKeyLosesItsStreamsWithinHalfASecond(t *testing.T, f form) {
	for command, reason := range map[string]string{"revoke": "key_revoked", "disable": "key_disabled"} {
		t.Run(command, func(t *testing.T) {
			s := start(t, f)
			other := s.newKey("demo")
			// On a busy machine a test may be late to see what was in time, and
			// the policy may be: one that is in time will do, and each has to end.
			const attempts = 15
			for attempt := 1; ; attempt++ {
				key := s.newKey("demo")
				reader, jobs := s.openStream(key, 3)
				release := s.holdEngines() // the stream must not end by itself
				s.svc("admin", "key", command, key.ID)
				revoked := time.Now()
				got := closing(t, reader)
				took := time.Since(revoked)
				if got != reason && got != "key_unchecked" {
					t.Errorf("the stream ended with %q", got)
				}
				release()
				// The jobs run on, and the user's other key still reads them.
				for _, sub := range jobs {
					if job := s.finish(other, sub); job.Status != api.JobCompleted {
						t.Errorf("job %s is %s", sub.JobID, job.Status)
					}
				}
				if took <= 500*time.Millisecond && got == reason {
					return
				}
				t.Logf("the stream ended with %q after %s", got, took)
				if attempt == attempts {
					t.Fatal("no stream ended in time with its reason")
				}
			}
		})
	}
}

func TestAReaderWhoLosesAccessLosesTheStream(t *testing.T) {
	inEveryForm(t, aReaderWhoLosesAccessLosesTheStream)
}

func aReaderWhoLosesAccessLosesTheStream(t *testing.T, f form) {
	s := start(t, f, "SVC_POLICY="+policytest.Example(t))
	alice, bob := s.newKey("alice"), s.newKey("bob")
	project := s.newProject(alice)
	s.svc("admin", "project", "attributes", project, "readers=bob")
	s.eventually("bob may read", func() bool { return s.call(bob, "GET", "/v1/projects/"+project, nil).status == 200 })
	jobs := make([]api.Submission, 4)
	for i := range jobs {
		jobs[i] = s.generate(alice, project, brief)
	}
	last := jobs[len(jobs)-1]
	owners := sse.NewReader(s.events(alice, last, "").Body)
	bobs := sse.NewReader(s.events(bob, last, "").Body)
	for name, reader := range map[string]*sse.Reader{"alice": owners, "bob": bobs} {
		if rec, err := reader.Next(); err != nil || rec.ID != 1 {
			t.Fatalf("the first event that %s gets is %+v, %v", name, rec, err)
		}
	}
	release := s.holdEngines() // the streams must not end by themselves
	s.svc("admin", "project", "attributes", project, "readers=carol")
	wantClosing(t, bobs, "access_lost")
	release()
	for {
		rec, err := owners.Next()
		if err != nil {
			t.Fatalf("alice's stream: %v", err)
		}
		if rec.Type == api.EventCompleted {
			return
		}
	}
}

func TestAStopCutsStreamsOffBetweenEventsAndTheyResume(t *testing.T) {
	inEveryForm(t, aStopCutsStreamsOffBetweenEventsAndTheyResume)
}

func aStopCutsStreamsOffBetweenEventsAndTheyResume(t *testing.T, f form) {
	s := start(t, f)
	key := s.newKey("demo")
	reader, jobs := s.openStream(key, 4)
	release := s.holdEngines() // the stream must not end by itself
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop(os.Interrupt) }()
	wantClosing(t, reader, "shutdown")
	release()
	if err := <-stopped; err != nil {
		t.Errorf("the stop ended with %v", err)
	}
	s.start()
	rest := s.readEvents(s.events(key, jobs[len(jobs)-1], "1").Body)
	if rest[0].ID != 2 || !slices.ContainsFunc(rest, func(r sse.Record) bool { return r.Type == api.EventCompleted }) {
		t.Errorf("the resumed stream begins with %d", rest[0].ID)
	}
	s.allCompleted(key, jobs)
}
