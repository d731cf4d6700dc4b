package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/svc-games/svc/test/rig"
)

// profiled is how long what missed its budget is looked at.
const profiled = 4 * time.Second

// missed adds to a section what the processor did while the load ran, unless the budget was
// kept: a full run alone writes a page.
func (r *report) missed(s *section, kept bool, what string, load func() []byte) {
	if kept || !r.full {
		return
	}
	s.profiles = append(s.profiles, r.top(what, load()))
}

// ofGateway returns the processor's profile of a gateway during a load, which is to last as
// long.
func (r *report) ofGateway(g *rig.Gateway, load func()) []byte {
	var profile []byte
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		profile, err = g.Profile(profiled)
	}()
	load()
	<-done
	if err != nil {
		r.t.Fatal(err)
	}
	return profile
}

// ofProcess returns the processor's profile of this process during a load.
func (r *report) ofProcess(load func()) []byte {
	var out bytes.Buffer
	if err := pprof.StartCPUProfile(&out); err != nil {
		r.t.Fatal(err)
	}
	load()
	pprof.StopCPUProfile()
	return out.Bytes()
}

// ofBenchmark is ofProcess for a benchmark.
func (r *report) ofBenchmark(f func(b *testing.B)) []byte {
	return r.ofProcess(func() { testing.Benchmark(f) })
}

// top shows the fifteen functions of a profile that have most of it.
func (r *report) top(what string, profile []byte) string {
	path := filepath.Join(r.t.TempDir(), "profile")
	if err := os.WriteFile(path, profile, 0o600); err != nil {
		r.t.Fatal(err)
	}
	out, err := exec.CommandContext(r.t.Context(), "go", "tool", "pprof", "-top", "-nodecount=15", path).Output()
	if err != nil {
		r.t.Fatalf("reading a profile: %v", err)
	}
	return fmt.Sprintf("Profile of what missed its budget, %s:\n\n```\n%s```\n", what, out)
}

func TestAProfileOfWhatMissedNamesItsFunctions(t *testing.T) {
	r, s := &report{t: t, full: true}, &section{}
	load := func() []byte {
		return r.ofBenchmark(func(b *testing.B) {
			for b.Loop() {
				busy()
			}
		})
	}
	r.missed(s, true, "kept", load)
	r.missed(s, false, "a loop", load)
	if len(s.profiles) != 1 || !bytes.Contains([]byte(s.profiles[0]), []byte("bench.busy")) {
		t.Errorf("profiles: %q", s.profiles)
	}
}

// sink keeps the compiler from leaving busy out.
var sink uint64

//go:noinline
func busy() {
	for i := range uint64(1000) {
		sink = sink*31 + i
	}
}
