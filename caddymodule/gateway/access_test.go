package gateway

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

const (
	project = "0123456789abcdef01234567"
	foreign = "ffffffffffffffffffffffff"
	jobID   = "job_01JD0000000000000000000000"
)

var allowed = policy.Decision{Allow: true, Status: 200}

func TestEveryRouteAndMethodHasItsAction(t *testing.T) {
	routes := map[string]map[string]policy.Action{
		"/v1/projects":            {"GET": policy.ActionListProjects, "HEAD": policy.ActionListProjects, "POST": policy.ActionCreateProject},
		"/v1/projects/" + project: {"GET": policy.ActionGetProject, "HEAD": policy.ActionGetProject, "DELETE": policy.ActionDeleteProject},
		"/v1/projects/" + project + "/publish": {
			"GET": policy.ActionGetProject, "HEAD": policy.ActionGetProject, "POST": policy.ActionPublish, "DELETE": policy.ActionUnpublish,
		},
		"/v1/projects/" + project + "/publish/settings": {
			"GET": policy.ActionGetProject, "HEAD": policy.ActionGetProject, "POST": policy.ActionPublish,
		},
		"/v1/projects/" + project + "/publish/key": {"POST": policy.ActionPublish},
		"/v1/projects/" + project + "/experiments": {"GET": policy.ActionAnalytics, "HEAD": policy.ActionAnalytics, "POST": policy.ActionPublish},
		"/v1/projects/" + project + "/board":       {"GET": policy.ActionAnalytics, "HEAD": policy.ActionAnalytics, "POST": policy.ActionPublish},
		"/v1/projects/" + project + "/webhook": {
			"GET": policy.ActionReadWebhooks, "HEAD": policy.ActionReadWebhooks, "POST": policy.ActionWriteWebhooks, "DELETE": policy.ActionWriteWebhooks,
		},
		"/v1/projects/" + project + "/webhook/secret":     {"POST": policy.ActionWriteWebhooks},
		"/v1/projects/" + project + "/webhook/deliveries": {"GET": policy.ActionReadWebhooks, "HEAD": policy.ActionReadWebhooks},
		"/v1/projects/" + project + "/webhook/replay":     {"POST": policy.ActionWriteWebhooks},
		"/v1/projects/" + project + "/webhook/other":      nil,
		"/v1/projects/" + project + "/analytics/overview": {"GET": policy.ActionAnalytics, "HEAD": policy.ActionAnalytics},
		"/v1/projects/" + project + "/analytics/rows":     {"GET": policy.ActionAnalytics, "HEAD": policy.ActionAnalytics},
		"/v1/projects/" + project + "/analytics/other":    nil,
		"/v1/projects//publish":                           nil,
		"/v1/projects/" + project + "/analytics":          nil,
		"/v1/projects/" + project + "/publish/":           nil,
		"/v1/generate":                                    {"GET": policy.ActionListJobs, "HEAD": policy.ActionListJobs, "POST": policy.ActionGenerate},
		"/v1/generate/" + jobID + "/events/token":         {"POST": policy.ActionStreamToken},
		"/v1/generate/" + jobID + "/events/token/":        nil,
		"/v1/generate//events/token":                      nil,
		"/v1/generate/" + jobID:                           {"DELETE": policy.ActionCancel},
		"/v1/generate/" + jobID + "/status":               {"GET": policy.ActionStatus, "HEAD": policy.ActionStatus},
		"/v1/generate/" + jobID + "/events":               {"GET": policy.ActionEvents, "HEAD": policy.ActionEvents},
		"/v1/generate/" + jobID + "/files":                {"GET": policy.ActionFiles, "HEAD": policy.ActionFiles},
		"/v1/":                                            nil,
		"/v1/generate/":                                   nil,
		"/v1/generate/" + jobID + "/other":                nil,
		"/v1/generate/" + jobID + "/status/":              nil,
		"/v1/projects/" + project + "/jobs":               nil,
		"/v2/generate":                                    nil,
		"/v1/models":                                      {"GET": policy.ActionListModels, "HEAD": policy.ActionListModels},
	}
	for path, actions := range routes {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			route, refused := MatchRoute(method, path)
			want, ok := actions[method]
			switch {
			case ok && (refused != nil || route.Action != want):
				t.Errorf("%s %s: got %q, %v; want %q", method, path, route.Action, refused, want)
			case actions == nil && (refused == nil || refused.Status != http.StatusNotFound):
				t.Errorf("%s %s: got %v, want 404", method, path, refused)
			case actions != nil && !ok:
				if refused == nil || refused.Status != http.StatusMethodNotAllowed {
					t.Errorf("%s %s: got %v, want 405", method, path, refused)
					continue
				}
				for m := range strings.SplitSeq(refused.Header.Get("Allow"), ", ") {
					if _, known := actions[m]; !known {
						t.Errorf("%s %s: Allow names %s", method, path, m)
					}
				}
			}
		}
	}
}

func TestKeyIsTakenFromEitherHeaderAndRemoved(t *testing.T) {
	secret, other := mint.NewKey(), mint.NewKey()
	const junk = "junk" // for the policy to refuse
	tests := map[string]struct {
		authorization, plain []string
		reason               string // "" when the key is taken
	}{
		"bearer":                    {[]string{"Bearer " + secret}, nil, ""},
		"bearer in lower case":      {[]string{"bearer " + secret}, nil, ""},
		"plain":                     {nil, []string{secret}, ""},
		"the same in both":          {[]string{"Bearer " + secret}, []string{secret}, ""},
		"none":                      {nil, nil, api.ReasonMissing},
		"two different":             {[]string{"Bearer " + secret}, []string{other}, api.ReasonInvalid},
		"two different in one":      {nil, []string{secret, other}, api.ReasonInvalid},
		"another scheme":            {[]string{"Basic " + secret}, nil, api.ReasonInvalid},
		"another scheme and a key":  {[]string{"Basic x"}, []string{secret}, ""},
		"a proxy's token and a key": {[]string{"Bearer eyJhbGciOiJub25lIn0.e30."}, []string{secret}, ""},
		"a proxy's token alone":     {[]string{"Bearer eyJhbGciOiJub25lIn0.e30."}, nil, junk},
		"two schemes, two keys":     {[]string{"Basic x", "Bearer " + other}, []string{secret}, api.ReasonInvalid},
		"junk":                      {nil, []string{"sk-junk"}, junk},
		"empty":                     {nil, []string{""}, junk},
	}
	want, _ := mint.ParseKey(secret)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			h := http.Header{"Authorization": tc.authorization, "X-Api-Key": tc.plain}
			hash, refused := takeKey(h)
			if len(h["Authorization"])+len(h["X-Api-Key"]) > 0 {
				t.Error("a key header is left in the request")
			}
			if tc.reason == "" || tc.reason == junk {
				if refused != nil || hash != map[string]mint.KeyHash{"": want, junk: noKey}[tc.reason] {
					t.Errorf("refused with %v", refused)
				}
				return
			}
			if refused == nil || refused.Status != http.StatusUnauthorized || refused.Reason != tc.reason {
				t.Errorf("got %v, want 401 %s", refused, tc.reason)
			}
		})
	}
}

func TestAccessRefusesInTheDocumentedOrder(t *testing.T) {
	const form = "application/x-www-form-urlencoded" // what "curl -d" says of every body
	valid := fmt.Sprintf(`{"projectId":%q,"prompt":"x"}`, project)
	denied := policy.Decision{Status: 403, Error: "no"}
	tests := map[string]struct {
		method, path, contentType, encoding, body string
		decision                                  policy.Decision
		decideErr, jobErr                         error
		want                                      int // 0 means let through
		decided                                   []string
	}{
		"404 before the policy is asked": {method: "GET", path: "/v1/x", want: 404},
		"405 before the policy is asked": {method: "PUT", path: "/v1/generate", want: 405},
		"415 before 400":                 {method: "POST", path: "/v1/generate", encoding: "gzip", body: "x", want: 415},
		"400 of a form":                  {method: "POST", path: "/v1/generate", contentType: form, body: "projectId=" + project + "&prompt=x", want: 400},
		"JSON that is said to be a form": {method: "POST", path: "/v1/generate", contentType: form, body: valid, decision: allowed, decided: []string{"generate " + project}},
		"JSON that is said to be text":   {method: "POST", path: "/v1/generate", contentType: "text/plain", body: valid, decision: allowed, decided: []string{"generate " + project}},
		"identity is no encoding":        {method: "POST", path: "/v1/generate", encoding: "identity", body: valid, decision: allowed, decided: []string{"generate " + project}},
		"413 before 400":                 {method: "POST", path: "/v1/generate", body: strings.Repeat("x", 2000), want: 413},
		"400 before 403":                 {method: "POST", path: "/v1/generate", body: `{"prompt":"x"}`, decision: denied, want: 400},
		"400 of skills that clash before 403": {
			method: "POST", path: "/v1/generate", decision: denied, want: 400,
			body: strings.Replace(valid, "}", `,"skills":[{"key":"jump","title":"t"},{"key":"Jump","title":"t"}]}`, 1),
		},
		"403": {method: "POST", path: "/v1/generate", body: valid, decision: denied, want: 403, decided: []string{"generate " + project}},
		"429 with the limit's name": {
			method: "POST", path: "/v1/generate", body: valid,
			decision: policy.Decision{Status: 429, Reason: api.ReasonLimitExceeded, Limit: api.LimitJobsPerDay}, want: 429, decided: []string{"generate " + project},
		},
		"503 when no decision can be had": {method: "POST", path: "/v1/generate", body: valid, decideErr: errDown, want: 503, decided: []string{"generate " + project}},
		"a good submission passes":        {method: "POST", path: "/v1/generate", body: valid, decision: allowed, decided: []string{"generate " + project}},
		"403 before the unknown job's 404": {
			method: "GET", path: "/v1/generate/job_unknown/status?projectId=" + foreign, decision: denied, want: 403, decided: []string{"status " + foreign},
		},
		"404 of an unknown job":                {method: "GET", path: "/v1/generate/job_unknown/status?projectId=" + project, decision: allowed, want: 404, decided: []string{"status " + project}},
		"404 of a job of another project":      {method: "GET", path: "/v1/generate/" + jobID + "/status?projectId=" + foreign, decision: allowed, want: 404, decided: []string{"status " + foreign}},
		"a job without projectId is looked up": {method: "GET", path: "/v1/generate/" + jobID + "/events", decision: allowed, decided: []string{"events " + project}},
		"an unknown job without projectId":     {method: "DELETE", path: "/v1/generate/job_unknown", decision: allowed, want: 404},
		"400 of a malformed projectId":         {method: "GET", path: "/v1/generate/" + jobID + "/files?projectId=x", want: 400},
		"400 of an empty projectId":            {method: "GET", path: "/v1/generate/" + jobID + "/files?projectId=", want: 400},
		"400 of two projectIds":                {method: "GET", path: "/v1/generate/" + jobID + "/files?projectId=" + project + "&projectId=" + foreign, want: 400},
		"400 of a malformed project path":      {method: "GET", path: "/v1/projects/x", want: 400},
		"503 when jobs can't be looked up":     {method: "GET", path: "/v1/generate/" + jobID + "/status", jobErr: errDown, want: 503},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			side := &fakeSidecar{
				decision: tc.decision, decideErr: tc.decideErr, jobErr: tc.jobErr,
				jobs: map[string]sidecar.Job{jobID: {Job: api.Job{JobID: jobID, ProjectID: project}}},
			}
			r := httptest.NewRequest(tc.method, tc.path, strings.NewReader(tc.body))
			setUnlessEmpty(r.Header, "Content-Type", tc.contentType)
			setUnlessEmpty(r.Header, "Content-Encoding", tc.encoding)
			refused := (&Access{Sidecar: side, Routes: NewRoutes(), MaxBody: 1000}).check(httptest.NewRecorder(), r, &Request{KeyID: "k"})
			got := 0
			if refused != nil {
				got = refused.Status
			}
			if got != tc.want {
				t.Errorf("got %v, want %d", refused, tc.want)
			}
			if !slices.Equal(side.decided, tc.decided) {
				t.Errorf("the policy was asked %q, want %q", side.decided, tc.decided)
			}
			if got == 429 && (refused.Limit != tc.decision.Limit || refused.RetryAfter <= 0) {
				t.Errorf("the 429 is %+v", refused)
			}
		})
	}
}

func setUnlessEmpty(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

func TestAReplayComesAfter403AndBefore429(t *testing.T) {
	body := fmt.Sprintf(`{"projectId":%q,"prompt":"x"}`, project)
	over := policy.Decision{Status: 429, Reason: api.ReasonLimitExceeded, Limit: api.LimitJobsPerDay}
	before := &sidecar.Job{Job: api.Job{JobID: jobID}}
	tests := map[string]struct {
		keys      []string
		decision  policy.Decision
		replay    *sidecar.Job
		replayErr error
		want      int // 0 means let through
		replayed  bool
	}{
		"no key":                    {nil, allowed, before, nil, 0, false},
		"a new key":                 {[]string{"k"}, allowed, nil, nil, 0, false},
		"a known key":               {[]string{"k"}, allowed, before, nil, 0, true},
		"a known key, over a limit": {[]string{"k"}, over, before, nil, 0, true},
		"a new key, over a limit":   {[]string{"k"}, over, nil, nil, 429, false},
		"a known key, forbidden":    {[]string{"k"}, policy.Decision{Status: 403}, before, nil, 403, false},
		"another body":              {[]string{"k"}, allowed, nil, sidecar.ErrIdempotencyMismatch, 422, false},
		"in flight":                 {[]string{"k"}, allowed, nil, &answers.Error{Status: 409}, 409, false},
		"the store is away":         {[]string{"k"}, allowed, nil, errDown, 503, false},
		"empty":                     {[]string{""}, allowed, nil, nil, 400, false},
		"two":                       {[]string{"a", "b"}, allowed, nil, nil, 400, false},
		"too long":                  {[]string{strings.Repeat("k", 256)}, allowed, nil, nil, 400, false},
		"with a space":              {[]string{"a b"}, allowed, nil, nil, 400, false},
		"with a space, forbidden":   {[]string{"a b"}, policy.Decision{Status: 403}, nil, nil, 400, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			side := &fakeSidecar{decision: tc.decision, replay: tc.replay, replayErr: tc.replayErr}
			r := httptest.NewRequest("POST", "/v1/generate", strings.NewReader(body))
			r.Header["Idempotency-Key"] = tc.keys
			if tc.keys == nil {
				delete(r.Header, "Idempotency-Key")
			}
			q := &Request{KeyID: "k"}
			refused := (&Access{Sidecar: side, Routes: NewRoutes()}).check(httptest.NewRecorder(), r, q)
			got := 0
			if refused != nil {
				got = refused.Status
			}
			if got != tc.want || (q.Replay != nil) != tc.replayed {
				t.Errorf("got %v, replay %v", refused, q.Replay)
			}
			// What is logged is what is answered.
			if want := tc.replayed && !tc.decision.Allow; (q.Decision.Rule == "ledger.replay" && q.Decision.Allow) != want {
				t.Errorf("the request has the decision %+v", q.Decision)
			}
		})
	}
}

func TestAProjectsIdempotencyKeyIsNotThatOfASubmission(t *testing.T) {
	r := httptest.NewRequest("POST", "/v1/projects", strings.NewReader(`{"name":"x"}`))
	r.Header.Set("Idempotency-Key", "once")
	q := &Request{KeyID: "k", UserID: "u"}
	side := &fakeSidecar{decision: allowed, replayErr: sidecar.ErrIdempotencyMismatch}
	if refused := (&Access{Sidecar: side, Routes: NewRoutes()}).check(httptest.NewRecorder(), r, q); refused != nil || q.IdempotencyKey != "once" {
		t.Errorf("%v, %q", refused, q.IdempotencyKey)
	}
}

func TestAJobInTheRouteTableNeedsNoProjectId(t *testing.T) {
	table := NewRoutes()
	table.Record(jobID, project)
	// The row is asked for after the policy, so a foreign key learns nothing.
	side := &fakeSidecar{decision: policy.Decision{Status: 403}, jobErr: errDown}
	q := &Request{KeyID: "k"}
	r := httptest.NewRequest("GET", "/v1/generate/"+jobID+"/status", nil)
	refused := (&Access{Sidecar: side, Routes: table}).check(httptest.NewRecorder(), r, q)
	if refused == nil || refused.Status != 403 || !slices.Equal(side.decided, []string{"status " + project}) {
		t.Errorf("got %v, the policy was asked %q", refused, side.decided)
	}
}

func TestChunkedBodyOverTheLimitIs413(t *testing.T) {
	r := httptest.NewRequest("POST", "/v1/generate", strings.NewReader(strings.Repeat(" ", 101)))
	r.ContentLength = -1
	if _, refused := readBody(httptest.NewRecorder(), r, 100, nil); refused == nil || refused.Status != 413 {
		t.Errorf("got %v", refused)
	}
}

func TestQueryOfAPollIsReadAsAnyOther(t *testing.T) {
	for _, query := range []string{
		"", "projectId=", "projectId=p1", "projectId=p1&", "projectId=p1&x=y", "x=y&projectId=p1", "projectId=p1&projectId=p2",
		"projectId=p%31", "projectId=p+1", "projectId=p1;x=y", "projectId=%zz", "projectId", "projectid=p1", "projectId==p1", "projectId=p1=",
		"projectId=p1#", "projectIdx=p1", "project%49d=p1",
	} {
		u := &url.URL{RawQuery: query}
		want := u.Query()["projectId"]
		if id, given := projectID(u); given != len(want) || given > 0 && id != want[0] {
			t.Errorf("%q: %q, the first of %d, want %q", query, id, given, want)
		}
	}
}
