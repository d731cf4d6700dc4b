package egress

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	maxKeyFile    = 16 << 10
	maxErrorBody  = 64 << 10
	maxRetryAfter = 5 * time.Minute
	dialTimeout   = 10 * time.Second
)

// provider is the client of all endpoints.
type provider struct {
	client http.Client
	stall  time.Duration
}

func newProvider(c Config) *provider {
	return &provider{
		stall: c.Stall,
		client: http.Client{
			Transport: &http.Transport{
				Proxy:               http.ProxyFromEnvironment,
				DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
				TLSHandshakeTimeout: dialTimeout,
				ForceAttemptHTTP2:   true,
				MaxIdleConnsPerHost: 16,
				IdleConnTimeout:     90 * time.Second,
				DisableCompression:  true,
			},
			// A redirect would carry the request to where no one configured.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// send sends a call and returns the answer if it is a 200. free is set when the
// provider certainly made nothing that is paid for.
func (p *provider) send(ctx context.Context, c *call) (answer *http.Response, free bool, refused *refusal) {
	key, err := c.at.credential()
	if err != nil {
		return nil, true, failed(err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	url := strings.TrimSuffix(c.at.URL, "/") + uses[c.use].path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(c.body))
	if err != nil {
		cancel(nil)
		return nil, true, failed(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "svc")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	var wrote atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }}
	res, err := p.client.Do(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if err != nil {
		err = causeOf(ctx, err)
		cancel(nil)
		return nil, !wrote.Load(), asRefusal(err)
	}
	res.Body = watched(ctx, res.Body, c.silence(p.stall), cancel)
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		return nil, true, refusalOf(res)
	}
	return res, false, nil
}

// causeOf is why a request was broken off, where it was us who did.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// credential returns an endpoint's key. An error names the file and nothing
// that is in it.
func (at *Endpoint) credential() (string, error) {
	if at.KeyFile == "" {
		return at.Key, nil
	}
	file, err := os.Open(at.KeyFile)
	if err != nil {
		return "", fmt.Errorf("reading egress key: %w", err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxKeyFile))
	if err != nil {
		return "", fmt.Errorf("reading egress key: %w", err)
	}
	key := strings.TrimSpace(string(raw))
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r < '!' || r > '~' }) {
		return "", fmt.Errorf("reading egress key: %s holds no key", at.KeyFile)
	}
	return key, nil
}

// passedCodes are the causes of a 400 that an engine can do something about.
var passedCodes = []string{"context_length_exceeded", "content_policy_violation", "moderation_blocked", "unsupported_parameter", "unsupported_value"}

// refusalOf translates what a provider refuses. Its own words may hold its
// address, or a part of the key.
func refusalOf(res *http.Response) *refusal {
	cause := fmt.Errorf("the provider answered with status %d", res.StatusCode)
	switch {
	case res.StatusCode == http.StatusTooManyRequests:
		return &refusal{
			status: http.StatusTooManyRequests, reason: "rate_limited", cause: cause,
			message: "The model's provider takes no more calls for now.", retryAfter: retryAfter(res.Header),
		}
	case res.StatusCode == http.StatusBadRequest, res.StatusCode == http.StatusUnprocessableEntity,
		res.StatusCode == http.StatusRequestEntityTooLarge:
		r := &refusal{
			status: http.StatusBadRequest, reason: "provider_refused", cause: cause,
			message: "The model's provider refused the request.",
		}
		if code := codeOf(res.Body); slices.Contains(passedCodes, code) {
			r.reason = code
		}
		return r
	}
	return failed(cause)
}

func codeOf(body io.Reader) string {
	var b struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if json.NewDecoder(io.LimitReader(body, maxErrorBody)).Decode(&b) != nil {
		return ""
	}
	return b.Error.Code
}

// retryAfter reads the header's seconds; a provider that gives none is asked
// again after one.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 1 {
		return time.Second
	}
	return min(time.Duration(seconds)*time.Second, maxRetryAfter)
}
