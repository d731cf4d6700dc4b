// Package model talks to language models: any OpenAI-compatible endpoint for
// chat completions, behind the egress that the engine was given. Models
// and their servers are not trusted: what they send is bounded, and is an
// answer only when it is whole.
package model

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// Bounds of an answer.
const (
	maxText    = 1 << 20 // bytes of text, and of all arguments together
	maxCalls   = 64      // tool calls of one answer
	maxLine    = 1 << 20 // bytes of one line of a stream
	maxStream  = 16 << 20
	maxRefusal = 16 << 10
)

// Defaults of Options.
const (
	DefaultStall    = 60 * time.Second
	DefaultMedia    = 2 * time.Minute
	DefaultAttempts = 3
)

// dialTimeout bounds a connection to an egress on another machine.
const dialTimeout = 10 * time.Second

// Errors of Client. Others mean that no model could be asked.
var (
	// ErrExhausted: the user's balance is used up. The job must end.
	ErrExhausted = errors.New("the TIK balance is used up")
	// ErrRefused: the same request will be refused again.
	ErrRefused = errors.New("the request was refused")
)

// Refusal is an answer other than 200.
type Refusal struct {
	Status int
	Reason string // for programs, from the egress: "model_not_allowed" for one
	after  time.Duration
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("the model's endpoint answers %d %s", r.Status, r.Reason)
}

// Unwrap tells what the refusal means for the caller.
func (r *Refusal) Unwrap() error {
	switch {
	case r.Status == http.StatusPaymentRequired:
		return ErrExhausted
	case r.Status == http.StatusTooManyRequests, r.Status == http.StatusConflict, r.Status >= http.StatusInternalServerError:
		return nil // it may pass
	}
	return ErrRefused
}

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
	// Stall is how long an answer may say nothing; 0 means DefaultStall.
	Stall time.Duration
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
	opts  Options
	http  *http.Client
	forms forms
}

// New returns a client. It connects when it is used.
func New(o Options) *Client {
	if o.Stall == 0 {
		o.Stall = DefaultStall
	}
	if o.Media == 0 {
		o.Media = DefaultMedia
	}
	if o.Attempts == 0 {
		o.Attempts = DefaultAttempts
	}
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

// What a model is for, as the list of models says.
const (
	UseChat   = "chat"
	UseImages = "images"
	UseSpeech = "speech"
)

// Offer is a model that can be asked.
type Offer struct {
	Name string `json:"id"`
	Use  string `json:"use"`
}

// Offers returns the models that can be asked, the operator's first choice
// first.
func (c *Client) Offers(ctx context.Context) ([]Offer, error) {
	var offers []Offer
	err := c.retry(ctx, func(ctx context.Context) error {
		resp, err := c.send(ctx, http.MethodGet, "/v1/models", nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		var list struct {
			Data []Offer `json:"data"`
		}
		if err := json.NewDecoder(io.LimitReader(resp.Body, maxText)).Decode(&list); err != nil {
			return fmt.Errorf("reading the list of models: %w", err)
		}
		offers = list.Data
		return nil
	})
	return offers, err
}

// Chats returns the models that can be asked for chat completions, the
// operator's first choice first.
func (c *Client) Chats(ctx context.Context) ([]string, error) {
	offers, err := c.Offers(ctx)
	var names []string
	for _, o := range offers {
		if o.Use == UseChat {
			names = append(names, o.Name)
		}
	}
	return names, err
}

// send makes one request. An answer other than 200 is a *Refusal.
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
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking the model's endpoint: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, refusal(resp)
	}
	return resp, nil
}

// refusal reads why a request was refused. What else the answer says is not
// repeated: it may be anything.
func refusal(resp *http.Response) *Refusal {
	r := &Refusal{Status: resp.StatusCode, after: retryAfter(resp.Header)}
	var body struct {
		Reason string `json:"reason"`
	}
	if json.NewDecoder(io.LimitReader(resp.Body, maxRefusal)).Decode(&body) == nil && known(body.Reason) {
		r.Reason = body.Reason
	}
	return r
}

// known reports whether a reason looks like one of the egress's.
func known(reason string) bool {
	return len(reason) <= 64 && strings.Trim(reason, "abcdefghijklmnopqrstuvwxyz_") == ""
}
