// Package sse serves and reads a job's event log as server-sent events, with
// the resume rules of the service: everything after Last-Event-ID, then live,
// from one cursor on the log.
package sse

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/svc-games/svc/api"
)

// Record is one entry of an event log.
type Record struct {
	ID   uint64
	Type string
	Data []byte // one line of JSON
}

// Log is a job's append-only event log. A reader holds nothing but a cursor,
// so a slow one costs no memory.
type Log interface {
	// Read returns records with an id above after, in order; none when there
	// are none yet. last is the newest id; ended says that the log's last
	// record is the terminal one; changed is closed when the log grows.
	Read(after uint64) (records []Record, state State, err error)
}

// State is what a log looks like at the moment of a Read.
type State struct {
	Last    uint64
	Ended   bool
	Changed <-chan struct{} // nil for a log that no longer grows
}

// DefaultHeartbeat is the default of Options.Heartbeat.
const DefaultHeartbeat = 15 * time.Second

// FirstBlock begins every stream: how long a client waits before it connects
// again, which it must know before the first event.
const FirstBlock = ": ok\nretry: 2500\n\n"

// Options tune Serve.
type Options struct {
	// Heartbeat is the longest silence; default DefaultHeartbeat.
	Heartbeat time.Duration
}

// Serve answers GET …/events from log until the terminal record was sent, the
// client left. It never answers an error status: a browser's
// EventSource would give up for good.
func Serve(w http.ResponseWriter, r *http.Request, log Log, opts Options) error {
	if opts.Heartbeat <= 0 {
		opts.Heartbeat = DefaultHeartbeat
	}
	after, valid := Position(r)
	records, state, err := log.Read(after)
	if err != nil {
		return fmt.Errorf("reading event log: %w", err)
	}
	if valid && state.Ended && after >= state.Last {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	SetHeaders(w.Header())
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	w.WriteHeader(http.StatusOK)
	out := stream{w: w, flush: http.NewResponseController(w).Flush}
	if err := out.send(FirstBlock); err != nil {
		return nil
	}
	if !valid || after > state.Last {
		if err := out.event(0, api.StreamReset, []byte(`{"type":"stream.reset","reason":"unknown_id"}`)); err != nil {
			return nil
		}
		after = 0
		if records, state, err = log.Read(0); err != nil {
			return fmt.Errorf("reading event log: %w", err)
		}
	}
	return out.follow(r.Context(), log, after, records, state, opts)
}

// follow sends records, then waits for more, until the end. An error of the
// client's connection ends the stream without being reported.
func (s *stream) follow(ctx context.Context, log Log, after uint64, records []Record, state State, opts Options) error {
	beat := time.NewTicker(opts.Heartbeat)
	defer beat.Stop()
	for {
		for _, rec := range records {
			if err := s.event(rec.ID, rec.Type, rec.Data); err != nil {
				return nil
			}
			after = rec.ID
			if api.TerminalEvent(rec.Type) {
				return nil
			}
		}
		if len(records) == 0 {
			if state.Changed == nil {
				return nil
			}
			select {
			case <-ctx.Done():
				return nil
			case <-beat.C:
				if err := s.comment("hb"); err != nil {
					return nil
				}
				continue
			case <-state.Changed:
			}
		}
		var err error
		if records, state, err = log.Read(after); err != nil {
			return fmt.Errorf("reading event log: %w", err)
		}
	}
}

// SetHeaders sets the headers of an event stream. no-transform keeps Caddy's
// encode from compressing it.
func SetHeaders(h http.Header) {
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	h.Del("Content-Length")
}

// LastID returns the id of the last event that a client has seen, as it says:
// Last-Event-ID, else ?lastEventId=, else "".
func LastID(r *http.Request) string {
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		return id
	}
	return r.URL.Query().Get("lastEventId")
}

// Position returns where a request wants to resume: its LastID, 0 for none. It is
// invalid when that is not a number.
func Position(r *http.Request) (after uint64, valid bool) {
	s := LastID(r)
	if s == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

type stream struct {
	w     io.Writer
	flush func() error
}

func (s *stream) comment(text string) error { return s.send(": " + text + "\n\n") }

func (s *stream) send(block string) error {
	if _, err := io.WriteString(s.w, block); err != nil {
		return err
	}
	return s.flush()
}

func (s *stream) event(id uint64, eventType string, data []byte) error {
	var b []byte
	if id > 0 {
		b = fmt.Appendf(b, "id: %d\n", id)
	}
	b = append(b, "event: "+eventType+"\ndata: "...)
	b = append(b, data...)
	b = append(b, "\n\n"...)
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	return s.flush()
}
