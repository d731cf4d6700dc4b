package openapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/rig"
)

func TestAnAnswerThatIsNotDocumentedIsFound(t *testing.T) {
	d, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	const (
		job    = "/v1/generate/job_01JD3QZ5X8C0W6T1R4M9K2H7EA"
		id     = "X-Request-Id: 6f1c2f6e-8a2d-4c55-9d0b-1c7c2e0f6a11\n"
		json   = id + "Content-Type: application/json\nCache-Control: no-store\n"
		stream = id + "Content-Type: text/event-stream\nCache-Control: no-cache, no-transform\nX-Accel-Buffering: no\n"
		queued = `"seq":1,"jobId":"job_01JD3QZ5X8C0W6T1R4M9K2H7EA","projectId":"6b1f0a4e9c2d4f7a8b3e5d60","ts":"2026-11-20T09:00:00Z"`
	)
	tests := map[string]struct {
		method, path string
		status       int
		headers      string
		body         string
		says         string // "" when all is well
	}{
		"as described":             {"GET", job + "/status", 404, json, `{"error":"m"}`, ""},
		"undescribed status":       {"GET", job + "/status", 418, json, `{"error":"m"}`, "status is not described"},
		"undescribed header":       {"GET", job + "/status", 404, json + "X-Debug: 1\n", `{"error":"m"}`, "X-Debug is not described"},
		"missing header":           {"GET", job + "/status", 404, "Content-Type: application/json\n", `{"error":"m"}`, "X-Request-Id is missing"},
		"undescribed member":       {"GET", job + "/status", 404, json, `{"error":"m","reason":"x"}`, "reason"},
		"member of an open body":   {"POST", "/v1/projects", 201, json, `{"success":true,"data":{"_id":"6b1f0a4e9c2d4f7a8b3e5d60","name":"n"},"x":1}`, "x"},
		"wrong value":              {"GET", job + "/status", 401, json + "Www-Authenticate: Bearer\n", `{"error":"m","reason":"bad"}`, "reason"},
		"wrong header value":       {"GET", job + "/status", 401, json + "Www-Authenticate: Basic\n", `{"error":"m","reason":"missing"}`, "Bearer"},
		"wrong media type":         {"GET", job + "/status", 404, id + "Cache-Control: no-store\nContent-Type: text/plain\n", `m`, "Content-Type"},
		"HEAD":                     {"HEAD", job + "/status", 404, json, ``, ""},
		"HEAD with a body":         {"HEAD", job + "/status", 404, json, `{"error":"m"}`, "a body of"},
		"204 with a body":          {"GET", job + "/events", 204, id, `m`, "a body of"},
		"unknown method":           {"PUT", job + "/status", 405, json + "Allow: GET, HEAD\n", `{"error":"m"}`, ""},
		"unknown method, allowed":  {"PUT", job + "/status", 404, json, `{"error":"m"}`, "status is not described"},
		"unknown address":          {"GET", "/v1/nothing", 404, json, `{"error":"m"}`, ""},
		"unknown address, found":   {"GET", "/v1/nothing", 200, json, `{}`, "status is not described"},
		"429":                      {"POST", "/v1/generate", 429, json + "Retry-After: 5\n", `{"error":"m","reason":"limit_exceeded","limit":"jobsPerDay"}`, ""},
		"429 that says more":       {"POST", "/v1/generate", 429, json + "Retry-After: 5\n", `{"error":"m","reason":"limit_exceeded","limit":"jobsPerDay","resetAt":1}`, "resetAt"},
		"503 of a cold start":      {"POST", "/v1/generate", 503, json + "Retry-After: 30\n", `{"error":"m","retryAfterSeconds":30}`, ""},
		"503 with a reason":        {"POST", "/v1/generate", 503, json + "Retry-After: 30\n", `{"error":"m","reason":"x"}`, "oneOf"},
		"events":                   {"GET", job + "/events", 200, stream, "id: 1\nevent: job.queued\ndata: {\"type\":\"job.queued\"," + queued + "}\n\n", ""},
		"event of another name":    {"GET", job + "/events", 200, stream, "id: 1\nevent: usage\ndata: {\"type\":\"job.queued\"," + queued + "}\n\n", "data are of event"},
		"event with a member":      {"GET", job + "/events", 200, stream, "id: 1\nevent: job.queued\ndata: {\"type\":\"job.queued\",\"x\":1," + queued + "}\n\n", "event 1 job.queued"},
		"event of an unknown type": {"GET", job + "/events", 200, stream, "id: 1\nevent: job.x\ndata: {\"type\":\"job.x\"," + queued + "}\n\n", "type is not described"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequest(tc.method, "http://localhost"+tc.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			h := http.Header{}
			for line := range strings.Lines(tc.headers) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				h.Set(name, value)
			}
			err = d.Check(req, rig.Answer{Status: tc.status, Header: h, Body: []byte(tc.body)})
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("found %v, want %q", err, tc.says)
			}
		})
	}
}
