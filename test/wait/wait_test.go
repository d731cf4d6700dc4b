package wait

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// On a machine that is shared by three a wait lasts three times as long.
func TestPatienceCountsTheTimeTheMachineHad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := 1.0
		m := &meter{last: time.Now(), crowded: func() float64 { return shared }}
		pass := func(n int) {
			for range n {
				time.Sleep(100 * time.Millisecond)
				m.passed()
			}
		}
		pass(20)
		if m.had != 2*time.Second {
			t.Errorf("alone, 2 s counted as %s", m.had)
		}
		shared = 4
		pass(20)
		if m.had != 2*time.Second+500*time.Millisecond {
			t.Errorf("shared by four, 2 s counted as %s", m.had-2*time.Second)
		}
		time.Sleep(time.Hour) // the machine was asleep
		if got := m.passed() - 2500*time.Millisecond; got != longest/4 {
			t.Errorf("an hour in which nothing ran counted as %s", got)
		}
	})
}

func TestWaitsEndWhenWhatTheyWaitForNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := Poll(t.Context(), time.Second, func() bool { return false })
		if !errors.Is(err, errPatience) {
			t.Errorf("Poll: %v", err)
		}
		ctx, cancel := Within(t.Context(), time.Second)
		defer cancel()
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), errPatience) {
			t.Errorf("Within: %v", context.Cause(ctx))
		}
		ended, end := context.WithCancelCause(t.Context())
		end(errDone)
		if err := Poll(ended, time.Second, func() bool { return false }); !errors.Is(err, errDone) {
			t.Errorf("Poll after the end of its context: %v", err)
		}
	})
}

var errDone = errors.New("done")

// A wait on this machine ends: the meter runs on a real clock as well.
func TestMeterRunsOnThisMachine(t *testing.T) {
	if n := crowd(); n <= 0 {
		t.Errorf("%v programs want each processor; this one does", n)
	}
	m := newMeter()
	for m.passed() == 0 {
	}
}
