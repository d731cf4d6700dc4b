package commands

import (
	"strings"
	"testing"
	"time"
)

func TestLoginLinkSignsItsUserInOnce(t *testing.T) {
	s := startAdminService(t)
	s.must(t, "user", "create", "alice")
	for address, want := range map[string]string{
		"":                                 "http://localhost:8080/console/login#",
		"https://svc.example.com":          "https://svc.example.com/console/login#",
		"svc.example.com, www.example.com": "https://svc.example.com/console/login#",
		"http://localhost:9000/":           "http://localhost:9000/console/login#",
		":9000":                            "http://localhost:9000/console/login#",
		"https://:8443":                    "https://localhost:8443/console/login#",
		":443":                             "https://localhost:443/console/login#",
		"svc.example.com:80":               "http://svc.example.com:80/console/login#",
		"localhost:8443":                   "https://localhost:8443/console/login#",
	} {
		t.Setenv("SVC_ADDRESS", address)
		link := decodeAdmin[loginLink](t, s, "login-link", "--user", "alice")
		code, ok := strings.CutPrefix(link.URL, want)
		if !ok || link.UserID != "alice" || link.ExpiresAt.Sub(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)) != 15*time.Minute {
			t.Errorf("SVC_ADDRESS=%s: %+v", address, link)
		}
		secret, err := s.Sessions().SignIn(t.Context(), code)
		if err != nil {
			t.Fatal(err)
		}
		if session, err := s.Sessions().Find(t.Context(), secret); err != nil || session.UserID != "alice" {
			t.Errorf("session %+v, %v", session, err)
		}
	}
	if first, _, _ := strings.Cut(s.must(t, "login-link", "--user", "alice"), "\n"); !strings.HasPrefix(first, "http") {
		t.Errorf("the first line is %q, and scripts read it", first)
	}
}

func TestLoginLinkIsForAUserWhoIsThere(t *testing.T) {
	s := startAdminService(t)
	if code, _, stderr := s.run("login-link", "--user", "nobody"); code == exitOK || !strings.Contains(stderr, "svc admin user create nobody") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if code, _, stderr := s.run("login-link"); code != exitUsage || !strings.Contains(stderr, "--user ID") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
