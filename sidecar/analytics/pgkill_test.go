package analytics_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/wait"
)

// TestWhatIsAcknowledgedOutlivesAKilledPostgreSQL ends the server as a crash would, 50
// times in a long run, while players send again what failed.
func TestWhatIsAcknowledgedOutlivesAKilledPostgreSQL(t *testing.T) {
	b := onPostgres(t)
	b.address = postgrestest.URL(t) // which waits for the disk
	b.open()
	defer b.close()
	kills := 3
	if long.Asked() {
		kills = 50
	}
	const players = 4
	var over atomic.Bool
	var answers atomic.Int64
	var wg sync.WaitGroup
	last := make([]int, players) // streams of each that were acknowledged
	for i := range players {
		wg.Go(func() {
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for !over.Load() {
				batch := custom(i*1_000_000+last[i], 1, 90)
				if _, err := b.Record(t.Context(), analytics.Arrival{Batch: batch, Class: analytics.ClassPublic}); err == nil {
					last[i]++
					answers.Add(1)
				}
				<-tick.C
			}
		})
	}
	for range kills {
		before := answers.Load()
		wait.Until(t, "players are answered", func() bool { return answers.Load() > before+2*players })
		postgrestest.Stop(t)
		postgrestest.Start(t)
	}
	over.Store(true)
	wg.Wait()
	kept := b.kept()
	for i := range players {
		for n := range last[i] {
			events := kept[id(i*1_000_000+n)]
			if len(events) != 90 || events[0].Seq != 1 || events[89].Seq != 90 {
				t.Fatalf("stream %d of player %d has %d events", n, i, len(events))
			}
		}
	}
	b.wantMeters()
}
