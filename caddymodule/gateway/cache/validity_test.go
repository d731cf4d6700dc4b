package cache

import (
	"sync"
	"testing"
)

// TestALookUpThatBeginsDuringAnInvalidationIsNotOvertakenByIt: 20 of 12,000 requests once
// failed at the activation of a policy, on a machine that was busy.
func TestALookUpThatBeginsDuringAnInvalidationIsNotOvertakenByIt(t *testing.T) {
	e := newEpochs()
	stop := make(chan bool)
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				e.invalidateAll()
				e.invalidate(3)
			}
		}
	})
	for range 200_000 {
		for _, shard := range []uint64{0, 3, shards - 1} {
			if last := e.last[shard].Load(); last > e.now() {
				t.Errorf("the group is of epoch %d, a look-up that begins now of one before", last)
			}
		}
		if t.Failed() {
			break
		}
	}
	close(stop)
	done.Wait()
}
