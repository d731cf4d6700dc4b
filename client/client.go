// Package client is the Go client of the /v1 API: it creates projects, submits
// generation jobs, follows their events, and downloads and unpacks the games.
//
// Submissions wait out a cold start by themselves, event streams reconnect by
// themselves, and a download goes on where it broke and is checked against the job's record.
// Every other call waits out a 503 too, for a minute at most, and one that only reads a lost answer.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Defaults of Options.
const (
	DefaultBaseURL     = "http://localhost:8080"
	DefaultRetryBudget = 8 * time.Minute
	DefaultIdleLimit   = 45 * time.Second
	DefaultPoll        = 2 * time.Second
)

const (
	maxErrorBody = 64 << 10
	maxBody      = 8 << 20
	// headerTimeout is how long the default HTTP client waits for the start
	// of an answer. The slowest route, DELETE, answers within ten seconds.
	headerTimeout = time.Minute
)

// Options configure a Client. Only APIKey is required.
type Options struct {
	// APIKey is the secret, "sk-…". White space around it, as a file has, makes no difference.
	APIKey string
	// BaseURL is the service's address; default DefaultBaseURL. /v1 at its end makes
	// no difference.
	BaseURL string
	// HTTPClient carries the requests; its CheckRedirect is not used, since redirects are
	// errors. It must not have a Timeout, which would cut event streams. The default waits at
	// most a minute for the start of an answer.
	HTTPClient *http.Client
	// RetryBudget is the overall time in which Generate tries again; default
	// DefaultRetryBudget. A negative budget means a single attempt, for all calls.
	RetryBudget time.Duration
	// IdleLimit is the longest silence of an event stream, which carries
	// heartbeats, before it is taken for dead; default DefaultIdleLimit.
	IdleLimit time.Duration
	// Poll is the interval of status polls when streaming does not work;
	// default DefaultPoll.
	Poll time.Duration
	// OnRetry, when set, is told about each wait before it begins.
	OnRetry func(Retry)
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Sleep waits for d or until ctx is done, whose error it returns; the
	// default uses a timer.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Retry is a wait before another attempt.
type Retry struct {
	Delay   time.Duration
	Err     error     // why the last attempt failed
	GivesUp time.Time // when the budget ends
}

// Client talks to one service with one key. It is safe for concurrent use.
type Client struct {
	opts Options
	base *url.URL
	// reached: something has answered at the address.
	reached atomic.Bool
}

// New returns a client. It does not talk to the service yet.
func New(opts Options) (*Client, error) {
	opts.APIKey = strings.TrimSpace(opts.APIKey)
	switch {
	case opts.APIKey == "":
		return nil, errors.New("an API key is required")
	case !visible(opts.APIKey):
		return nil, errors.New("an API key has visible ASCII characters alone") // this one is not shown
	}
	opts.BaseURL = cmp.Or(opts.BaseURL, DefaultBaseURL)
	opts.RetryBudget = cmp.Or(opts.RetryBudget, DefaultRetryBudget)
	base, err := url.Parse(strings.TrimSuffix(strings.TrimSuffix(opts.BaseURL, "/"), "/v1"))
	if err != nil {
		return nil, fmt.Errorf("parsing base URL: %w", err)
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("base URL %q must start with http:// or https:// and name a host", opts.BaseURL)
	}
	if opts.HTTPClient == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.ResponseHeaderTimeout = headerTimeout
		opts.HTTPClient = &http.Client{Transport: transport}
	}
	carrier := *opts.HTTPClient // the caller's stays as it is
	// The service redirects nothing under /v1; what does makes a GET of a submission.
	carrier.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	opts.HTTPClient = &carrier
	if opts.IdleLimit <= 0 {
		opts.IdleLimit = DefaultIdleLimit
	}
	if opts.Poll <= 0 {
		opts.Poll = DefaultPoll
	}
	if opts.OnRetry == nil {
		opts.OnRetry = func(Retry) {}
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Sleep == nil {
		opts.Sleep = sleep
	}
	return &Client{opts: opts, base: base}, nil
}

// visible reports whether a text has visible ASCII characters alone. What a header can't hold
// looks to net/http's callers like a connection that was lost.
func visible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Address returns the address of a path of the site, such as api.Publication.Path. It is for
// anybody, and without a user and a password that Options.BaseURL may have.
func (c *Client) Address(path string) string {
	base := *c.base
	base.User = nil
	return base.String() + path
}

// Job names a job. ProjectID may be empty, but a service that was restarted
// may need it to find the job.
type Job struct {
	ID        string
	ProjectID string
}

func (j Job) path(action string) string {
	path := "/v1/generate/" + url.PathEscape(j.ID)
	if action != "" {
		path += "/" + action
	}
	if j.ProjectID != "" {
		path += "?" + url.Values{"projectId": {j.ProjectID}}.Encode()
	}
	return path
}

// send makes one request. An answer that is not a success comes back as
// *Error; otherwise the caller closes the body.
func (c *Client) send(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making request: %w", err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Authorization", "Bearer "+c.opts.APIKey)
	req.Header.Set("User-Agent", "svc-go-client/1")
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.opts.HTTPClient.Do(req)
	if err != nil {
		return nil, err // net/http names method and URL
	}
	c.reached.Store(true)
	if resp.StatusCode >= 300 {
		defer resp.Body.Close()
		return nil, c.readError(method, path, resp)
	}
	return resp, nil
}

// call makes one request and decodes the JSON of its answer into out.
func (c *Client) call(ctx context.Context, method, path string, header http.Header, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("encoding request: %w", err)
		}
	}
	resp, err := c.send(ctx, method, path, header, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return fmt.Errorf("reading answer to %s %s: %w", method, path, err)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%w: %s: decoding answer to %s %s: %w", ErrForeign, c.base.Redacted(), method, path, err)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
