package host_test

import (
	"database/sql"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver named "sqlite"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar/host"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/test/keep"
)

// TestProbeOfASidecarSaysWhatSubmissionsWouldFind: 503 while its store can't be written to,
// and 200 again without a restart.
func TestProbeOfASidecarSaysWhatSubmissionsWouldFind(t *testing.T) {
	dir := keep.Dir(t)
	h, err := host.Open(t.Context(), host.Options{DataDir: dir, OPA: host.Standard()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	client := peer.UnixClient(filepath.Join(dir, host.OPASocket))
	defer client.CloseIdle()
	probe := func(when string, status int, says string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://peer"+peer.HealthPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != status || !strings.Contains(string(body), says) {
			t.Errorf("%s it is answered with %d %s, %v", when, res.StatusCode, body, err)
		}
	}
	probe("at first", http.StatusOK, `"ok"`)
	other, err := sql.Open("sqlite", filepath.Join(dir, store.SQLiteFile))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	probe("with another process's lock", http.StatusServiceUnavailable, "the store can't be written to")
	if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	probe("without it", http.StatusOK, `"ok"`)
}
