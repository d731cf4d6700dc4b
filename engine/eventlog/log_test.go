package eventlog

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
)

func add(t *testing.T, l *Log, eventType string, members map[string]any) uint64 {
	t.Helper()
	id, err := l.Append(api.Event{Type: eventType, JobID: "job_1", TS: time.Unix(0, 0), Members: members})
	if err != nil {
		t.Fatalf("Append: %v", err)
	}
	return id
}

func openAt(t *testing.T, path string, published bool) *Log {
	t.Helper()
	l, cut, err := Open(path, published)
	if err != nil || cut != 0 {
		t.Fatalf("Open: cut %d, %v", cut, err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestATerminalEventIsSeenOnceItIsPublished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	l := openAt(t, path, false)
	add(t, l, api.EventQueued, nil)
	_, before, _ := l.Read(1)
	if id := add(t, l, api.EventCompleted, nil); id != 2 {
		t.Errorf("terminal event has id %d", id)
	}
	select {
	case <-before.Changed:
		t.Error("the stored terminal event woke a reader")
	default:
	}
	for name, hidden := range map[string]*Log{"open": l, "opened again": openAt(t, path, false)} {
		records, state, err := hidden.Read(0)
		if err != nil || len(records) != 1 || state.Last != 1 || state.Ended || state.Changed == nil {
			t.Errorf("%s, hidden: %v, %+v, %v", name, records, state, err)
		}
	}
	if _, err := l.Append(api.Event{Type: api.EventWarning}); !errors.Is(err, ErrEnded) {
		t.Errorf("Append after the end: %v", err)
	}
	if err := l.Publish(); err != nil {
		t.Fatal(err)
	}
	<-before.Changed
	for name, shown := range map[string]*Log{"open": l, "opened again": openAt(t, path, true)} {
		records, state, err := shown.Read(1)
		if err != nil || len(records) != 1 || records[0].Type != api.EventCompleted || !state.Ended || state.Last != 2 {
			t.Errorf("%s, published: %v, %+v, %v", name, records, state, err)
		}
	}
}

func TestALongLogIsReadInPieces(t *testing.T) {
	l := openAt(t, filepath.Join(t.TempDir(), "events.jsonl"), false)
	for range 20 {
		add(t, l, api.EventAssistantDelta, map[string]any{"text": strings.Repeat("x", 40<<10)})
	}
	reads := 0
	for after := uint64(0); after < 20; reads++ {
		records, _, err := l.Read(after)
		if err != nil || len(records) == 0 {
			t.Fatalf("Read(%d): %d records, %v", after, len(records), err)
		}
		for _, rec := range records {
			if after++; rec.ID != after {
				t.Fatalf("event %d, want %d", rec.ID, after)
			}
		}
	}
	if reads < 2 {
		t.Errorf("800 KiB came in %d read", reads)
	}
	count := 0
	if err := l.Stored(func([]byte) error { count++; return nil }); err != nil || count != 20 {
		t.Errorf("Stored: %d events, %v", count, err)
	}
}

func TestLatestFindsTheNewestOfItsType(t *testing.T) {
	l := openAt(t, filepath.Join(t.TempDir(), "events.jsonl"), false)
	add(t, l, api.EventProgress, map[string]any{"percent": 10})
	add(t, l, api.EventProgress, map[string]any{"percent": 20})
	add(t, l, api.EventWarning, nil)
	if data, err := l.Latest(api.EventProgress); err != nil || !strings.Contains(string(data), `"percent":20`) {
		t.Errorf("Latest: %s, %v", data, err)
	}
	if data, err := l.Latest(api.EventUsage); err != nil || data != nil {
		t.Errorf("Latest of none: %s, %v", data, err)
	}
}

func TestAnEventThatIsTooLongIsNotStored(t *testing.T) {
	l := openAt(t, filepath.Join(t.TempDir(), "events.jsonl"), false)
	_, err := l.Append(api.Event{Type: api.EventWarning, Members: map[string]any{"text": strings.Repeat("x", api.MaxEventData)}})
	if !errors.Is(err, ErrTooLong) || l.Last() != 0 {
		t.Errorf("Append: %v, last %d", err, l.Last())
	}
}
