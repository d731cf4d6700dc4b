package gateway

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/svc-games/svc/caddymodule/gateway/joblog"
)

func TestScannerPassesEventsOnAsTheyStandAndNothingElse(t *testing.T) {
	const one, two, three = "id: 1\nevent: job.started\ndata: {\"a\": 1}\n\n", "data:x\n\n", "id: 3\nevent: job.completed\ndata: a\ndata: b\n\n"
	s := newEventScanner(strings.NewReader("\n: ok\nretry: 2500\n\n" + one + ": hb\n\n" + two + three + "id: 4\ndata: half"))
	for _, want := range []joblog.Event{{ID: 1, Block: []byte(one)}, {Block: []byte(two)}, {ID: 3, Terminal: true, Block: []byte(three)}} {
		e, err := s.Next()
		if err != nil || e.ID != want.ID || e.Terminal != want.Terminal || e.Reset || !bytes.Equal(e.Block, want.Block) {
			t.Errorf("got %d %v %q, %v", e.ID, e.Terminal, e.Block, err)
		}
	}
	if e, err := s.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("of half an event there is %q, %v", e.Block, err)
	}
	if e, err := newEventScanner(bytes.NewReader([]byte(unknownID))).Next(); err != nil || !e.Reset {
		t.Errorf("%+v, %v", e, err)
	}
	endless := io.MultiReader(strings.NewReader("data: "), io.LimitReader(zeros{}, 2*maxEvent))
	if _, err := newEventScanner(endless).Next(); !errors.Is(err, errEventTooLong) {
		t.Errorf("an endless event: %v", err)
	}
}

func TestScannerGivesUpOnAStreamOfCommentsAlone(t *testing.T) {
	for _, text := range []string{": x\n\n", "\n", "retry: 1\n\n"} {
		const most = 1 << 20
		stream := io.LimitReader(&again{text: text}, most)
		if _, err := newEventScanner(stream).Next(); !errors.Is(err, errNoEvents) {
			t.Errorf("%q without an end: %v", text, err)
		}
	}
	// Between events it passes over as much each time.
	const one = "id: 1\ndata: x\n\n"
	beats := strings.Repeat(": hb\n\n", maxEvent/8)
	s := newEventScanner(strings.NewReader(strings.Repeat(beats+one, 4)))
	for range 4 {
		if e, err := s.Next(); err != nil || e.ID != 1 {
			t.Errorf("after heartbeats: %+v, %v", e, err)
		}
	}
}

// again is one text again and again.
type again struct {
	text string
	at   int
}

func (a *again) Read(p []byte) (int, error) {
	n := copy(p, a.text[a.at:])
	a.at = (a.at + n) % len(a.text)
	return n, nil
}

// zeros is text without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
