package fakeprovider

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/keep"
)

// Reach puts a provider behind a socket as an egress does, for tests of an engine's
// client, until the test ends: an egress knows its engine by a token, on each wire alike,
// and wants to know what a stream took. models is its list of models, as JSON; "" leaves
// it to the provider.
func Reach(t testing.TB, p *Provider, models string) (socket, tokenFile string) {
	t.Helper()
	dir := keep.Dir(t)
	p.Key = "the-token"
	tokenFile, socket = filepath.Join(dir, "token"), filepath.Join(dir, "e.sock")
	if err := os.WriteFile(tokenFile, []byte(p.Key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case models != "" && r.Method == http.MethodGet:
			_, _ = io.WriteString(w, models)
			return
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			raw, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			r.Body = io.NopCloser(strings.NewReader(`{"stream_options":{"include_usage":true},` + strings.TrimPrefix(string(raw), "{")))
		case strings.HasSuffix(r.URL.Path, "/messages"):
			r.Header.Set("X-Api-Key", strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			r.Header.Set("Anthropic-Version", "2023-06-01")
			r.Header.Del("Authorization")
		}
		p.ServeHTTP(w, r)
	})}
	go func() { _ = server.Serve(l) }() // until it is closed
	t.Cleanup(func() { server.Close() })
	return socket, tokenFile
}
