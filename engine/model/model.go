// Package model talks to language models, behind the egress that the engine was
// given. Models and their servers are not trusted: what they send is bounded, and
// is an answer only when it is whole.
//
// A question goes down and its answer up through these layers, a file or two each:
//
//	types      what users of the package know: Request, Message, Part, Event, Reply
//	ask        the model asked, then its fallbacks; each in the forms it may take
//	retry      again after what passes, while nothing has arrived
//	stall      the time to the first token, between tokens, and in all
//	codec      one of three wires: chat, responses, messages; marks for caches
//	answer     parts put together, what was cut, what goes back as it came
//	lines      an event stream, cut anywhere; halves of characters
//	model      HTTP to the egress; refusal: what its answers other than 200 mean
//
// offers has what is known of each model. An egress that tells nothing is asked as
// one that has chat completions alone, and gets nothing back that it may not know.
//
// media asks for pictures and sounds, which come whole.
package model

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// Bounds of an answer.
const (
	maxText    = 1 << 20 // bytes of text, and of all arguments together
	maxCalls   = 64      // tool calls of one answer
	maxBlocks  = 256     // parts of one answer
	maxLine    = 1 << 20 // bytes of one line of a stream
	maxStream  = 16 << 20
	perToken   = 512 // bytes of a stream, of an answer that may be long
	maxRefusal = 16 << 10
)

// Defaults of Options.
const (
	DefaultFirst    = 5 * time.Minute
	DefaultStall    = 90 * time.Second
	DefaultTotal    = 15 * time.Minute
	DefaultMedia    = 2 * time.Minute
	DefaultAttempts = 3
)

// dialTimeout bounds a connection to an egress on another machine.
const dialTimeout = 10 * time.Second

// Options of a Client.
type Options struct {
	// Socket is the egress socket.
	Socket string
	// URL is where the egress is instead, on another machine, and TLS what both
	// ends prove themselves with.
	URL string
	TLS *tls.Config
	// TokenFile holds the engine's token.
	TokenFile string
	// First is how long a model may take to its first token: servers say nothing
	// while it reasons. 0 means DefaultFirst; the list of models may name another
	// time for one.
	First time.Duration
	// Stall is how long an answer may say nothing from then on; 0 means
	// DefaultStall.
	Stall time.Duration
	// Total is how long an answer may take in all; 0 means DefaultTotal.
	Total time.Duration
	// Media is how long a picture or a sound may take, which come whole, so that
	// there is no silence to notice; 0 means DefaultMedia.
	Media time.Duration
	// Attempts is how often a request is sent; 0 means DefaultAttempts.
	Attempts int
	// Sleep waits, or returns ctx's error; nil means a timer.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Client asks models. It is safe for concurrent use.
type Client struct {
	opts     Options
	http     *http.Client
	forms    remembered[form]
	pictures remembered[int] // which of pictureForms
	offers   offers
}

// New returns a client. It connects when it is used.
func New(o Options) *Client {
	o.First = cmp.Or(o.First, DefaultFirst)
	o.Stall = cmp.Or(o.Stall, DefaultStall)
	o.Total = cmp.Or(o.Total, DefaultTotal)
	o.Media = cmp.Or(o.Media, DefaultMedia)
	o.Attempts = cmp.Or(o.Attempts, DefaultAttempts)
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	transport := &http.Transport{DisableCompression: true}
	if o.URL == "" {
		o.URL = "http://egress"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", o.Socket)
		}
	} else {
		transport.TLSClientConfig = o.TLS
		transport.DialContext = (&net.Dialer{Timeout: dialTimeout}).DialContext
		transport.TLSHandshakeTimeout = dialTimeout
	}
	return &Client{opts: o, http: &http.Client{
		Transport: transport,
		// Nobody behind the egress has a reason to send us elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// send makes one request. An answer other than 200 is a *Refusal; none to a
// request that was sent is ErrBroken, for nobody knows what came of it.
func (c *Client) send(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	token, err := os.ReadFile(c.opts.TokenFile)
	if err != nil {
		return nil, fmt.Errorf("reading the engine's token: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.opts.URL+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	var wrote atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }}
	resp, err := c.http.Do(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if err != nil && wrote.Load() {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if err != nil {
		return nil, fmt.Errorf("asking the model's endpoint: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, refusal(resp)
	}
	return resp, nil
}
