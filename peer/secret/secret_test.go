package secret

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFileOfAPasswordIsTakenOutOfAURLAndNothingElseIs(t *testing.T) {
	for address, want := range map[string][2]string{
		"postgres://svc@one:5432,two:5432/db?sslmode=require&password_file=%2Frun%2Fa%20b": {"postgres://svc@one:5432,two:5432/db?sslmode=require", "/run/a b"},
		"redis://svc@host/0?password_file=/run/redis":                                      {"redis://svc@host/0", "/run/redis"},
		"redis://svc:a%3Fb@host/0":                                                         {"redis://svc:a%3Fb@host/0", ""},
		"postgres:///db?host=/run/pg":                                                      {"postgres:///db?host=/run/pg", ""},
	} {
		rest, file, err := Cut(address)
		if err != nil || rest != want[0] || file != want[1] {
			t.Errorf("%s: %q, %q, %v", address, rest, file, err)
		}
	}
	for _, address := range []string{"redis://u:hidden@h?password_file=", "redis://u:hidden@h?password_file=%zz"} {
		if _, _, err := Cut(address); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestAPasswordIsOneLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	for text, want := range map[string]string{"a b": "a b", "a\n": "a", "a\r\n": "a", "": "", "\n": "", "a\nb": "", strings.Repeat("a", longest+1): ""} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(file); got != want || (err == nil) != (want != "") || err != nil && text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%.10q: %q, %v", text, got, err)
		}
	}
	if _, err := Read(file + "-not"); err == nil {
		t.Error("a file that is not there has a password")
	}
}
