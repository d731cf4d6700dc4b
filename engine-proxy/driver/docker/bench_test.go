package docker

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// BenchmarkColdStart measures how long the real engine takes to its first
// answer, made by the driver and, in turn with it, by a plain "docker run" of
// the same image. It reports both medians and their ratio.
func BenchmarkColdStart(b *testing.B) {
	daemon := dockertest.Shared(b)
	build := exec.Command("scripts/engine-image", "slim")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "DOCKER_HOST="+daemon.Host)
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("building the image: %v\n%s", err, out)
	}
	bed := newBedOn(b, daemon, func(o *Options) { o.Image, o.Env = DefaultImage, nil })
	ways := map[string]func(driver.Spec){
		"driver": func(s driver.Spec) { bed.start(b, s) },
		"plain":  func(s driver.Spec) { plainRun(b, daemon, s) },
	}
	times := make(map[string][]time.Duration)
	for i := 0; b.Loop(); i++ {
		for _, way := range []string{"driver", "plain"} {
			s := bed.spec(b)
			begin := time.Now()
			ways[way](s)
			bed.listening(b, s)
			if i > 0 { // the first start of all reads the image from disk
				times[way] = append(times[way], time.Since(begin))
			}
			b.StopTimer()
			if out, err := dockerCommand(daemon, "rm", "--force", name(s.InstanceID)).CombinedOutput(); err != nil {
				b.Fatalf("removing: %v\n%s", err, out)
			}
			b.StartTimer()
		}
	}
	if len(times["plain"]) == 0 {
		return
	}
	driven, plain := median(times["driver"]), median(times["plain"])
	b.ReportMetric(float64(driven.Milliseconds()), "driver-ms")
	b.ReportMetric(float64(plain.Milliseconds()), "docker-run-ms")
	b.ReportMetric(float64(driven)/float64(plain), "ratio")
}

// plainRun starts the same engine as someone would by hand: nothing is taken
// from the container but the network, which the driver's has not got either.
func plainRun(b *testing.B, daemon *dockertest.Daemon, s driver.Spec) {
	b.Helper()
	args := append([]string{
		"run", "--detach", "--name", name(s.InstanceID), "--network", "none", "--user", "0:0",
		"--volume", s.Volume + ":" + driverkit.InsideVolume, "--volume", filepath.Dir(s.Socket) + ":" + insideRun,
		"--volume", s.TokenFile + ":" + insideToken, DefaultImage,
	}, arguments(s, Options{})...)
	if out, err := dockerCommand(daemon, args...).CombinedOutput(); err != nil {
		b.Fatalf("docker run: %v\n%s", err, out)
	}
}

func dockerCommand(daemon *dockertest.Daemon, args ...string) *exec.Cmd {
	cmd := exec.Command("docker", args...)
	cmd.Env = append(os.Environ(), "DOCKER_HOST="+daemon.Host)
	return cmd
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
