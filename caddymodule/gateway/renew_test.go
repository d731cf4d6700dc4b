package gateway

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap/zaptest"
)

func TestReservationIsRenewedAsLongAsItsSubmissionIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		side := &fakeSidecar{renewErr: errors.New("the sidecar restarts")}
		s := &Submitter{Sidecar: side, Deadline: 4 * time.Second, Logger: zaptest.NewLogger(t)}
		stop := s.renew(t.Context(), jobID)
		after := func(d time.Duration, want int32) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := side.renewals.Load(); got != want {
				t.Errorf("renewed %d times, want %d", got, want)
			}
		}
		after(999*time.Millisecond, 0) // most submissions have ended
		after(time.Millisecond, 1)
		after(3*time.Second, 4) // however often it fails
		stop()
		after(time.Hour, 4)
	})
}
