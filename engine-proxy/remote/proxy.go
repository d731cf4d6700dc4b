package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
)

// Proxy passes requests of gateways on other hosts on to engines:
// …/engines/{projectId}/v1/…, the public routes of the engine contract and
// nothing else. A submission always passes the project's actor, so that it
// can't race with a stop. Answers are passed on as they come.
//
// The caller names the instance that it means; another one is never asked.
type Proxy struct {
	engines engineproxy.Engines
	logger  *zap.Logger
}

// NewProxy returns a proxy in front of engines.
func NewProxy(engines engineproxy.Engines, logger *zap.Logger) *Proxy {
	return &Proxy{engines: engines, logger: logger}
}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	project, route, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/engines/"), "/")
	// What is not public is refused before anyone is asked.
	if !ok || r.URL.RawPath != "" || !public(r.Method, "/"+route) || !api.ValidProjectID(project) {
		(&answers.Error{Status: http.StatusNotFound, Message: "There is nothing at this path."}).WriteTo(w)
		return
	}
	asked := r.Header.Get(contract.HeaderInstance)
	lease, err := p.lease(r, project)
	if err == nil && asked != "" && lease.InstanceID != asked {
		lease.Release()
		err = errOtherInstance
	}
	if err != nil {
		refuse(w, r, asked, err)
		return
	}
	defer lease.Release()
	p.pass(w, r, "/"+route, lease)
}

// public reports whether a route is one of the engine contract's public ones.
func public(method, path string) bool {
	if path == "/v1/generate" {
		return method == http.MethodPost
	}
	rest, ok := strings.CutPrefix(path, "/v1/generate/")
	if !ok {
		return false
	}
	job, what, below := strings.Cut(rest, "/")
	switch {
	case !api.ValidJobID(job):
		return false
	case !below:
		return method == http.MethodDelete
	}
	reads := method == http.MethodGet || method == http.MethodHead
	return reads && (what == "status" || what == "events" || what == "files")
}

// lease finds the engine. Only a submission counts as one.
func (p *Proxy) lease(r *http.Request, project string) (*engineproxy.Lease, error) {
	if r.Method == http.MethodPost {
		return p.engines.Submit(r.Context(), engineproxy.Project{ID: project}, 0)
	}
	return p.engines.Attach(r.Context(), project)
}

var errOtherInstance = errors.New("the project has another engine now")

// refuse answers a request that reached no engine. A submission's refusal is
// marked as one, in the name of the instance that was meant: it did not get it.
func refuse(w http.ResponseWriter, r *http.Request, asked string, cause error) {
	if r.Method == http.MethodPost {
		w.Header().Set(contract.HeaderRefused, "true")
	}
	if asked != "" {
		w.Header().Set(contract.HeaderInstance, asked)
	}
	answers.Unavailable("The project's engine can't take the request now.", time.Second, cause).WriteTo(w)
}

// pass hands the request to the engine, in its own name and with its token.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, path string, lease *engineproxy.Lease) {
	to := &url.URL{Scheme: "http", Host: "engine", Path: path, RawQuery: r.URL.RawQuery}
	forward(w, r, forwarding{
		to: to, token: lease.Token, instance: lease.InstanceID, transport: engineTransport(lease.Endpoint), logger: p.logger,
	})
}

// engineTransport carries one request to an engine.
func engineTransport(at engineproxy.Endpoint) *http.Transport {
	return &http.Transport{
		DisableKeepAlives:     true, // the connection is this request's
		DisableCompression:    true,
		DialContext:           func(ctx context.Context, _, _ string) (net.Conn, error) { return at.Dial(ctx) },
		ExpectContinueTimeout: 30 * time.Second,
	}
}

// forwarding is where a request goes on to.
type forwarding struct {
	to        *url.URL
	token     string // sent as bearer token unless it is ""
	instance  string // that must answer
	transport http.RoundTripper
	logger    *zap.Logger
}

// forward passes a request and its answer on, unbuffered. Credentials of the
// client's are left behind.
func forward(w http.ResponseWriter, r *http.Request, f forwarding) {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(q *httputil.ProxyRequest) {
			q.Out.URL, q.Out.Host = f.to, f.to.Host
			for _, name := range []string{"Authorization", "X-Api-Key", "Cookie"} {
				q.Out.Header.Del(name)
			}
			if f.token != "" {
				q.Out.Header.Set("Authorization", "Bearer "+f.token)
			}
		},
		Transport:     f.transport,
		FlushInterval: -1,
		ErrorLog:      zap.NewStdLog(f.logger),
		ModifyResponse: func(res *http.Response) error {
			if got := res.Header.Get(contract.HeaderInstance); got != f.instance {
				return fmt.Errorf("%w: %q answered", errOtherInstance, got)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
				refuse(w, r, f.instance, err) // nothing was sent
				return
			}
			// Whether the engine got it, no one knows: no mark, no instance.
			(&answers.Error{Status: http.StatusBadGateway, Message: "The engine's answer was lost."}).WriteTo(w)
		},
	}
	proxy.ServeHTTP(w, r)
}

// Interface guards
var _ http.Handler = (*Proxy)(nil)
