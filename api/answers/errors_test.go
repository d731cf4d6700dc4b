package answers

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/openapi"
)

func TestFixedErrorBodiesHaveTheDocumentedMembersOnly(t *testing.T) {
	tests := map[string]struct {
		err    *Error
		status int
		body   string
		header map[string]string
	}{
		"400": {BadRequest("prompt is required."), 400, `{"error":"prompt is required."}`, nil},
		"401": {
			&Error{Status: 401, Message: "m", Reason: api.ReasonDisabled}, 401,
			`{"error":"m","reason":"disabled"}`, map[string]string{"WWW-Authenticate": "Bearer"},
		},
		"429": {
			&Error{Status: 429, Message: "m", Reason: api.ReasonLimitExceeded, Limit: api.LimitJobsPerDay, RetryAfter: 90 * time.Second}, 429,
			`{"error":"m","reason":"limit_exceeded","limit":"jobsPerDay"}`, map[string]string{"Retry-After": "90"},
		},
		"cold start": {
			EngineStarting(30 * time.Second), 503,
			`{"error":"The project's engine is starting. Submit the same request again later.","retryAfterSeconds":30}`,
			map[string]string{"Retry-After": "30"},
		},
		"unavailable": {
			Unavailable("m", 200*time.Millisecond, nil), 503, `{"error":"m"}`, map[string]string{"Retry-After": "1"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rec := httptest.NewRecorder()
			tc.err.WriteTo(rec)
			if rec.Code != tc.status || strings.TrimSpace(rec.Body.String()) != tc.body {
				t.Errorf("got %d %s", rec.Code, rec.Body)
			}
			for name, want := range tc.header {
				if got := rec.Header().Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestErrorCauseStaysOutOfTheBody(t *testing.T) {
	rec := httptest.NewRecorder()
	Unavailable("m", time.Second, http.ErrServerClosed).WriteTo(rec)
	if strings.Contains(rec.Body.String(), "closed") {
		t.Errorf("body is %s", rec.Body)
	}
}

func TestLimitRetryAfterIsTheNextUTCBoundary(t *testing.T) {
	now := time.Date(2024, 2, 29, 23, 59, 30, 0, time.UTC)
	for limit, want := range map[string]time.Duration{
		api.LimitJobsPerDay:        30 * time.Second,
		api.LimitJobsPerMonth:      30 * time.Second,
		api.LimitTIKPerMonth:       30 * time.Second,
		api.LimitMaxConcurrentJobs: 5 * time.Second,
	} {
		if got := LimitRetryAfter(limit, now.In(time.FixedZone("", 3600))); got != want {
			t.Errorf("%s: %s, want %s", limit, got, want)
		}
	}
}

func document(t *testing.T) *openapi3.T {
	t.Helper()
	d, err := openapi.Read()
	if err != nil {
		t.Fatal(err)
	}
	return d.Doc
}

func TestErrorBodiesHaveExactlyTheDocumentedMembers(t *testing.T) {
	doc := document(t)
	var want []string
	for i, body := 0, reflect.TypeFor[errorBody](); i < body.NumField(); i++ {
		name, _, _ := strings.Cut(body.Field(i).Tag.Get("json"), ",")
		want = append(want, name)
	}
	slices.Sort(want)
	described := map[string]bool{}
	for name, e := range map[string]*Error{
		"Error":          BadRequest("prompt is required."),
		"KeyRefused":     {Status: 401, Message: "m", Reason: api.ReasonRevoked},
		"LimitExceeded":  {Status: 429, Message: "m", Reason: api.ReasonLimitExceeded, Limit: api.LimitTIKPerMonth},
		"EngineStarting": EngineStarting(30e9),
	} {
		s := doc.Components.Schemas[name].Value
		var body map[string]any
		if err := json.Unmarshal(e.Body(), &body); err != nil {
			t.Fatal(err)
		}
		if err := doc.ValidateSchemaJSON(s, body, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if s.AdditionalProperties.Has == nil || *s.AdditionalProperties.Has {
			t.Errorf("%s is not closed", name)
		}
		if got := slices.Sorted(slices.Values(s.Required)); !slices.Equal(got, slices.Sorted(maps.Keys(s.Properties))) {
			t.Errorf("%s: only %v are always there", name, got)
		}
		for member := range s.Properties {
			described[member] = true
		}
	}
	if got := slices.Sorted(maps.Keys(described)); !slices.Equal(got, want) {
		t.Errorf("the document's error bodies have %v, ours %v", got, want)
	}
}
