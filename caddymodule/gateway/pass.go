package gateway

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

// dialTimeout bounds connecting to an engine.
const dialTimeout = 2 * time.Second

// PassTo returns the Next that passes requests for events on to the engine of
// q.Lease, for those that are not in Caddy's own chain: a browser's. What the
// client sent along, cookies above all, stays here.
func PassTo(q *Request, address string, logger *log.Logger) Next {
	return func(w http.ResponseWriter, r *http.Request) (err error) {
		lease := q.Lease
		transport := &http.Transport{
			DisableKeepAlives: true, DisableCompression: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				d := net.Dialer{Timeout: dialTimeout}
				return d.DialContext(ctx, lease.Network, lease.Address)
			},
		}
		proxy := &httputil.ReverseProxy{
			Transport: transport, FlushInterval: -1, ErrorLog: logger,
			Rewrite: func(p *httputil.ProxyRequest) {
				resume := p.In.Header.Get("Last-Event-ID")
				p.Out.URL = &url.URL{Scheme: "http", Host: "engine", Path: address}
				p.Out.Host = "engine"
				p.Out.Header = http.Header{"Authorization": {"Bearer " + lease.Token}, "Accept": {"text/event-stream"}}
				if resume != "" {
					p.Out.Header.Set("Last-Event-ID", resume)
				}
			},
			ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, cause error) {
				err = fmt.Errorf("%w: %w", ErrNotSent, cause)
			},
		}
		proxy.ServeHTTP(w, r)
		return err
	}
}
