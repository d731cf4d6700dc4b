package settle

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// instant is a clock on which every wait is over at once, and counted.
type instant struct {
	now    time.Time
	waited time.Duration
}

func (c *instant) Now() time.Time { return c.now }

func (c *instant) AfterFunc(d time.Duration, f func()) func() bool {
	c.now, c.waited = c.now.Add(d), c.waited+d
	go f()
	return func() bool { return false }
}

// An engine that floods its feed is read at a bounded pace.
func TestFeedIsReadNoFasterThanItsRate(t *testing.T) {
	t.Parallel()
	c := &instant{now: time.Unix(1e9, 0)}
	f := &feeder{Settler: &Settler{Clock: c}, pace: rate.NewLimiter(feedRate, feedBurst)}
	deliver := func(records int) {
		t.Helper()
		for ; records > 0; records -= feedBatch {
			if err := f.keepPace(t.Context(), min(records, feedBatch)); err != nil {
				t.Fatal(err)
			}
		}
	}
	deliver(feedBurst)
	if c.waited != 0 {
		t.Errorf("what may have gathered waited for %s", c.waited)
	}
	deliver(10 * feedRate)
	if c.waited < 10*time.Second-time.Millisecond || c.waited > 10*time.Second+time.Millisecond {
		t.Errorf("%d more records waited for %s, want 10 s", 10*feedRate, c.waited)
	}
}

func TestBatchIsNeverLargerThanTheLedgerTakes(t *testing.T) {
	t.Parallel()
	const taken = 64 << 20 // bytes, by peer/rpc
	rec := contract.FeedRecord{Record: &contract.JobRecord{Progress: api.Progress{Message: strings.Repeat("<", 250<<10)}}}
	more := make(chan pulled, 2*feedBatch)
	for range cap(more) {
		more <- pulled{rec, 250 << 10} // the record has one byte a character, a call six
	}
	if raw, err := json.Marshal(contract.FeedBatch{Records: gather(<-more, more)}); err != nil || len(raw) > taken/2 {
		t.Errorf("a call of %d bytes, %v", len(raw), err)
	}
	small := make(chan pulled, 2*feedBatch)
	for range cap(small) {
		small <- pulled{bytes: 500}
	}
	if n := len(gather(<-small, small)); n != feedBatch {
		t.Errorf("%d small records are applied together, want %d", n, feedBatch)
	}
}
