package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/rig"
)

// password opens Caddy's basic_auth in the test below.
const password = "correct horse"

// behindBasicAuth puts Caddy's own login in front of the console.
func (s *service) behindBasicAuth(users ...string) {
	s.t.Helper()
	hash, err := exec.Command(bin(s.t, "caddy"), "hash-password", "--plaintext", password).Output()
	if err != nil {
		s.t.Fatalf("hashing a password: %v", err)
	}
	var accounts strings.Builder
	for _, user := range users {
		fmt.Fprintf(&accounts, "\t\t\t%s %s\n", user, bytes.TrimSpace(hash))
	}
	s.editCaddyfile("svc_console /console/*", "handle /console/* {\n\t\tbasic_auth {\n"+accounts.String()+
		"\t\t}\n\t\tsvc_console {\n\t\t\tidentity {http.auth.user.id}\n\t\t}\n\t}")
}

// console asks for the page of keys as Caddy's user. Redirections are not followed.
func (s *service) console(user, secret string) answer {
	s.t.Helper()
	var login []string
	if user != "" {
		login = []string{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+secret))}
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	_, got, err := rig.Send(s.t.Context(), client, "", http.MethodGet, "http://"+s.addr+"/console/keys", nil, login...)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{got.Status, got.Header, got.Body}
}

func TestConsoleTakesItsUserFromCaddysLogin(t *testing.T) {
	inEveryForm(t, consoleTakesItsUserFromCaddysLogin)
}

func consoleTakesItsUserFromCaddysLogin(t *testing.T, f form) {
	s := newService(t, f)
	s.behindBasicAuth("alice", "bob", "stranger")
	s.start()
	s.svc("admin", "user", "create", "alice")
	s.svc("admin", "user", "create", "bob")

	if a := s.console("", ""); a.status != http.StatusUnauthorized {
		t.Errorf("without a login: %d", a.status)
	}
	if a := s.console("alice", "wrong"); a.status != http.StatusUnauthorized {
		t.Errorf("with a wrong password: %d", a.status)
	}
	a := s.console("alice", password)
	if a.status != http.StatusOK || !bytes.Contains(a.body, []byte("alice")) {
		t.Fatalf("alice: %d", a.status)
	}
	// Each request brings the login; there is no cookie that could go on without it.
	if set := a.header.Get("Set-Cookie"); set != "" {
		t.Errorf("alice is given the cookie %q", set)
	}
	if a := s.console("bob", password); a.status != http.StatusOK || bytes.Contains(a.body, []byte("alice")) {
		t.Errorf("bob after alice: %d, and sees alice: %t", a.status, bytes.Contains(a.body, []byte("alice")))
	}
	if a := s.console("stranger", password); a.status != http.StatusSeeOther {
		t.Errorf("one whom Caddy knows and the service doesn't: %d", a.status)
	}
}
