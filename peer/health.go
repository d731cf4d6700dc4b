package peer

import (
	"context"
	"encoding/json"
	"net/http"
)

// HealthPath is where parts answer probes.
const HealthPath = "/healthz"

// HealthHandler answers probes of a part: 200 and {"state":"ok"}, or 503 with the
// problems. They are sentences without secrets: whoever may connect reads them.
func HealthHandler(problems func(context.Context) []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := struct {
			State    string   `json:"state"`
			Problems []string `json:"problems,omitempty"`
		}{"ok", problems(r.Context())}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		if len(answer.Problems) > 0 {
			answer.State = "degraded"
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(answer) // its caller has gone
	})
}
