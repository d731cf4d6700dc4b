package gateway

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/caddymodule/gateway/joblog"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/sidecar"
)

// maxSilence is how long an engine may send nothing, before its answer and in it: one that
// lives sends a comment each sse.DefaultHeartbeat.
const maxSilence = 3 * sse.DefaultHeartbeat

// maxEngineHeader bounds the header of an engine's answer, in bytes.
const maxEngineHeader = 16 << 10

// EngineEvents is where the events of jobs that run come from: their engines.
type EngineEvents struct {
	Engines engineproxy.Engines
	Sidecar sidecar.Service
}

// Open implements joblog.Source. It starts no engine.
func (s *EngineEvents) Open(ctx context.Context, job joblog.Job, after uint64) (joblog.Events, error) {
	lease, err := s.Engines.Attach(ctx, job.ProjectID)
	if err != nil {
		return nil, fmt.Errorf("attaching to the engine: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	silence := time.AfterFunc(maxSilence, cancel)
	end := func() {
		silence.Stop()
		cancel()
		lease.Release()
	}
	resp, err := askForEvents(ctx, lease, job, after)
	if err != nil {
		end()
		return nil, err
	}
	body := readFunc(func(p []byte) (int, error) {
		n, err := resp.Body.Read(p)
		silence.Reset(maxSilence)
		return n, err
	})
	return &engineEvents{newEventScanner(body), resp, end}, nil
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// askForEvents opens a connection of its own, which ends with the answer: an engine is
// followed once for all readers. Of an engine, which is hostile, nothing but events
// is taken, nor anything of another one that has the address now.
func askForEvents(ctx context.Context, lease *engineproxy.Lease, job joblog.Job, after uint64) (*http.Response, error) {
	way := &http.Transport{
		DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxEngineHeader,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			d := net.Dialer{Timeout: dialTimeout}
			return d.DialContext(ctx, lease.Network, lease.Address)
		},
	}
	resp, err := way.RoundTrip(eventsRequest(lease.Token, job, after).WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("asking the engine for events: %w", err)
	}
	if err := checkEvents(resp, lease.InstanceID); err != nil {
		_ = resp.Body.Close() // nobody reads it
		return nil, err
	}
	return resp, nil
}

// eventsRequest has what the contract names, and nothing of a client.
func eventsRequest(token string, job joblog.Job, after uint64) *http.Request {
	header := http.Header{
		"Authorization": {"Bearer " + token},
		"Accept":        {"text/event-stream"},
		"User-Agent":    {""}, // none
	}
	if after > 0 {
		header.Set("Last-Event-ID", strconv.FormatUint(after, 10))
	}
	return &http.Request{
		Method: http.MethodGet, Host: "engine", Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		URL: &url.URL{
			Scheme: "http", Host: "engine", Path: "/v1/generate/" + job.ID + "/events",
			RawQuery: "projectId=" + url.QueryEscape(job.ProjectID),
		},
	}
}

// checkEvents returns why an answer is none of the instance that was asked, or no
// events.
func checkEvents(resp *http.Response, instance string) error {
	if got := resp.Header.Get(contract.HeaderInstance); instance != "" && got != instance {
		return errors.New("another engine instance answered")
	}
	if resp.StatusCode == http.StatusNoContent {
		return joblog.ErrNoMore
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" for one that can't be read
	if resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		return fmt.Errorf("the engine answered a request for events with status %d", resp.StatusCode)
	}
	return nil
}

// engineEvents is an engine's answer.
type engineEvents struct {
	*eventScanner

	resp    *http.Response
	release func()
}

// Close implements joblog.Events.
func (e *engineEvents) Close() {
	_ = e.resp.Body.Close() // what is left is asked for again
	e.release()
}

// Await implements joblog.Source: it waits for the engine, for the job's end, or for a
// heartbeat's time, and reads the job again.
func (s *EngineEvents) Await(ctx context.Context, job joblog.Job) (goOn bool) {
	wait, done := context.WithTimeout(ctx, sse.DefaultHeartbeat)
	defer done()
	ended := make(chan struct{})
	var bug error // is the caller's, which nobody else would recover
	go func() {
		defer close(ended)
		defer func() {
			if p := recover(); p != nil {
				bug = fmt.Errorf("%v\n%s", p, debug.Stack())
				done()
			}
		}()
		if _, err := s.Sidecar.AwaitEnd(wait, job.ID); err == nil {
			done()
		}
	}()
	// Its error is the wait's end; either way the job and the engine are
	// looked at again.
	_ = s.Engines.AwaitReady(wait, job.ProjectID)
	done()
	<-ended
	if bug != nil {
		panic(bug)
	}
	now, err := s.Sidecar.Job(ctx, job.ID)
	return !errors.Is(err, sidecar.ErrUnknownJob) && (err != nil || !now.Settled)
}

// maxEvent bounds an event that is read, in bytes: one has at most api.MaxEventData
// and its envelope.
const maxEvent = 4 * api.MaxEventData

var (
	errEventTooLong = errors.New("an event is longer than the contract allows")
	errNoEvents     = errors.New("the engine sends much, and no events")
)

// eventScanner reads the events of an event stream as they stand there. What is none, like
// a comment, is passed over: maxEvent bytes of it in a row, days of heartbeats. More is
// of an engine that has it read at full speed for nobody.
type eventScanner struct {
	r     *bufio.Reader
	block []byte
}

// newEventScanner returns a scanner of the stream r.
func newEventScanner(r io.Reader) *eventScanner { return &eventScanner{r: bufio.NewReader(r)} }

// Next returns the next whole event, io.EOF at the end of the stream.
func (s *eventScanner) Next() (joblog.Event, error) {
	for passed := 0; passed <= maxEvent; passed += len(s.block) {
		e, is, err := s.next()
		if err != nil {
			return joblog.Event{}, err
		}
		if is {
			e.Block = bytes.Clone(s.block)
			return e, nil
		}
	}
	return joblog.Event{}, errNoEvents
}

// next reads a block.
func (s *eventScanner) next() (e joblog.Event, is bool, err error) {
	s.block = s.block[:0]
	for begin := 0; ; {
		part, err := s.r.ReadSlice('\n')
		s.block = append(s.block, part...)
		switch {
		case len(s.block) > maxEvent:
			return joblog.Event{}, false, errEventTooLong
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return joblog.Event{}, false, err
		}
		line := s.block[begin : len(s.block)-1]
		if len(line) == 0 {
			return e, is, nil
		}
		begin = len(s.block)
		is = readField(&e, line) || is
	}
}

// readField notes a line of an event. It returns false for one that makes no event.
func readField(e *joblog.Event, line []byte) bool {
	name, value, _ := bytes.Cut(line, []byte(": "))
	switch string(name) {
	case "id":
		if id, err := strconv.ParseUint(string(value), 10, 64); err == nil {
			e.ID = id
		}
	case "event":
		e.Terminal = e.Terminal || api.TerminalEvent(string(value))
		e.Reset = e.Reset || string(value) == api.StreamReset
	case "data":
	default:
		return bytes.HasPrefix(line, []byte("data:"))
	}
	return true
}

// Interface guards
var (
	_ joblog.Source = (*EngineEvents)(nil)
	_ joblog.Events = (*engineEvents)(nil)
)
