package joblog

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestATurnThatTakesLongHoldsUpNoOther: clients that take nothing, and all readers at once
// when the engine is gone and each asks where the rest of the log is.
func TestATurnThatTakesLongHoldsUpNoOther(t *testing.T) {
	for name, tc := range map[string]struct {
		turns, long int64
		within      time.Duration
	}{
		"none":  {1000, 0, 0},
		"one":   {1000, 1, turnPatience},
		"three": {1000, 3, 2 * turnPatience},
		"all":   {5000, 5000, 13 * turnPatience},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var begun, ended atomic.Int64
				goOn := make(chan struct{})
				all := make([]func(), tc.turns)
				for i := range all {
					all[i] = func() {
						if begun.Add(1) <= tc.long {
							<-goOn
						}
						ended.Add(1)
					}
				}
				take(all)
				time.Sleep(tc.within)
				synctest.Wait()
				if begun, ended := begun.Load(), ended.Load(); begun != tc.turns || ended != tc.turns-tc.long {
					t.Errorf("after %v %d of %d turns have begun, and %d are over", tc.within, begun, tc.turns, ended)
				}
				close(goOn)
				synctest.Wait()
				if ended := ended.Load(); ended != tc.turns {
					t.Errorf("%d of %d turns were taken", ended, tc.turns)
				}
			})
		})
	}
}
