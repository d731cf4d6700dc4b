package egress

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxKeyFile    = 16 << 10
	maxRetryAfter = 5 * time.Minute
	dialTimeout   = 10 * time.Second
)

// provider is the client of all endpoints.
type provider struct {
	client   http.Client
	recorder *recorder // nil: none
	// bare are the models, by address and name, whose servers take no stream_options.
	// What their streams took is what they say unasked, else it is estimated.
	bare sync.Map
}

// asksUsage reports whether streams of a model are asked to end with what they took.
func (p *provider) asksUsage(m *offered) bool {
	_, bare := p.bare.Load(m.key())
	return !bare
}

func newProvider() *provider {
	return &provider{
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
// provider certainly made nothing that is paid for. A server that refuses to be asked
// what a stream takes is asked once more without, for the refusal cost nothing.
func (p *provider) send(ctx context.Context, c *call) (answer *http.Response, free bool, refused *refusal) {
	answer, free, refused = p.once(ctx, c)
	if refused == nil || !refused.streamOptions || c.bare == nil {
		return answer, free, refused
	}
	body, unencoded := c.bare()
	if unencoded != nil {
		return nil, true, unencoded
	}
	c.body, c.bare = body, nil
	if answer, free, refused = p.once(ctx, c); refused == nil {
		p.bare.Store(c.of.key(), true)
	}
	return answer, free, refused
}

// once sends a call as it is.
func (p *provider) once(ctx context.Context, c *call) (answer *http.Response, free bool, refused *refusal) {
	key, err := c.of.at.credential()
	if err != nil {
		return nil, true, failed(err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	first, idle := c.silence()
	timer := time.AfterFunc(first, func() { cancel(errStalled) })
	url := strings.TrimSuffix(c.of.at.URL, "/") + c.route.path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(c.body))
	if err != nil {
		timer.Stop()
		cancel(nil)
		return nil, true, failed(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "svc")
	authorize(req.Header, c.route.by, c.of.at.Auth, key)
	var wrote atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }}
	res, err := p.client.Do(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if err != nil {
		err = causeOf(ctx, err)
		timer.Stop()
		cancel(nil)
		return nil, !wrote.Load(), asRefusal(err)
	}
	watched := &watchedBody{ReadCloser: res.Body, ctx: ctx, cancel: cancel, timer: timer, idle: idle}
	res.Body = watched
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		return nil, true, refusalOf(res)
	}
	watched.ReadCloser = p.recorder.listen(c, res, watched.ReadCloser) // beneath: beginOf looks for the watch
	return res, false, nil
}

const (
	// messagesVersion is that of Anthropic's wire.
	messagesVersion = "2023-06-01"
	// authBearer shows a key as a Bearer token by every protocol.
	authBearer = "bearer"
)

// authorize shows the key in the way of a protocol, or as its endpoint wants it.
func authorize(h http.Header, by Protocol, auth, key string) {
	if by == ProtocolMessages {
		h.Set("Anthropic-Version", messagesVersion)
	}
	switch {
	case key == "":
	case by == ProtocolMessages && auth != authBearer:
		h.Set("X-Api-Key", key)
	default:
		h.Set("Authorization", "Bearer "+key)
	}
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

// retryAfter reads the header's seconds; a provider that gives none is asked
// again after one.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 1 {
		return time.Second
	}
	return min(time.Duration(seconds)*time.Second, maxRetryAfter)
}
