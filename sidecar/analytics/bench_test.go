package analytics_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

// fives is how many batches a stream of the benchmark has: as many events as it may.
const fives = play.MaxStreamEvents / 5

// BenchmarkBatchesOfFiveEventsAreReadAndKept counts events whose answer says that they
// outlive a crash. Divide by the processors that it had.
func BenchmarkBatchesOfFiveEventsAreReadAndKept(b *testing.B) {
	for name, address := range map[string]func() string{
		"SQLite":     func() string { return filepath.Join(b.TempDir(), analytics.File) },
		"PostgreSQL": func() string { return postgrestest.URL(b) },
	} {
		b.Run(name, func(b *testing.B) {
			log := &bench{t: b, now: noon, address: address(), seller: &seller{can: 1 << 30, paid: make(map[int64]bool)}}
			log.open()
			defer log.close()
			var streams atomic.Int64
			b.SetParallelism(32)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				stream := streams.Add(1)
				for n := int64(0); pb.Next(); n++ {
					if n == fives {
						stream, n = streams.Add(1), 0
					}
					batch, err := play.ParseBatch(fiveEvents(stream, n*5+1))
					if err != nil {
						b.Error(err)
						return
					}
					answer, err := log.Record(b.Context(), analytics.Arrival{Batch: batch, Class: analytics.ClassPublic})
					if err != nil || answer.Ack != n*5+5 || answer.Mode != play.ModeFull {
						b.Errorf("%+v, %v", answer, err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N*5)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// fiveEvents is the body of a batch.
func fiveEvents(stream, first int64) []byte {
	events := make([]string, 5)
	for i := range events {
		seq := first + int64(i)
		events[i] = fmt.Sprintf(`[%d,%d,"score",{"score":%d,"n":%d}]`, seq, seq*100, seq*40, seq)
	}
	return fmt.Appendf(nil, `{"v":1,"k":"pk-","g":%q,"b":%q,"s":"%032x","p":"%032x","o":%d,"act":%d,"e":[%s]}`,
		game, build, stream, stream, first*100+1000, first*100, strings.Join(events, ","))
}
