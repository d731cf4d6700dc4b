package service

import (
	"fmt"
	"testing"
	"time"
)

func TestKeysOfLongAgoTakeNoMemory(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	l := &lastUsed{
		now: func() time.Time { return now }, wake: make(chan struct{}, 1),
		noted: make(map[string]time.Time), pending: make(map[string]time.Time),
	}
	const each = 10 // keys a second, none of which is used twice but one
	for i := range 600 {
		for n := range each {
			l.note(fmt.Sprintf("key-%d-%d", i, n))
		}
		l.note("always")
		uses := l.take()
		if _, again := uses["always"]; again != (i%60 == 0) {
			t.Errorf("after %d s a use is noted again: %v", i, again)
		}
		if want := each; len(uses) != want && len(uses) != want+1 {
			t.Fatalf("%d uses are to be written", len(uses))
		}
		if most := 2 * 60 * (each + 1); len(l.noted) > most {
			t.Fatalf("after %d s %d keys are kept, want at most %d", i, len(l.noted), most)
		}
		now = now.Add(time.Second)
	}
}
