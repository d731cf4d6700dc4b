package state

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/svc-games/svc/engine-proxy/internal/durable"
)

func TestTokenThatTheEngineReplacedIsNotRead(t *testing.T) {
	t.Parallel()
	token := NewToken()
	for name, place := range map[string]func(path string) error{
		"a link to another token": func(path string) error {
			if err := os.WriteFile(path+".other", []byte(NewToken()), 0o600); err != nil {
				return err
			}
			return os.Symlink(path+".other", path)
		},
		"a pipe without a writer": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder":                func(path string) error { return os.Mkdir(path, 0o700) },
		"another text":            func(path string) error { return os.WriteFile(path, []byte("root:x:0:0"), 0o600) },
		"more than a token":       func(path string) error { return os.WriteFile(path, []byte(token+"00"), 0o600) },
		"nothing":                 func(string) error { return nil },
	} {
		path := filepath.Join(t.TempDir(), "token")
		if err := place(path); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadToken(path); err == nil {
			t.Errorf("%s: read %q", name, got)
		}
	}
	path := filepath.Join(t.TempDir(), "token")
	if err := durable.Replace(path, []byte(token)); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadToken(path); err != nil || got != token {
		t.Errorf("read %q, %v, want %q", got, err, token)
	}
}
