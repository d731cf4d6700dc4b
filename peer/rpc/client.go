package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/svc-games/svc/peer"
)

// Client makes the calls of a Server with the same path and codes. It is safe
// for concurrent use.
type Client struct {
	peer  http.RoundTripper
	name  string
	path  string
	codes Codes
}

// NewClient returns a client. name is what errors call the other end, "the
// sidecar" for one.
func NewClient(peer http.RoundTripper, name, path string, codes Codes) *Client {
	return &Client{peer: peer, name: name, path: path, codes: codes}
}

// Call makes a call that may safely be made twice: it is, when a kept
// connection turns out to be dead.
func Call[Res any](ctx context.Context, c *Client, name string, req any) (Res, error) {
	return call[Res](ctx, c, name, req, true)
}

// CallOnce makes a call that must not be made twice.
func CallOnce[Res any](ctx context.Context, c *Client, name string, req any) (Res, error) {
	return call[Res](ctx, c, name, req, false)
}

func call[Res any](ctx context.Context, c *Client, name string, req any, twice bool) (Res, error) {
	var into Res
	body, err := c.Open(ctx, name, req, twice)
	if err != nil {
		return into, err
	}
	defer body.Close()
	if err := decode(body, &into); err != nil {
		return into, c.lost(ctx, name, fmt.Errorf("reading the answer: %w", err), true)
	}
	return into, nil
}

// Open sends a call and returns the body of its answer, which the caller
// closes, or the call's error.
func (c *Client) Open(ctx context.Context, name string, req any, twice bool) (io.ReadCloser, error) {
	sent, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("encoding %s for %s: %w", name, c.name, err)
	}
	var written atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { written.Store(false) },
		WroteRequest: func(w httptrace.WroteRequestInfo) { written.Store(w.Err == nil) },
	})
	r, err := http.NewRequestWithContext(traced, http.MethodPost, "http://peer"+c.path+"/"+name, bytes.NewReader(sent))
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", c.name, err)
	}
	r.Header.Set("Content-Type", "application/json")
	peer.SetRequest(ctx, r.Header)
	if twice {
		// Not sent: it tells http.Transport that the request can be repeated.
		r.Header["Idempotency-Key"] = nil
	}
	res, err := c.peer.RoundTrip(r)
	if err != nil {
		return nil, c.lost(ctx, name, err, written.Load())
	}
	if res.StatusCode == http.StatusOK {
		return res.Body, nil
	}
	defer res.Body.Close()
	return nil, c.failure(ctx, name, res)
}

// failure reads the error of a call.
func (c *Client) failure(ctx context.Context, name string, res *http.Response) error {
	if res.StatusCode != statusFailed {
		text, err := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		if err != nil {
			return c.lost(ctx, name, err, true)
		}
		return c.lost(ctx, name, fmt.Errorf("status %d: %s", res.StatusCode, bytes.TrimSpace(text)), true)
	}
	var f Failure
	if err := decode(res.Body, &f); err != nil {
		return c.lost(ctx, name, fmt.Errorf("reading the error: %w", err), true)
	}
	return &failed{message: f.Message, causes: c.codes.Decode(f)}
}

// lost is the error of a call that got no answer which could be understood. written
// says that all of it was sent.
func (c *Client) lost(ctx context.Context, name string, err error, written bool) error {
	if cause := ctx.Err(); cause != nil {
		err = cause
		if written && errors.Is(cause, context.DeadlineExceeded) {
			err = fmt.Errorf("%w: %w", ErrSlow, cause)
		}
	}
	return fmt.Errorf("asking %s (%s): %w: %w", c.name, name, ErrUnreachable, err)
}
