package process

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/test/wait"
)

// BenchmarkColdStart measures the time from Start to the first good readyz of
// the real engine, with shim and isolation, for engines one after another. It
// needs the programs of "make build" in $SVC_BIN, and the frameworks in
// $SVC_FRAMEWORKS.
func BenchmarkColdStart(b *testing.B) {
	bin, frameworks := os.Getenv("SVC_BIN"), os.Getenv("SVC_FRAMEWORKS")
	if bin == "" || frameworks == "" {
		b.Skip("SVC_BIN and SVC_FRAMEWORKS say where the engine is")
	}
	for name, change := range map[string]func(*Options){
		"isolated": func(*Options) {},
		"landlock": func(o *Options) { o.Users.Off = true },
	} {
		b.Run(name, func(b *testing.B) {
			root := drivertest.TempDir(b)
			opts := Options{
				StateRoot: filepath.Join(root, "engines"), Command: []string{filepath.Join(bin, "svc-engine")},
				Shim: filepath.Join(bin, "svc-shim"), Frameworks: frameworks,
			}
			change(&opts)
			if err := os.MkdirAll(opts.StateRoot, 0o700); err != nil {
				b.Fatal(err)
			}
			d, err := New(opts)
			if err != nil {
				b.Fatal(err)
			}
			var took []time.Duration
			for b.Loop() {
				b.StopTimer()
				s := drivertest.NewSpec(b, root)
				b.StartTimer()
				began := time.Now()
				h, err := d.Start(b.Context(), s, nil)
				if err != nil {
					b.Fatal(err)
				}
				if err := awaitReady(b.Context(), s); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
				b.StopTimer()
				if err := d.Stop(b.Context(), h, time.Minute); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			slices.Sort(took)
			for _, q := range []int{50, 95} {
				b.ReportMetric(float64(took[(len(took)-1)*q/100])/float64(time.Millisecond), fmt.Sprintf("ms-p%d", q))
			}
			b.ReportMetric(0, "ns/op") // the mean says less
		})
	}
}

// awaitReady asks as often as it takes to see the moment.
func awaitReady(ctx context.Context, s driver.Spec) error {
	token, err := os.ReadFile(s.TokenFile)
	if err != nil {
		return err
	}
	client := engineclient.New(engineclient.Target{
		ProjectID: s.ProjectID, InstanceID: s.InstanceID, Network: "unix", Address: s.Socket, Token: string(token),
	})
	defer client.Close()
	ctx, cancel := wait.Within(ctx, wait.Patience)
	defer cancel()
	for ; ; time.Sleep(time.Millisecond) { // finer than wait.Poll: this is measured
		if _, err = client.Ready(ctx); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("waiting for the engine: %w", err)
		}
	}
}
