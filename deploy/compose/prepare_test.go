package compose

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/svc-games/svc/test/need"
	"github.com/svc-games/svc/test/programs"
)

const user = 65532 // of the images

// composeFile is what of compose.yaml these tests look at.
type composeFile struct {
	Services map[string]struct {
		Environment map[string]string `json:"environment"`
		Volumes     []string          `json:"volumes"`
	} `json:"services"`
}

func read(t *testing.T) composeFile {
	t.Helper()
	raw, err := os.ReadFile(root + "/deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var f composeFile
	if err := utilyaml.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// homeVariable is the folder that the script prepares, with or without what compose says
// where it is not set.
var homeVariable = regexp.MustCompile(`\$\{SVC_HOME[^}]*\}`)

// TestAContainerHasItsOwnCertificateAndNotTheAuthority: who takes over a gateway, which
// faces clients, must not be able to sign itself as another part.
func TestAContainerHasItsOwnCertificateAndNotTheAuthority(t *testing.T) {
	parts := map[string]string{
		"gateway-1": "gateway", "gateway-2": "gateway", "sidecar-1": "sidecar", "sidecar-2": "sidecar", "engines": "engines",
	}
	for name, service := range read(t).Services {
		got := ""
		for _, volume := range service.Volumes {
			from, to, _ := strings.Cut(homeVariable.ReplaceAllString(volume, "HOME"), ":")
			below, isHome := strings.CutPrefix(from, "HOME")
			switch {
			case !isHome:
			case below == "" || strings.HasPrefix(below, "/certs"):
				t.Errorf("%s has the authority's key: %s", name, volume)
			case strings.HasPrefix(to, "/certs"):
				got += below + ":" + to
			}
		}
		want := ""
		if part := parts[name]; part != "" {
			want = "/tls/" + part + ":/certs:ro"
		}
		if got != want {
			t.Errorf("%s has the certificates %q, want %q", name, got, want)
		}
	}
}

// TestContainersGetWhatTheirConfigurationsRead: docs/operations.md sets these for compose.
func TestContainersGetWhatTheirConfigurationsRead(t *testing.T) {
	services := read(t).Services
	want := map[string][]string{
		"gateway-1": {"SVC_DECISION_TIMEOUT", "SVC_PLAY_ORIGIN", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_PROPAGATORS", "OTEL_TRACES_SAMPLER"},
		"sidecar-1": {"SVC_DECISION_TIMEOUT", "OTEL_EXPORTER_OTLP_ENDPOINT"},
		"engines":   {"OTEL_EXPORTER_OTLP_ENDPOINT", "SVC_EGRESS"},
		"balancer":  nil,
	}
	for name, file := range map[string]string{"gateway-1": "gateway.caddyfile", "balancer": "balancer.caddyfile"} {
		for _, variable := range regexp.MustCompile(`\{\$(\w+)`).FindAllSubmatch(content(t, file), -1) {
			want[name] = append(want[name], string(variable[1]))
		}
	}
	for name, variables := range want {
		for _, variable := range variables {
			if _, given := services[name].Environment[variable]; !given {
				t.Errorf("%s does not get %s", name, variable)
			}
		}
	}
	for _, pair := range [][2]string{{"gateway-1", "gateway-2"}, {"sidecar-1", "sidecar-2"}} {
		if a, b := services[pair[0]].Environment, services[pair[1]].Environment; !maps.Equal(a, b) {
			t.Errorf("%s gets %v, and %s %v", pair[0], a, pair[1], b)
		}
	}
}

// prepare runs the script, which gives files away.
func prepare(t *testing.T, home string) {
	t.Helper()
	cmd := exec.Command("./prepare", home)
	cmd.Env = append(os.Environ(), "SVC="+programs.Build(t, "cmd/svc"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestPreparedFolderGivesEachPartItsCertificateAndARenewedOneTheNextTime(t *testing.T) {
	if os.Geteuid() != 0 {
		need.Missing(t, "only root can run it")
	}
	home := filepath.Join(t.TempDir(), "svc")
	prepare(t, home)
	first := certificates(t, home)
	secret := content(t, home+"/secrets/play")
	if out, err := exec.Command(programs.Build(t, "cmd/svc"), "certs", "renew", home+"/certs").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	prepare(t, home)
	second := certificates(t, home)
	for name, was := range first {
		if bytes.Equal(second[name], was) != (filepath.Base(name) == "ca.pem") {
			t.Errorf("after the renewal %s is the same, or another: it must be the part's new one, of the same authority", name)
		}
	}
	if !bytes.Equal(content(t, home+"/secrets/play"), secret) {
		t.Error("the games' secret was made anew: players would not be known again")
	}
}

// certificates returns the files of the folder that parts get, which are the images' user's,
// and wants the authority's key to be root's and in one place.
func certificates(t *testing.T, home string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	var names []string
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, _ := strings.CutPrefix(path, home+"/")
		owner, mode := int(info.Sys().(*syscall.Stat_t).Uid), info.Mode().Perm()
		switch {
		case name == "certs" || strings.HasPrefix(name, "certs/"):
			if owner != 0 || (name == "certs" || strings.HasSuffix(name, ".key")) && mode&0o077 != 0 {
				t.Errorf("%s is %d's, %v", name, owner, mode)
			}
		case strings.HasPrefix(name, "tls/") && !d.IsDir():
			if owner != user || mode != 0o600 {
				t.Errorf("%s is %d's, %v", name, owner, mode)
			}
			names, found[name] = append(names, name), content(t, path)
		case d.Name() == "ca.key":
			t.Errorf("the authority's key is in %s", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"tls/engines/ca.pem", "tls/engines/engines.key", "tls/engines/engines.pem",
		"tls/gateway/ca.pem", "tls/gateway/gateway.key", "tls/gateway/gateway.pem",
		"tls/sidecar/ca.pem", "tls/sidecar/sidecar.key", "tls/sidecar/sidecar.pem",
	}
	if !slices.Equal(names, want) {
		t.Errorf("the parts have %q, want %q", names, want)
	}
	return found
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
