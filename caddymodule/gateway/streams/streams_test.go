package streams

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/sse"
)

// open opens a stream of a key.
func open(t *testing.T, g *Registry, keyID string) *Stream {
	t.Helper()
	s, err := g.Open(Reader{KeyID: keyID, ProjectID: "p"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEndingAReaderEndsItsStreamsAndNoOther(t *testing.T) {
	var g Registry
	one, two, other := open(t, &g, "k"), open(t, &g, "k"), open(t, &g, "l")
	if readers := g.ReadersOf("k"); len(readers) != 1 || readers[0] != (Reader{KeyID: "k", ProjectID: "p"}) {
		t.Errorf("the key's readers are %v", readers)
	}
	g.CloseReader(Reader{KeyID: "k", ProjectID: "p"}, ReasonKeyRevoked)
	g.CloseReader(Reader{KeyID: "k", ProjectID: "p"}, ReasonShutdown) // the first reason stays
	for _, s := range []*Stream{one, two} {
		if reason := <-s.Closing(); reason != ReasonKeyRevoked {
			t.Errorf("reason is %s", reason)
		}
	}
	if len(other.Closing()) != 0 {
		t.Error("another key's stream was ended")
	}
	g.CloseAll(ReasonShutdown)
	if reason := <-other.Closing(); reason != ReasonShutdown {
		t.Errorf("reason is %s", reason)
	}
	for _, s := range []*Stream{one, two, other} {
		s.Done()
	}
	if g.Len() != 0 || len(g.ReadersOf("k")) != 0 {
		t.Errorf("%d streams are left", g.Len())
	}
}

// A walk over the streams of all keys took four seconds.
func TestReadersOfAKeyAreFoundAtOnceAmongManyOthers(t *testing.T) {
	var g Registry
	for i := range 20_000 {
		open(t, &g, fmt.Sprint(i))
	}
	start := time.Now()
	for range 10_000 {
		if got := g.ReadersOf("7"); len(got) != 1 || got[0].KeyID != "7" {
			t.Fatalf("got %v, want the reader of key 7 alone", got)
		}
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("10,000 look-ups took %v", took)
	}
}

func TestAStreamThatOpensWhileTheServiceStopsIsEndedToo(t *testing.T) {
	var g Registry
	g.CloseAll(ReasonShutdown)
	late := open(t, &g, "k")
	defer late.Done()
	select {
	case reason := <-late.Closing():
		if reason != ReasonShutdown {
			t.Errorf("reason is %s", reason)
		}
	default:
		t.Error("it was not ended: the stop would wait for it")
	}
}

func TestAStreamThatEndsBeforeItsFirstEventIsAStreamAllTheSame(t *testing.T) {
	rec := httptest.NewRecorder()
	w := NewWriter(t.Context(), rec, nil)
	w.End(ReasonShutdown)
	w.Header().Set("Svc-Instance-Id", "i") // of an answer that came too late
	w.WriteHeader(http.StatusNotFound)
	w.Conclude()
	w.Conclude()
	if got := rec.Body.String(); rec.Code != http.StatusOK || strings.Count(got, `"reason":"shutdown"`) != 1 || !strings.HasSuffix(got, "\n\n") {
		t.Errorf("the client has %d %q", rec.Code, got)
	}
	// A browser gives up for good on what is no event stream.
	if h := rec.Result().Header; h.Get("Content-Type") != "text/event-stream" || h.Get("Svc-Instance-Id") != "" {
		t.Errorf("the client got %v", h)
	}
	if _, err := w.Write([]byte("data: {}\n\n")); err == nil {
		t.Error("a write after the end was accepted")
	}
}

// write sends pieces and returns what the client has after each.
func write(t *testing.T, w *Writer, rec *httptest.ResponseRecorder, pieces ...string) string {
	t.Helper()
	sse.SetHeaders(w.Header())
	for _, p := range pieces {
		if n, err := w.Write([]byte(p)); err != nil || n != len(p) {
			t.Fatalf("writing %q: %d, %v", p, n, err)
		}
	}
	return rec.Body.String()
}

func TestEventsArePassedOnWholeHoweverTheyAreCut(t *testing.T) {
	const stream = ": ok\n\nid: 1\nevent: a\ndata: {}\n\nid: 2\nevent: b\ndata: {\"x\":1}\n\n"
	for size := 1; size <= len(stream); size++ {
		rec := httptest.NewRecorder()
		w := NewWriter(t.Context(), rec, nil)
		for at := 0; at < len(stream); at += size {
			got := write(t, w, rec, stream[at:min(at+size, len(stream))])
			if got != "" && !strings.HasSuffix(got, "\n\n") {
				t.Fatalf("pieces of %d: the client has half an event: %q", size, got)
			}
		}
		if rec.Body.String() != stream {
			t.Errorf("pieces of %d: the client has %q", size, rec.Body)
		}
	}
}

func TestTheEndComesBetweenEventsAndIsTheLast(t *testing.T) {
	rec := httptest.NewRecorder()
	w := NewWriter(t.Context(), rec, nil)
	write(t, w, rec, "id: 1\ndata: {}\n\n", "id: 2\nda")
	w.End(ReasonKeyRevoked)
	w.End(ReasonShutdown)
	const want = "id: 1\ndata: {}\n\nevent: stream.closing\ndata: {\"type\":\"stream.closing\",\"reason\":\"key_revoked\"}\n\n"
	if got := rec.Body.String(); got != want {
		t.Errorf("the client has %q", got)
	}
	if _, err := w.Write([]byte("ta: {}\n\n")); err == nil {
		t.Error("a write after the end was accepted")
	}
	if rec.Body.String() != want || !w.Ended() {
		t.Errorf("after the end the client has %q", rec.Body)
	}
}

func TestAnAnswerThatIsNoEventStreamDoesNotReachTheClient(t *testing.T) {
	rec := httptest.NewRecorder()
	w := NewWriter(t.Context(), rec, nil)
	w.Header().Set("Location", "https://example.com/")
	w.WriteHeader(http.StatusFound)
	if _, err := io.WriteString(w, "elsewhere\n\n"); err == nil {
		t.Error("its body was taken")
	}
	if err := w.FlushError(); err != nil || rec.Flushed {
		t.Errorf("a flush: %v, and the client has a header: %v", err, rec.Flushed)
	}
	if _, again := w.Resume(); again || w.Started() {
		t.Error("the client has an answer")
	}
	if got := write(t, w, rec, "data: 1\n\n"); got != "data: 1\n\n" || rec.Code != http.StatusOK || rec.Header().Get("Location") != "" {
		t.Errorf("of the next source the client got %d %v %q", rec.Code, rec.Header(), got)
	}
}

func TestAnEndlessEventIsRefused(t *testing.T) {
	w := NewWriter(t.Context(), httptest.NewRecorder(), nil)
	sse.SetHeaders(w.Header())
	if _, err := w.Write([]byte(strings.Repeat("x", maxBlock+1))); err == nil {
		t.Error("it was kept")
	}
}

// gate is closed until a test opens it.
type gate struct{ open chan struct{} }

func (g gate) Fresh() bool {
	select {
	case <-g.open:
		return true
	default:
		return false
	}
}

func (g gate) AwaitFresh(ctx context.Context) error {
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestDeliveryPausesWhileTheGateIsClosed(t *testing.T) {
	rec := httptest.NewRecorder()
	g := gate{make(chan struct{})}
	w := NewWriter(t.Context(), rec, g)
	sse.SetHeaders(w.Header())
	wrote := make(chan error)
	go func() {
		_, err := w.Write([]byte("data: 1\n\n"))
		wrote <- err
	}()
	select {
	case err := <-wrote:
		t.Fatalf("the write returned %v while the gate was closed", err)
	default:
	}
	close(g.open)
	if err := <-wrote; err != nil || rec.Body.String() != "data: 1\n\n" {
		t.Errorf("%v, %q", err, rec.Body)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	left := NewWriter(gone, httptest.NewRecorder(), gate{make(chan struct{})})
	if _, err := left.Write([]byte("data: 1\n\n")); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that left: %v", err)
	}
}

func TestTheEndOfAJobIsReportedBeforeItsTerminalEventIsPassedOn(t *testing.T) {
	rec := httptest.NewRecorder()
	w := NewWriter(t.Context(), rec, nil)
	sse.SetHeaders(w.Header())
	reported := -1
	w.Final = func() { reported = rec.Body.Len() }
	first := "id: 1\nevent: job.started\ndata: {}\n\n"
	if _, err := io.WriteString(w, first); err != nil || reported != -1 {
		t.Fatalf("after the first event: reported at %d, %v", reported, err)
	}
	if _, err := io.WriteString(w, "id: 2\nevent: job.completed\ndata: {}\n\n"); err != nil || reported != len(first) {
		t.Errorf("reported when %d bytes were passed on, %v; want %d", reported, err, len(first))
	}
}
