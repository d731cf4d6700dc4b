package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/test/long"
)

// TestNoRequestFailsWhilePoliciesAreActivated sends 1,500 requests, in the long run
// 100,000, while the service's directory changes 3 or 50 times, every third time to a
// policy that is broken: lists, creations, polls of a job, submissions, and the
// stream of each, which no swap may cut.
func TestNoRequestFailsWhilePoliciesAreActivated(t *testing.T) {
	f := inOneForm(t)
	changes, requests := 3, int64(1_500)
	if long.Asked() {
		changes, requests = 50, 100_000
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, policy.Embedded()); err != nil {
		t.Fatal(err)
	}
	s := start(t, f, "SVC_POLICY="+dir)
	var keys []apiKey
	for i := range 20 {
		keys = append(keys, s.newKey(fmt.Sprintf("user%d", i%4)))
	}
	key := s.newKey("user0")
	project := s.newProject(key)
	polled := s.generate(key, project, brief)
	s.finish(key, polled)
	l := s.startLoad(keys)
	defer l.end()
	l.send(s, key, func(int) (method, path, body string, want int) {
		return "GET", "/v1/generate/" + polled.JobID + "/status?projectId=" + project, "", http.StatusOK
	})
	activated, refused := 0, 0
	var streams []*follower
	for changed := range changes {
		sent, before := l.sent.Load(), s.policyState()
		broken := changed%3 == 2
		if n := len(streams); n == 0 || streams[n-1].ended() {
			streams = append(streams, s.follow(key, s.submitAtOnce(key, project)))
		}
		writeRevision(t, dir, changed, broken)
		s.eventually("the policy is activated or refused, and its part of the requests is sent", func() bool {
			if l.sent.Load() < sent+requests/int64(changes) {
				return false
			}
			now := s.policyState()
			return broken && now.Degraded || !broken && !now.Degraded && now.Active.Revision != before.Active.Revision
		})
		if broken {
			refused++
		} else {
			activated++
		}
	}
	for _, stream := range streams {
		if s.whole(stream); stream.asked != 1 || stream.refused != 0 || len(stream.closings) != 0 {
			t.Errorf("a stream was opened %d times, refused %d times, closed with %q", stream.asked, stream.refused, stream.closings)
		}
	}
	l.end()
	sent, failed := l.sent.Load(), l.failed.Load()
	t.Logf("%d of %d requests failed; %d policies activated, %d refused", failed, sent, activated, refused)
	if failed > 0 || sent < requests || refused < changes/3 {
		l.examples.Range(func(what, _ any) bool {
			t.Log(what)
			return true
		})
		t.Errorf("%d of %d requests failed, %d policies activated, %d refused", failed, sent, activated, refused)
	}
}

// submitAtOnce submits a brief to a project whose engine runs: nothing may refuse it.
func (s *service) submitAtOnce(key apiKey, project string) (sub api.Submission) {
	s.t.Helper()
	a := s.call(key, "POST", "/v1/generate", map[string]string{"projectId": project, "prompt": brief})
	if a.status != http.StatusOK {
		s.t.Fatalf("submitting while policies change: %d %s", a.status, a.body)
	}
	s.decode(a.body, &sub)
	return sub
}

// ended reports whether the stream came to its end.
func (f *follower) ended() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// writeRevision writes the n-th revision of the shipped policy to the service's
// directory, broken or with another title.
func writeRevision(t *testing.T, dir string, n int, broken bool) {
	t.Helper()
	const file = "svc/key/key.rego"
	text, err := os.ReadFile(filepath.Join(root(t), "policy", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	old, now := "# title: Key\n", fmt.Sprintf("# title: Key %d\n", n)
	if broken {
		old, now = "package svc.key\n", fmt.Sprintf("package svc.key\n\nbroken%d := {\n", n)
	}
	revised := strings.Replace(string(text), old, now, 1)
	if revised == string(text) {
		t.Fatalf("%s has no line %q", file, old)
	}
	next := filepath.Join(t.TempDir(), "key.rego")
	if err := os.WriteFile(next, []byte(revised), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(dir, filepath.FromSlash(file))); err != nil {
		t.Fatal(err)
	}
}
