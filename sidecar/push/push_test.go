package push

import "testing"

func TestEveryWatcherIsHintedOnceHoweverOftenItIsNotified(t *testing.T) {
	var h Hub
	one, stopOne := h.Watch()
	two, stopTwo := h.Watch()
	defer stopTwo()
	h.Notify()
	h.Notify()
	for name, hints := range map[string]<-chan struct{}{"one": one, "two": two} {
		if len(hints) != 1 {
			t.Errorf("watcher %s has %d hints", name, len(hints))
		}
		<-hints
	}
	stopOne()
	h.Notify()
	if len(one) != 0 || len(two) != 1 {
		t.Errorf("after the stop: %d and %d hints", len(one), len(two))
	}
}
