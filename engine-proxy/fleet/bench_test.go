package fleet

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/engine-proxy/state"
)

// BenchmarkTwentyFourStartsAtOnce has 24 cold projects submitted to at once,
// with as many starts at a time as is standard and, in turn with it, with all
// at a time. It reports when the last engine was ready, what the median waited,
// and the ratio of the two ends. The engine is the real one.
func BenchmarkTwentyFourStartsAtOnce(b *testing.B) {
	const engines = 24
	bin, err := os.MkdirTemp("", "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(bin)
	// Engines have users of their own, where we may give them some.
	if err := os.Chmod(bin, 0o755); err != nil {
		b.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", bin, "./cmd/svc-engine", "./cmd/svc-shim")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("building the engine: %v\n%s", err, out)
	}
	frameworks := os.Getenv("SVC_FRAMEWORKS")
	if frameworks == "" {
		frameworks = filepath.Join("..", "..", "bin", "frameworks")
	}
	if _, err := os.Stat(frameworks); err != nil {
		b.Fatalf("the game frameworks are missing: %v: run make build", err)
	}
	ends, waits := map[int][]time.Duration{}, map[int][]time.Duration{}
	for b.Loop() {
		for _, atOnce := range []int{0, engines} { // 0: the standard
			waited := startAll(b, engines, func(dir string) Options {
				d, err := process.New(process.Options{
					StateRoot: filepath.Join(dir, state.StatesDir), Frameworks: frameworks,
					Command: []string{filepath.Join(bin, "svc-engine")}, Shim: filepath.Join(bin, "svc-shim"),
				})
				if err != nil {
					b.Fatal(err)
				}
				return Options{DataDir: dir, Driver: d, Ledger: newFakeLedger(), MaxStarts: atOnce, MaxPerOwner: engines}
			})
			ends[atOnce] = append(ends[atOnce], slices.Max(waited))
			waits[atOnce] = append(waits[atOnce], middle(waited))
		}
	}
	last, unlimited := middle(ends[0]), middle(ends[engines])
	b.ReportMetric(last.Seconds(), "last-s")
	b.ReportMetric(unlimited.Seconds(), "unlimited-last-s")
	b.ReportMetric(float64(last)/float64(unlimited), "ratio")
	b.ReportMetric(middle(waits[0]).Seconds(), "median-s")
}

// startAll submits to n cold projects at once and returns how long each waited.
func startAll(b *testing.B, n int, options func(dir string) Options) []time.Duration {
	b.Helper()
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	p, err := New(options(dir))
	if err != nil {
		b.Fatal(err)
	}
	if err := p.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	waited := make([]time.Duration, n)
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range waited {
		wg.Go(func() {
			lease, err := p.Submit(b.Context(), engineproxy.Project{ID: mint.NewProjectID(), OwnerID: fmt.Sprint(i % 4)}, 2*time.Minute)
			if err != nil {
				b.Error(err)
				return
			}
			waited[i] = time.Since(begin)
			lease.Release()
		})
	}
	wg.Wait()
	if err := p.Close(b.Context(), StopAll); err != nil {
		b.Error(err)
	}
	return waited
}

func middle(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
