package bench

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/svc-games/svc/test/rig"
)

// starts measures what becomes of many engines that are wanted at once. That
// as many start together as there are cores is a matter inside the engine
// proxy, and so is the benchmark that compares it with all at once.
func (r *report) starts() {
	if !r.full {
		return // it needs the frameworks, which a clean clone has not
	}
	m := r.benchmark("./engine-proxy/fleet", "BenchmarkTwentyFourStartsAtOnce", rounds, "last-s", "unlimited-last-s", "ratio", "median-s")
	s := r.section("Many starts", "24 cold projects of 4 owners submitted to at once, real engines, as many starts at a time as is standard and in turn "+
		"with it all at a time; medians of the rounds.", "", "standard", "all at once", "budget", "")
	s.row("the last engine is ready", fmt.Sprintf("%.2f s", m["last-s"]), fmt.Sprintf("%.2f s", m["unlimited-last-s"]), "1.2 times all at once",
		verdict(s.kept("the last engine is ready", share(m["ratio"], 1.2))))
	s.row("the median wait", fmt.Sprintf("%.2f s", m["median-s"]), "", "3 s", verdict(s.kept("the median wait", share(m["median-s"], 3))))
}

// containers measures how long an engine in a container takes to its first
// answer, made by the driver and, in turn with it, by the command docker.
func (r *report) containers() {
	if !r.full {
		return // it needs a Docker daemon
	}
	m := r.benchmark("./engine-proxy/driver/docker", "BenchmarkColdStart", 2*rounds, "driver-ms", "docker-run-ms", "ratio")
	s := r.section("Cold start with Docker", "From the order to the first answer of the real engine in the image svc-engine:slim, confined by the driver and, in "+
		"turn with it, by a plain docker run; medians.", "", "driver", "docker run", "budget", "")
	s.row("the engine answers", fmt.Sprintf("%.0f ms", m["driver-ms"]), fmt.Sprintf("%.0f ms", m["docker-run-ms"]), "1.5 times docker run",
		verdict(s.kept("the engine answers", share(m["ratio"], 1.5))))
}

// benchmark runs a Go benchmark and returns what it reported, by unit. All units
// must be there.
func (r *report) benchmark(pkg, name string, times int, units ...string) map[string]float64 {
	t := r.t
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-run", "^$", "-bench", "^"+name+"$", "-benchtime", fmt.Sprintf("%dx", times), pkg)
	cmd.Dir = rig.Root(t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("running %s: %v\n%s", name, err, out)
	}
	m := benchmarked(string(out))
	for _, unit := range units {
		if m[unit] <= 0 {
			t.Fatalf("%s did not report %s:\n%s", name, unit, out)
		}
	}
	return m
}

// benchmarked returns what a Go benchmark reported, by unit.
func benchmarked(out string) map[string]float64 {
	m := make(map[string]float64)
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		for i := 2; i+1 < len(fields); i += 2 {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				m[fields[i+1]] = v
			}
		}
	}
	return m
}
