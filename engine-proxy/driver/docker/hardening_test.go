package docker

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestContainerHasNoPrivileges(t *testing.T) {
	t.Parallel()
	b := newBed(t, probing("look"))
	r := b.look(t, b.spec(t))
	for name, want := range map[string]string{
		"CapInh": "0000000000000000", "CapPrm": "0000000000000000", "CapEff": "0000000000000000",
		"CapBnd": "0000000000000000", "CapAmb": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2",
		"Groups": "65532",
	} {
		if r.Status[name] != want {
			t.Errorf("%s is %q, want %q", name, r.Status[name], want)
		}
	}
	if r.UID != 65532 {
		t.Errorf("the engine runs as %d, want 65532", r.UID)
	}
	if !strings.HasPrefix(r.Init, "/sbin/docker-init ") {
		t.Errorf("process 1 is %q, want Docker's init", r.Init)
	}
	if r.OOM != "500" {
		t.Errorf("oom_score_adj is %s, want 500", r.OOM)
	}
	for name, want := range map[string]string{"Max open files": "4096", "Max core file size": "0"} {
		if r.Limits[name] != want {
			t.Errorf("%s is %q, want %q", name, r.Limits[name], want)
		}
	}
}

func TestContainerWritesNothingButItsVolumeItsSocketsAndItsTmp(t *testing.T) {
	t.Parallel()
	b := newBed(t, probing("look"))
	r := b.look(t, b.spec(t))
	for _, path := range forbidden {
		if r.Writes[path] == "" {
			t.Errorf("the engine can write %s", path)
		}
	}
	for _, path := range allowed {
		if r.Writes[path] != "" {
			t.Errorf("the engine can't write %s: %s", path, r.Writes[path])
		}
	}
	if got := r.Mounts["/"]; !strings.Contains(got, " ro,") {
		t.Errorf("the root is mounted %s, want ro", got)
	}
	if got := r.Mounts["/tmp"]; !strings.HasPrefix(got, "tmpfs rw,nosuid,nodev,noexec,") || !strings.Contains(got, "size=65536k") {
		t.Errorf("/tmp is mounted %s", got)
	}
}

func TestContainerSeesNothingOfTheHostButWhatIsItsOwn(t *testing.T) {
	t.Parallel()
	b := newBed(t, probing("look"))
	other, mine := b.spec(t), b.spec(t)
	for _, s := range []driver.Spec{other, mine} {
		if err := os.WriteFile(filepath.Join(s.Volume, "of-"+s.ProjectID), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(mine.StateDir, "engine.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := b.look(t, mine)
	// These come from the kernel or from Docker, whatever container it is.
	system := []string{"/proc", "/sys", "/dev", "/etc/", "/sbin/docker-init"}
	var points []string
	for point := range r.Mounts {
		if !slices.ContainsFunc(system, func(p string) bool { return strings.HasPrefix(point, p) }) {
			points = append(points, point)
		}
	}
	slices.Sort(points)
	if want := []string{"/", "/run/secrets/token", "/run/svc", "/tmp", "/volume"}; !slices.Equal(points, want) {
		t.Errorf("mounted are %v, want %v", points, want)
	}
	if got, want := r.Dirs["/volume"], []string{"of-" + mine.ProjectID, "x"}; !slices.Equal(got, want) {
		t.Errorf("the volume holds %v, want %v", got, want)
	}
	if got, want := r.Dirs["/run/svc"], []string{"token", "x"}; !slices.Equal(got, want) {
		t.Errorf("the folder of the sockets holds %v, want %v", got, want)
	}
}

func TestContainerReachesNoNetwork(t *testing.T) {
	t.Parallel()
	b := newBed(t, probing("look"))
	s := b.spec(t)
	r := b.look(t, s)
	for _, address := range addresses {
		// Not even a socket is to be had. Daemons before 22.06 say so in another way.
		if !strings.Contains(r.Dials[address], "function not implemented") && !strings.Contains(r.Dials[address], "socket: operation not permitted") {
			t.Errorf("dialling %s: %q, want no socket", address, r.Dials[address])
		}
	}
	// And there is no network behind it.
	found, err := b.api.ContainerInspect(t.Context(), name(s.InstanceID), client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if mode := found.Container.HostConfig.NetworkMode; mode != "none" {
		t.Errorf("the container's network is %q", mode)
	}
}

func TestForkBombIsContained(t *testing.T) {
	t.Parallel()
	b := newBed(t, probing("fork"), func(o *Options) { o.Limits.PIDs = 64 })
	out, _ := b.output(t, b.spec(t))
	n, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil || n == 0 || n >= 64 {
		t.Errorf("the engine started %q processes, %v, want less than 64", out, err)
	}
}

func TestTokenIsSeenByNoOneWhoAsksTheDaemon(t *testing.T) {
	b := newBed(t)
	s := b.spec(t)
	const secret = "5e1f0b7a-the-token"
	if err := os.WriteFile(s.TokenFile, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SVC_SECRET_OF_THE_PARENT", secret)
	b.start(t, s)
	found, err := b.api.ContainerInspect(t.Context(), name(s.InstanceID), client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(found.Raw), secret) {
		t.Errorf("the token is in %s", found.Raw)
	}
	names := []string{}
	for _, pair := range found.Container.Config.Env {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	if want := []string{"PATH", "HOME", "TMPDIR", "LANG"}; !slices.Equal(names, want) {
		t.Errorf("the environment has %v, want %v", names, want)
	}
}

// TestContainerIsMadeAsReviewed compares all that the daemon is asked for with
// a file that a reviewer has read.
func TestContainerIsMadeAsReviewed(t *testing.T) {
	t.Setenv(driverkit.StartDelay, "1s")
	d, err := New(Options{DataDir: "/data", Host: "unix:///d.sock", Image: "engine:1"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.recipe(driver.Spec{
		Incarnation: driver.Incarnation{ProjectID: "0123456789abcdef01234567", Generation: 7, InstanceID: "01JD0000000000000000000000"},
		OwnerID:     "ann", Volume: "/data/projects/p", RuntimeDir: "/data/run/p", StateDir: "/data/engines/p",
		Socket: "/data/run/p/e.sock", TokenFile: "/data/run/p/token", Egress: "/data/run/p/egress.sock",
	}, 65532, 65532)
	if err != nil {
		t.Fatal(err)
	}
	for i, option := range r.host.SecurityOpt { // package calls has what is listed reviewed
		r.host.SecurityOpt[i] = strings.ReplaceAll(option, seccompProfile(), "LISTED")
	}
	got, err := json.MarshalIndent(map[string]any{"Config": set(t, r.config), "HostConfig": set(t, r.host)}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	golden := filepath.Join("testdata", "container.json")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("the container is\n%s\nreviewed was\n%s", got, want)
	}
}

// set leaves out what has no value.
func set(t *testing.T, v any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(m, func(_ string, v any) bool {
		switch v := v.(type) {
		case nil:
			return true
		case bool:
			return !v
		case float64:
			return v == 0
		case string:
			return v == ""
		case []any:
			return len(v) == 0 || slices.Equal(v, []any{0.0, 0.0})
		}
		return false
	})
	return m
}
