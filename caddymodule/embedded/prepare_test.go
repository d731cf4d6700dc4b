package embedded

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/svc-games/svc/caddymodule/remote"
)

// prepare runs Prepare for "caddy run" with a Caddyfile, on a machine without the
// game frameworks, and returns what it says and the folder that it was in.
func prepare(t *testing.T, text string) (dir string, err error) {
	t.Helper()
	dir = t.TempDir()
	t.Chdir(dir)
	t.Setenv("SVC_DATA_DIR", "")
	t.Setenv("SVC_ENGINES", "")
	t.Setenv("SVC_ENGINE_DRIVER", "")
	t.Setenv("SVC_FRAMEWORKS", "")
	t.Setenv("GOGC", "100")
	file := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Prepare([]string{"caddy", "run", "--config", file})
	return dir, err
}

const (
	ledgerElsewhere = "sidecar /run/sidecar.sock\n"
	elsewhere       = ledgerElsewhere + "engines engines.example:7443 {\n\ttls /cert /key /ca\n}\n"
)

func TestOnlyAServiceThatRunsEnginesItselfNeedsTheFrameworks(t *testing.T) {
	for name, tc := range map[string]struct {
		options string
		needed  bool
	}{
		"engines of this process":                  {"", true},
		"the word in a comment":                    {"# frameworks, driver docker\n", true},
		"engines in another process":               {elsewhere, false},
		"engines in another process, by its path":  {ledgerElsewhere + "engines /run/engines.sock\n", false},
		"engines from images":                      {"engines embedded {\n\tdriver docker\n}\n", false},
		"engines of a cluster":                     {"engines embedded {\n\tdriver kubernetes {\n\t\tnamespace n\n\t}\n}\n", false},
		"frameworks that are not where they shall": {"engines embedded {\n\tframeworks /nowhere\n}\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := prepare(t, "{\n\tsvc {\n"+tc.options+"\n}\n}\n:0 {\n\tsvc_api\n}\n")
			if missing := err != nil && strings.Contains(err.Error(), "game frameworks"); missing != tc.needed || err != nil && !missing {
				t.Errorf("it says %v", err)
			}
		})
	}
}

func TestAConfigurationWithNothingOfTheServiceNeedsNothingOfIt(t *testing.T) {
	for text, ours := range map[string]bool{
		":0 {\n\treverse_proxy gateway-1:8080\n\thandle_errors {\n\t\tsvc_error\n\t}\n}\n": false,
		":0 {\n\tsvc_openapi\n}\n":      false,
		":0 {\n\tsvc_api\n}\n":          true,
		"{\n\tsvc {\n\t}\n}\n:0 {\n}\n": true,
	} {
		dir, err := prepare(t, text)
		if missing := err != nil && strings.Contains(err.Error(), "game frameworks"); missing != ours || err != nil && !missing {
			t.Errorf("of\n%s\nit says %v", text, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "data")); (err == nil) != ours {
			t.Errorf("with\n%s\nthe data directory: %v", text, err)
		}
	}
}

func TestTheDataFolderOfTheConfigurationIsMade(t *testing.T) {
	data := filepath.Join(t.TempDir(), "d")
	dir, err := prepare(t, "{\n\tsvc {\n\t\tdata_dir "+data+"\n"+elsewhere+"}\n}\n:0 {\n\tsvc_api\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(data, "run")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err == nil {
		t.Error("a folder was made that nobody uses")
	}
}

func TestOnlyAnAddressThatTheServiceWillListenOnMustBeFree(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for bind, free := range map[string]bool{"127.0.0.1": true, "127.0.0.2": false, "0.0.0.0": false} {
		_, err := prepare(t, "{\n\tsvc {\n"+elsewhere+"}\n}\nhttp://localhost:"+port+" {\n\tbind "+bind+"\n\tsvc_api\n}\n")
		if free && err != nil || !free && (err == nil || !strings.Contains(err.Error(), "SVC_ADDRESS")) {
			t.Errorf("with bind %s it says %v", bind, err)
		}
	}
}

// TestPartsThatCanNotWorkTogetherAreRefusedBeforeAnythingIsMade: an engine proxy elsewhere
// reports to a svc-sidecar, which can't be on the SQLite of this process as well.
func TestPartsThatCanNotWorkTogetherAreRefusedBeforeAnythingIsMade(t *testing.T) {
	const engines = "engines /run/engines.sock\n"
	for options, mixed := range map[string]bool{
		engines:                   true,
		ledgerElsewhere + engines: false,
		engines + "store postgres://db.example/svc\n": false,
	} {
		dir, err := prepare(t, "{\n\tsvc {\n"+options+"}\n}\n:0 {\n\tsvc_api\n}\n")
		if refused := err != nil && strings.Contains(err.Error(), "can't report to a sidecar in this process"); refused != mixed || err != nil && !refused {
			t.Errorf("with\n%sit says %v", options, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "data")); (err == nil) == mixed {
			t.Errorf("with\n%sthe data directory: %v", options, err)
		}
	}
}

// TestAFolderWhoseStoreWasMovedIsRefusedByPrepare: before Caddy opens anything.
func TestAFolderWhoseStoreWasMovedIsRefusedByPrepare(t *testing.T) {
	t.Setenv("SVC_STORE", "")
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "svc.db.moved"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	text := "{\n\tsvc {\n\t\tdata_dir " + data + "\n\t\tengines embedded {\n\t\t\tdriver docker\n\t\t}\n\t}\n}\n:0 {\n\tsvc_api\n}\n"
	if _, err := prepare(t, text); err == nil || !strings.Contains(err.Error(), "SVC_STORE") {
		t.Errorf("it says %v", err)
	}
	t.Setenv("SVC_STORE", "postgres://db.example/svc")
	if _, err := prepare(t, text); err != nil {
		t.Errorf("with the database's URL it says %v", err)
	}
}
