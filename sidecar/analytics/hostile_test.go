package analytics_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
)

// recordIfRead records a body as it comes from a browser, unless it is refused.
func (b *bench) recordIfRead(stream int, members string) {
	b.t.Helper()
	batch, err := play.ParseBatch(fmt.Appendf(nil, `{"v":1,"g":%q,"s":%q,%s}`, game, id(stream), members))
	if err != nil {
		return
	}
	if _, err := b.Record(b.t.Context(), analytics.Arrival{Batch: batch, Class: analytics.ClassPublic}); err != nil {
		b.t.Errorf("%s: %v", members, err)
	}
}

// TestNoNumberOfABatchOverflowsACount sends the highest and those next to them.
func TestNoNumberOfABatchOverflowsACount(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		stream := 0
		for _, n := range []int64{math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64 / 2, 1 << 53, 1 << 20} {
			for range 3 {
				stream++
				b.recordIfRead(stream, fmt.Sprintf(`"o":1000,"e":[[%d,0,"start",{}]]`, n))
			}
		}
		if o := b.overview(7); o.Total.Lost != 3*(1<<20-1) || o.Total.Plays != 3 {
			t.Errorf("counted %+v", o.Total)
		}
	})
}

// TestNoClockOfABatchMakesADayThatIsToCome sends times whose sum has no room in 64 bits,
// and then plays in the same streams.
func TestNoClockOfABatchMakesADayThatIsToCome(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		const days = 10 * 24 * 3600 * 1000 // ms
		for stream, clock := range [][2]int64{
			{math.MaxInt64, math.MaxInt64 - 1 - days}, {math.MaxInt64 - 1 - days, math.MaxInt64}, {math.MaxInt64, 0}, {0, math.MaxInt64},
		} {
			b.recordIfRead(stream, fmt.Sprintf(`"o":%d,"age":%d,"e":[[1,0,"start",{}]]`, clock[0], clock[1]))
			b.recordIfRead(stream, `"o":2000,"e":[[2,1000,"start",{}]]`)
		}
		if o := b.overview(7); o.Total.Plays != 4 {
			t.Errorf("this week has %+v", o.Total)
		}
		b.now = b.now.AddDate(0, 0, 11)
		if o := b.overview(7); o.Total.Sessions != 0 {
			t.Errorf("days that were to come have %+v", o.Total)
		}
	})
}
