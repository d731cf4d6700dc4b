package gateway

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"time"
)

// dialTimeout bounds connecting to an engine.
const dialTimeout = 2 * time.Second

// PassTo returns the Next that passes requests on to the engine of q.Lease, for
// those that are not in Caddy's own chain: a browser's. It passes on what it is given:
// forEngine has left the browser's cookies behind.
func PassTo(q *Request, logger *log.Logger) Next {
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
				p.Out.URL.Scheme, p.Out.URL.Host = "http", "engine"
			},
			ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, cause error) {
				err = fmt.Errorf("%w: %w", ErrNotSent, cause)
			},
		}
		proxy.ServeHTTP(w, r)
		return err
	}
}
