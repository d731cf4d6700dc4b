package service

import (
	"testing"
	"time"
)

// TestAJumpOfTheClockIsNoTimeThatPassed: the steady reading that Go puts into a time would
// hide it.
func TestAJumpOfTheClockIsNoTimeThatPassed(t *testing.T) {
	var j jumps
	now := time.Now()
	for _, look := range []struct{ passed, ahead, want time.Duration }{
		{0, 0, 0}, {time.Hour, 0, 0}, {time.Minute, 24 * time.Hour, 24 * time.Hour}, {time.Minute, 24 * time.Hour, 0},
		{time.Minute, -24 * time.Hour, -48 * time.Hour}, {time.Minute, 0, 24 * time.Hour},
	} {
		now = now.Add(look.passed)
		if by := j.by(now.Add(look.ahead), now); by != look.want {
			t.Errorf("after %s, %s ahead: it jumped by %s, want %s", look.passed, look.ahead, by, look.want)
		}
	}
}
