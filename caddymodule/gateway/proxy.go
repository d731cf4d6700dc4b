package gateway

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"time"
)

// Bounds of a request to an engine, as Caddy's own chain has them.
const (
	dialTimeout     = 2 * time.Second
	continueTimeout = 30 * time.Second
)

// PassTo returns the Next that passes requests on to the engine of q.Lease, for
// those that are not in Caddy's own chain: a browser's. It passes on what it is given:
// forEngine has left the browser's cookies behind. Its error is ErrNotSent if it could
// not connect, and of any other nobody knows what the engine saw.
func PassTo(q *Request, logger *log.Logger) Next {
	return func(w http.ResponseWriter, r *http.Request) (err error) {
		lease := q.Lease
		transport := &http.Transport{
			DisableKeepAlives: true, DisableCompression: true, ExpectContinueTimeout: continueTimeout,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				d := net.Dialer{Timeout: dialTimeout}
				return d.DialContext(ctx, lease.Network, lease.Address)
			},
		}
		proxy := &httputil.ReverseProxy{
			Transport: transport, FlushInterval: -1, ErrorLog: logger,
			Rewrite: func(p *httputil.ProxyRequest) {
				p.Out.URL.Scheme, p.Out.URL.Host = "http", "engine"
			},
			ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, cause error) {
				err = fmt.Errorf("asking the engine: %w", cause)
				if dial, ok := errors.AsType[*net.OpError](cause); ok && dial.Op == "dial" {
					err = fmt.Errorf("%w: %w", ErrNotSent, cause)
				}
			},
		}
		proxy.ServeHTTP(w, r)
		return err
	}
}
