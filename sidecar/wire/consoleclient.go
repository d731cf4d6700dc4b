package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"

	"go.uber.org/zap"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar/site"
)

// Console is the console of a sidecar in another process.
type Console struct {
	transport http.RoundTripper
	options   site.Options
	away      string // what browsers read while the sidecar is unreachable
	logger    *zap.Logger
}

// NewConsole returns the console that the sidecar at the other end of transport
// serves with the given options.
func NewConsole(transport http.RoundTripper, o site.Options, logger *zap.Logger) *Console {
	const away = "The console can't be reached right now. Nothing was changed; try again in a moment."
	return &Console{transport: transport, options: o, away: away, logger: logger}
}

// ServeHTTP forwards a request for a page.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.forward(w, r, pathPages) }

// Preview returns the handler that forwards requests for previews.
func (c *Console) Preview() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.forward(w, r, pathPreview) })
}

func (c *Console) forward(w http.ResponseWriter, r *http.Request, prefix string) {
	info, err := json.Marshal(c.requestInfo(r))
	if err != nil {
		c.fail(w, r, err)
		return
	}
	proxy := &httputil.ReverseProxy{
		Transport:    c.transport,
		ErrorLog:     zap.NewStdLog(c.logger),
		ErrorHandler: c.fail,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host = "http", "sidecar"
			p.Out.URL.Path, p.Out.URL.RawPath = prefix+p.In.URL.Path, ""
			if raw := p.In.URL.RawPath; raw != "" {
				p.Out.URL.RawPath = prefix + raw
			}
			p.Out.Header.Set(requestInfoHeader, string(info))
			peer.SetRequest(r.Context(), p.Out.Header)
		},
	}
	proxy.ServeHTTP(w, r)
}

func (c *Console) requestInfo(r *http.Request) requestInfo {
	o := c.options
	f := requestInfo{settings: c.settings(), Host: r.Host, Remote: r.RemoteAddr}
	f.Secure = f.Secure || r.TLS != nil
	if o.Preview != nil {
		f.Preview = o.Preview(r)
	}
	if o.Identity != nil {
		f.Named = o.Identity(r)
	}
	return f
}

func (c *Console) settings() settings {
	o := c.options
	return settings{Secure: o.Secure, Identifies: o.Identity != nil, Idle: o.Idle, Absolute: o.Absolute, OIDC: o.OIDC}
}

// Ended implements site.Site.
func (c *Console) Ended(ctx context.Context, session string) (bool, error) {
	info, err := json.Marshal(requestInfo{settings: c.settings()})
	if err != nil {
		return false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://sidecar"+pathSessions+"/"+url.PathEscape(session), nil)
	if err != nil {
		return false, err
	}
	req.Header.Set(requestInfoHeader, string(info))
	peer.SetRequest(ctx, req.Header)
	res, err := c.transport.RoundTrip(req)
	if err != nil {
		return false, fmt.Errorf("asking for a session: %w", err)
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case statusGoesOn:
		return false, nil
	case statusEnded:
		return true, nil
	}
	return false, fmt.Errorf("asking for a session: the sidecar answered with status %d", res.StatusCode)
}

// fail answers while the sidecar is unreachable.
func (c *Console) fail(w http.ResponseWriter, _ *http.Request, err error) {
	c.logger.Warn("sidecar not reached", zap.Error(err))
	w.Header().Set("Retry-After", "1")
	http.Error(w, c.away, http.StatusServiceUnavailable)
}

// Interface guards
var _ site.Site = (*Console)(nil)
