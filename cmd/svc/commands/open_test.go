package commands

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api/gamezip"
)

// game makes a directory with a game that links to a file outside.
func game(t *testing.T) string {
	t.Helper()
	at := t.TempDir()
	dir := filepath.Join(at, "game")
	for path, text := range map[string]string{filepath.Join(dir, "index.html"): "the game", filepath.Join(at, "secret"): "secret"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOpenServesAGameUntilItIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	printed, out := io.Pipe()
	c := &cobra.Command{}
	c.SetOut(out)
	ended := make(chan error)
	go func() { ended <- openGame(ctx, c, game(t), 0) }()
	address, err := bufio.NewReader(printed).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || string(text) != "the game" || resp.Header.Get("Cache-Control") != "no-store" ||
		!strings.HasSuffix(resp.Header.Get("Content-Security-Policy"), gamezip.ContentPolicy) {
		t.Errorf("%q, %v, %v", text, resp.Header, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestOpenServesNothingOutsideTheGameAndNobodyElse(t *testing.T) {
	handler := gameHandler(game(t), "127.0.0.1:4000")
	for target, want := range map[string]int{
		"http://127.0.0.1:4000/": 200, "http://127.0.0.1:4000/link": 500, "http://127.0.0.1:4000/../secret": 404, "http://evil.example/": 421,
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		if w.Code != want || strings.Contains(w.Body.String(), "secret\n") || w.Body.String() == "secret" {
			t.Errorf("%s: %d %q, want %d", target, w.Code, w.Body, want)
		}
	}
	if code, _, stderr := svc("open", t.TempDir()); code != exitUsage || !strings.Contains(stderr, "no index.html") {
		t.Errorf("a directory without a game: exit %d: %s", code, stderr)
	}
}
