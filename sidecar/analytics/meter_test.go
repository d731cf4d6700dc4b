package analytics_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
)

// wantMeters checks the rules of meters.
func (b *bench) wantMeters() {
	b.t.Helper()
	found, err := analytics.CheckMeters(b.t.Context(), b.address, func() (map[string]int64, error) { return b.seller.blocks(), nil })
	if err != nil || len(found) > 0 {
		b.t.Errorf("the meters break %q, %v", found, err)
	}
}

// custom returns a batch of so many custom events.
func custom(stream int, first int64, n int) play.Batch {
	return batchOf(stream, first, slices.Repeat([]string{"jump"}, n)...)
}

func TestNoEventIsKeptThatIsNotPaidAndSessionsAre(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.seller.can = 2
		const streams, batches, size = 50, 5, 20
		var all sync.WaitGroup
		for stream := range streams {
			all.Go(func() {
				b.record(batchOf(stream, 1, "session_start"))
				for i := range int64(batches) {
					b.record(custom(stream, 2+i*size, size))
				}
				b.record(batchOf(stream, 1000, "session_end"))
			})
		}
		all.Wait()
		o := b.overview(1)
		if o.Events["jump"] != 2000 || o.Dropped["unpaid"] != 3000 || o.Events["session_start"] != streams || o.Events["session_end"] != streams {
			t.Errorf("kept %v, dropped %v", o.Events, o.Dropped)
		}
		b.wantMeters()
		if answer := b.record(batchOf(1, 2000, "heartbeat")); answer != (play.Answer{Ack: 2000, Mode: play.ModeEssential, Retry: 60}) {
			t.Errorf("the answer is %+v", answer)
		}
		b.seller.topUp(1)
		b.now = b.now.Add(time.Minute)
		if answer := b.record(batchOf(1, 2001, "heartbeat")); answer.Mode != play.ModeFull {
			t.Errorf("after a top-up the answer is %+v", answer)
		}
		if b.record(custom(60, 1, 100)); b.overview(1).Events["jump"] != 2100 {
			t.Errorf("kept %v", b.overview(1).Events)
		}
		b.wantMeters()
	})
}

func TestBlockWhosePurchaseWasNotAnsweredIsBoughtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.seller.lost = 1
		batch := analytics.Arrival{Batch: custom(1, 1, 10), Class: analytics.ClassPublic}
		if _, err := b.Record(t.Context(), batch); err == nil {
			t.Error("a batch was recorded whose block is in doubt")
		}
		if n := b.overview(1).Total.Events; n != 0 {
			t.Errorf("%d events are kept", n)
		}
		b.wantMeters()
		b.close()
		b.open()
		b.record(batch.Batch)
		if n := b.overview(1).Total.Events; n != 10 || b.seller.blocks()[game] != 1 {
			t.Errorf("%d events are kept, %v blocks paid", n, b.seller.blocks())
		}
		b.wantMeters()
	})
}

func TestWhatIsFreeBuysNoBlock(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.record(batchOf(1, 1, "session_start", "heartbeat", "session_end"))
		b.recordAs(analytics.ClassOwner, custom(2, 1, 10))
		machine := custom(4, 1, 10)
		machine.Machine = true
		b.record(machine)
		if b.seller.asked != 0 {
			t.Errorf("a block was asked for %d times", b.seller.asked)
		}
		b.record(custom(5, 1, 10))
		b.record(custom(5, 1, 10)) // again
		if b.seller.asked != 1 {
			t.Errorf("a block was asked for %d times", b.seller.asked)
		}
		b.wantMeters()
		if o := b.overview(1); o.Total.Events != 13 {
			t.Errorf("the public has %+v", o.Total)
		}
	})
}

func TestMeterThatIsWrongIsFound(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.record(custom(1, 1, 10))
		found, err := analytics.CheckMeters(t.Context(), b.address, func() (map[string]int64, error) { return nil, nil })
		if want := fmt.Sprintf("[game %s was granted 1 blocks and paid 0]", game); err != nil || fmt.Sprint(found) != want {
			t.Errorf("found %v, %v, want %s", found, err, want)
		}
	})
}
