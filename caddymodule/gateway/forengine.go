package gateway

import (
	"net/http"
	"net/url"

	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/policy"
)

// forEngine returns the request that an engine gets in place of a client's. It is
// made anew, of what the contract names: nothing else of the client's headers,
// query and address reaches an engine, which is a stranger's program.
func forEngine(r *http.Request, q *Request) *http.Request {
	out := r.WithContext(r.Context())
	out.Host = "engine"
	out.URL = &url.URL{Path: "/v1/generate"}
	out.Header = http.Header{
		// The engine knows its own token and nothing of the client's.
		"Authorization": {"Bearer " + q.Lease.Token},
		// Caddy adds these where they are not nil; see addForwardedHeaders of its
		// reverse_proxy.
		"X-Forwarded-For": nil, "X-Forwarded-Host": nil, "X-Forwarded-Proto": nil,
	}
	if q.Route.Action != policy.ActionEvents {
		out.Header.Set("Content-Type", "application/json")
		return out
	}
	out.URL.Path += "/" + q.Route.JobID + "/events"
	out.URL.RawQuery = "projectId=" + url.QueryEscape(q.ProjectID)
	out.Header.Set("Accept", "text/event-stream")
	if last := sse.LastID(r); last != "" {
		if _, valid := sse.Position(r); !valid {
			last = "none" // what a query can hold no header may; no log has either
		}
		out.Header.Set("Last-Event-ID", last)
	}
	return out
}
