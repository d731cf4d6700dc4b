package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/test/long"
)

// TestNoRequestFailsWhilePoliciesAreActivated sends 1,500 requests, in the long run
// 100,000, while the service's directory changes 3 or 50 times, every third time to a
// policy that is broken.
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
	l := s.startLoad(keys)
	defer l.end()
	activated, refused := 0, 0
	for changed := range changes {
		sent, before := l.sent.Load(), s.policyState()
		broken := changed%3 == 2
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
