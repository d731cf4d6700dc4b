package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
)

// maxReconnects is how many connections in a row may bring nothing before the
// status is polled instead.
const maxReconnects = 5

// Events yields the job's events with a sequence number above after, each
// once and in order, until the one that ends the job. It reconnects by itself.
// Where no stream can be had, five connections in a row, it polls the status
// and yields job.progress events made of it, with sequence number 0, and the
// terminal event. A stream.reset event says that the log starts anew.
//
// An error ends it: a refusal, or the end of ctx.
func (c *Client) Events(ctx context.Context, job Job, after uint64) iter.Seq2[api.Event, error] {
	return func(yield func(api.Event, error) bool) {
		f := follower{client: c, job: job, last: after, yield: yield}
		if err := f.follow(ctx); err != nil && !errors.Is(err, errStopped) {
			yield(api.Event{}, err)
		}
	}
}

// errStopped: whoever ranges over the events wants no more.
var errStopped = errors.New("stopped")

// follower is one walk along a job's log.
type follower struct {
	client *Client
	job    Job
	last   uint64 // the newest sequence number that was yielded
	yield  func(api.Event, error) bool
}

func (f *follower) follow(ctx context.Context) error {
	for failures := 0; failures < maxReconnects; {
		before := f.last
		ended, err := f.connect(ctx)
		switch {
		case ended:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("following job: %w", ctx.Err())
		case errors.Is(err, errStopped):
			return err
		case final(err):
			return fmt.Errorf("following job: %w", err)
		}
		delay := firstBackoff
		if f.last > before {
			failures = 0
		} else {
			delay = backoff(failures)
			failures++
		}
		if err := f.client.opts.Sleep(ctx, max(delay, retryAfter(err))); err != nil {
			return fmt.Errorf("following job: %w", err)
		}
	}
	return f.poll(ctx)
}

// final reports whether asking again can't help.
func final(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.StatusCode < 500 || misdirected(err)
}

// retryAfter returns how long the service asked to wait with a refusal, 0 for
// other errors and for none.
func retryAfter(err error) time.Duration {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.RetryAfter
	}
	return 0
}

// connect reads one stream to its end. ended says that the job's log ended.
func (f *follower) connect(ctx context.Context) (ended bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	header := http.Header{"Accept": {"text/event-stream"}}
	if f.last > 0 {
		header.Set("Last-Event-ID", strconv.FormatUint(f.last, 10))
	}
	idle := time.AfterFunc(f.client.opts.IdleLimit, cancel)
	defer idle.Stop()
	resp, err := f.client.send(ctx, http.MethodGet, f.job.path("events"), header, nil)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNoContent {
		return true, nil
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return false, fmt.Errorf("%w: %s: no event stream", ErrForeign, f.client.base.Redacted())
	}
	stream := sse.NewReader(&watched{Reader: resp.Body, seen: func() { idle.Reset(f.client.opts.IdleLimit) }})
	for {
		record, err := stream.Next()
		if err != nil {
			return false, err
		}
		event, err := decodeEvent(record)
		if err != nil {
			return false, err
		}
		switch {
		case event.Type == api.StreamClosing:
			return false, nil // the next connection learns why
		case event.Type == api.StreamReset:
			f.last = 0
		case event.Seq <= f.last:
			continue
		default:
			f.last = event.Seq
		}
		if !f.yield(event, nil) {
			return false, errStopped
		}
		if api.TerminalEvent(event.Type) {
			return true, nil
		}
	}
}

func decodeEvent(record sse.Record) (api.Event, error) {
	var event api.Event
	if err := json.Unmarshal(record.Data, &event); err != nil {
		return api.Event{}, fmt.Errorf("decoding event %d: %w", record.ID, err)
	}
	if event.Type == "" {
		event.Type = record.Type
	}
	return event, nil
}

// poll makes events of the job's record until it ends.
func (f *follower) poll(ctx context.Context) error {
	var seen api.Progress
	stopped := false
	err := f.client.poll(ctx, f.job, func(record api.Job) bool {
		if record.Progress != seen && !f.yield(progressEvent(record), nil) {
			stopped = true
			return true
		}
		seen = record.Progress
		if !record.Status.Terminal() {
			return false
		}
		f.yield(terminalEvent(record), nil)
		return true
	})
	switch {
	case stopped:
		return errStopped
	case err != nil:
		return fmt.Errorf("following job: %w", err)
	}
	return nil
}

func progressEvent(record api.Job) api.Event {
	return api.Event{
		Type: api.EventProgress, JobID: record.JobID, ProjectID: record.ProjectID,
		Members: map[string]any{
			"stage": string(record.Progress.Stage), "percent": float64(record.Progress.Percent),
			"message": record.Progress.Message,
		},
	}
}

// terminalEvent has what a record says of an end: not its summary, nor whether the game
// changed.
func terminalEvent(record api.Job) api.Event {
	event := api.Event{
		Type: api.TerminalEventOf(record.Status), Seq: record.LastEventID,
		JobID: record.JobID, ProjectID: record.ProjectID,
		Members: map[string]any{"status": string(record.Status)},
	}
	if record.FinishedAt != nil {
		event.TS = *record.FinishedAt
	}
	if f := record.Failure; f != nil {
		event.Members["failure"] = map[string]any{"code": string(f.Code), "message": f.Message}
	}
	if f := record.Files; f != nil {
		event.Members["files"] = map[string]any{"count": float64(f.Count), "bytes": float64(f.Bytes), "sha256": f.SHA256}
	}
	if len(record.Unmet) > 0 {
		phrases := make([]any, 0, len(record.Unmet))
		for _, wish := range record.Unmet {
			phrases = append(phrases, wish.Phrase)
		}
		event.Members["unmet"] = phrases
	}
	return event
}

// watched tells about every read that brought something.
type watched struct {
	io.Reader
	seen func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.seen()
	}
	return n, err
}
