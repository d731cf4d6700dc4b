package cluster

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
)

// former is the version of which test/e2e/testdata has a data directory.
const former = "84ec793"

// formerPrograms builds the programs of that version, of this repository's history.
func formerPrograms(t *testing.T) string {
	t.Helper()
	source, programs := t.TempDir(), filepath.Join(keep.Dir(t), "bin")
	if err := errors.Join(os.Chmod(filepath.Dir(programs), 0o755), os.Mkdir(programs, 0o755)); err != nil { // engines run as users of their own
		t.Fatal(err)
	}
	run := func(dir, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath", "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	archive := filepath.Join(source, "former.tar")
	run(rig.Root(t), "git", "archive", "--output", archive, former)
	run(source, "tar", "-xf", archive)
	for _, folder := range []string{"cmd/svc-sidecar", "cmd/svc-shim", "test/rig/gateway", "test/rig/engineproxy", "test/rig/engine"} {
		run(source, "go", "build", "-o", programs, "./"+folder)
	}
	return programs
}

// TestAFormerVersionIsReplacedUnderClientsThatLoseNothing, in the order of docs/operations.md:
// the new sidecar brings the schema up to date while former gateways run, which clients know
// by documented refusals at most; whether the former processes leave of themselves or are
// killed.
func TestAFormerVersionIsReplacedUnderClientsThatLoseNothing(t *testing.T) {
	long.Only(t)
	old := formerPrograms(t)
	for name, store := range map[string]func(t *testing.T) string{
		"SQLite":     func(*testing.T) string { return "" },
		"PostgreSQL": func(t *testing.T) string { return postgrestest.URL(t) },
	} {
		for how, killed := range map[string]bool{"Leaves": false, "IsKilled": true} {
			t.Run(name+how, func(t *testing.T) { replaceFormer(t, old, store(t), killed) })
		}
	}
}

// replaceFormer replaces each of a former version's processes, whose programs are in a folder.
func replaceFormer(t *testing.T, old, store string, killed bool) {
	r := &rollout{store: store}
	r.Cluster = rig.NewCluster(t, r.store, script.Engine{Work: 200 * time.Millisecond})
	command := slices.Index(r.Proxy.Args, "--command") + 1
	fresh := []string{r.Sidecar.Args[0], r.Proxy.Args[0], r.Proxy.Args[command]}
	r.Sidecar.Args[0], r.Proxy.Args[0], r.Proxy.Args[command] = filepath.Join(old, "svc-sidecar"), filepath.Join(old, "engineproxy"), filepath.Join(old, "engine")
	r.Launch(2, filepath.Join(old, "gateway"), "SVC_SHUTDOWN_DELAY=5s", "SVC_GRACE=30s")
	r.Gateways[0].NewUser("alice", "100000")
	keys := []rig.Key{r.Gateways[0].NewKey("alice"), r.Gateways[0].NewKey("alice")}
	r.prober = probe(t, balancer(t, r.Gateways), keys)
	r.served("the start")
	for _, s := range r.steps() {
		switch s.process {
		case r.Sidecar:
			s.process.Args[0] = fresh[0]
		case r.Proxy:
			s.process.Args[0], s.process.Args[command] = fresh[1], fresh[2]
		default:
			s.process.Args[0] = rig.Program(t, "gateway")
		}
		do := r.replace
		if killed {
			do = func(s step) error { return errors.Join(s.process.Kill(), s.process.Start()) }
		}
		r.during("is replaced by a new one", s, do)
	}
	r.finish()
	r.exact()
	for _, pid := range rig.EnginesOf(r.Dir) { // those of the former version
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
	g, last := r.Gateways[0], r.accepted[keys[0]][0]
	if job := g.Finish(keys[0], g.Generate(keys[0], last.ProjectID)); job.Status != api.JobCompleted {
		t.Errorf("a new engine on the former one's volume: %+v", job)
	}
	t.Logf("%d answers, of which %d put clients off: %v", r.answered.Load(), r.refused.Load(), r.refusedWith())
}
