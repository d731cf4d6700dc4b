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

// zeros is text without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
