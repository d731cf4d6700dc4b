// Package systemd holds the tests of the units beside it.
package systemd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/need"
)

// analyze runs systemd-analyze on the units, with programs that are here.
func analyze(t *testing.T, args ...string) {
	t.Helper()
	program, err := exec.LookPath("systemd-analyze")
	if err != nil {
		need.Missing(t, "systemd-analyze is missing: run make deps")
	}
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// units writes the units to a folder, with a program in place of those of ours.
func units(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.service")
	if err != nil || len(files) != 3 {
		t.Fatalf("%d units, %v", len(files), err)
	}
	dir, there := t.TempDir(), "/bin/true"
	for i, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		for _, name := range []string{"caddy", "svc-sidecar", "svc-engine-proxy"} {
			text = strings.ReplaceAll(text, "/usr/lib/svc/"+name, there)
		}
		files[i] = filepath.Join(dir, file)
		if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestUnitsAreWhatSystemdTakes(t *testing.T) {
	analyze(t, append([]string{"verify", "--man=no", "--recursive-errors=no"}, units(t)...)...)
}

// TestGatewayAndSidecarMayDoLittle: the score of systemd-analyze security, times ten. The
// engine proxy's unit lists what it can't do without.
func TestGatewayAndSidecarMayDoLittle(t *testing.T) {
	for _, unit := range units(t) {
		most := "30"
		if strings.HasSuffix(unit, "svc-engine-proxy.service") {
			most = "55"
		}
		analyze(t, "security", "--offline=true", "--no-pager", "--threshold="+most, unit)
	}
}

func TestInstallPutsEverythingInItsPlaceAndKeepsWhatIsThere(t *testing.T) {
	checkout, dest := t.TempDir(), t.TempDir()
	put := func(path string, mode os.FileMode) {
		t.Helper()
		path = filepath.Join(checkout, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("new"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"caddy", "svc", "svc-engine", "svc-engine-proxy", "svc-shim", "svc-sidecar"} {
		put("bin/"+name, 0o755)
	}
	put("bin/frameworks/phaser/phaser.min.js", 0o644)
	put("bin/studio/codemirror.js", 0o644)
	put("Caddyfile", 0o644)
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(checkout, "deploy", "systemd"), os.DirFS(here)); err != nil {
		t.Fatal(err)
	}
	install := func() {
		t.Helper()
		cmd := exec.Command("sh", filepath.Join(checkout, "deploy", "systemd", "install"))
		cmd.Env = append(os.Environ(), "DESTDIR="+dest)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("install: %v\n%s", err, out)
		}
	}
	install()
	mine := filepath.Join(dest, "etc/svc/svc.env")
	if err := os.WriteFile(mine, []byte("mine"), 0o640); err != nil {
		t.Fatal(err)
	}
	install()
	if raw, err := os.ReadFile(mine); err != nil || string(raw) != "mine" {
		t.Errorf("the second time svc.env is %q, %v", raw, err)
	}
	for _, path := range []string{
		"usr/lib/svc/svc-shim", "usr/lib/svc/frameworks/phaser/phaser.min.js", "usr/lib/svc/studio/codemirror.js", "usr/bin/svc", "etc/svc/Caddyfile",
		"etc/systemd/system/svc-gateway.service",
	} {
		if _, err := os.Stat(filepath.Join(dest, path)); err != nil {
			t.Error(err)
		}
	}
}
