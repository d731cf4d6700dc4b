package gateway

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
)

// FuzzTakeKey: whatever the two headers hold, both are gone afterwards, a key
// is only found when all that may be keys are the same well-formed one, noKey where they
// are the same and none, and a
// refusal never repeats what was sent.
func FuzzTakeKey(f *testing.F) {
	key := mint.NewKey()
	for _, seed := range [][3]string{
		{"", "", ""},
		{"Bearer " + key, "", ""},
		{"bearer  " + key + " ", "", ""},
		{"", key, ""},
		{"Bearer " + key, key, key},
		{"Bearer " + key, mint.NewKey(), ""},
		{"Basic dXNlcjpwYXNz", key, ""},
		{key, "", ""},
		{"Bearer", "", ""},
		{"", "sk-", "sk-"},
		{"", strings.ToUpper(key), ""},
		{"", key[:len(key)-1] + "é", ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, authorization, first, second string) {
		h := http.Header{"Cookie": {"c=1"}}
		var sent []string
		if authorization != "" {
			h.Set("Authorization", authorization)
			scheme, secret, _ := strings.Cut(authorization, " ")
			secret = strings.TrimSpace(secret)
			if !strings.EqualFold(scheme, "Bearer") {
				secret = "" // never a key
			}
			_, key := mint.ParseKey(secret)
			if key || first == "" && second == "" { // beside the other header it may be a proxy's
				sent = append(sent, secret)
			}
		}
		for _, s := range []string{first, second} {
			if s != "" {
				h.Add("X-Api-Key", s)
				sent = append(sent, s)
			}
		}
		hash, refused := takeKey(h)
		if len(h) != 1 || h.Get("Cookie") == "" {
			t.Fatalf("the header is %v", h)
		}
		if refused == nil {
			for _, s := range sent {
				if want, _ := mint.ParseKey(s); want != hash { // of what is no key it is noKey
					t.Fatalf("%q was taken for a key, or another one", s)
				}
			}
			return
		}
		if refused.Status != http.StatusUnauthorized || refused.Reason != api.ReasonMissing && refused.Reason != api.ReasonInvalid {
			t.Fatalf("refused with %d %s", refused.Status, refused.Reason)
		}
		for _, s := range append(sent, authorization) {
			if len(s) == mint.KeyLength && strings.Contains(refused.Error()+string(refused.Body()), s) {
				t.Fatalf("the refusal holds %q", s)
			}
		}
	})
}

// FuzzReadBody: a body is read whole, whatever it is said to be, or refused above
// the limit, and the one that goes on to the engine is the one that was read.
func FuzzReadBody(f *testing.F) {
	const limit = 256
	project := `{"projectId":"0123456789abcdef01234567","prompt":"x"}`
	for _, seed := range []struct {
		body, media string
		chunked     bool
	}{
		{project, "application/json", false},
		{project, "application/json; charset=utf-8", true},
		{project, "", true},
		{project, "text/plain", false},
		{project, "application/json;;;", false},
		{strings.Repeat(" ", limit), "application/json", true},
		{strings.Repeat(" ", limit+1), "application/json", true},
		{strings.Repeat(" ", limit+1), "application/json", false},
		{`{"projectId":"0123456789abcdef01234567","PROJECTID":"76543210fedcba9876543210","prompt":"x"}`, "", false},
		{`{"projectId":"0123456789abcdef01234567","projectId":"76543210fedcba9876543210","prompt":"x"}`, "", false},
		{`{"projectI\u0064":"0123456789abcdef01234567","prompt":"x"}`, "", false},
		{project + project, "", false},
		{"[" + project + "]", "", false},
		{"", "", false},
	} {
		f.Add([]byte(seed.body), seed.media, seed.chunked)
	}
	f.Fuzz(func(t *testing.T, body []byte, media string, chunked bool) {
		r := httptest.NewRequest(http.MethodPost, "/v1/generate", bytes.NewReader(body))
		if chunked {
			r.ContentLength = -1
			r.TransferEncoding = []string{"chunked"}
		}
		r.Header["Content-Type"] = []string{media}
		got, refused := readBody(httptest.NewRecorder(), r, limit, nil)
		if refused != nil {
			if refused.Status != http.StatusRequestEntityTooLarge || len(body) <= limit {
				t.Fatalf("%d bytes are refused with %d", len(body), refused.Status)
			}
			return
		}
		if len(body) > limit || !bytes.Equal(got, body) {
			t.Fatalf("read %q of %q", got, body)
		}
		replaceBody(r, got)
		again, err := io.ReadAll(r.Body)
		if err != nil || !bytes.Equal(again, body) || r.ContentLength != int64(len(body)) || len(r.TransferEncoding) > 0 {
			t.Fatalf("the engine would read %q: %v", again, err)
		}
		if r.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("the engine would read it as %q", r.Header["Content-Type"])
		}
		noOtherReading(t, got)
	})
}

// noOtherReading: a submission that is accepted names the same project to a
// lenient reader of JSON, which takes the last of several members and any case.
func noOtherReading(t *testing.T, body []byte) {
	t.Helper()
	q := &Request{Route: Route{Action: policy.ActionGenerate}}
	if q.parse(body) != nil {
		return
	}
	var lenient struct {
		ProjectID string `json:"projectId"`
		Prompt    string `json:"prompt"`
	}
	if err := json.Unmarshal(body, &lenient); err != nil || lenient.ProjectID != q.ProjectID || lenient.Prompt == "" {
		t.Fatalf("%q is read as project %q, and by others as %q: %v", body, q.ProjectID, lenient.ProjectID, err)
	}
}

// FuzzMatchRoute: a path names a job by exactly one of its segments, as sent,
// or there is nothing at it.
func FuzzMatchRoute(f *testing.F) {
	const job = "job_01ARZ3NDEKTSV4RRFFQ69G5FAV"
	for _, path := range []string{
		"/v1/generate", "/v1/generate/", "/v1/generate/" + job, "/v1/generate/" + job + "/status", "/v1/generate/" + job + "/events",
		"/v1/generate/" + job + "/files", "/v1/generate/" + job + "/", "/v1/generate//status", "/v1//generate", "/v1/generate/%2e%2e/status",
		"/v1/generate/a%2Fb/status", "/v1/generate/../projects", "/V1/generate", "/v1/projects", "/v1/projects/0123456789abcdef01234567",
		"/v1", "/v1/", "/", "", "v1/projects", "/v1/generate/" + job + "/status/more", "/v1/generate/\x00/status",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "OPTIONS", "get", ""} {
			f.Add(method, path)
		}
	}
	f.Fuzz(func(t *testing.T, method, path string) {
		route, refused := MatchRoute(method, path)
		if refused != nil {
			switch allow := refused.Header.Get("Allow"); {
			case refused.Status == http.StatusNotFound && allow == "":
			case refused.Status == http.StatusMethodNotAllowed && allow != "":
				for a := range strings.SplitSeq(allow, ", ") {
					if a == method {
						t.Fatalf("%s is refused and allowed", method)
					}
				}
			default:
				t.Fatalf("refused with %d, Allow %q", refused.Status, allow)
			}
			return
		}
		want := map[policy.Action]string{
			policy.ActionListProjects:  "/v1/projects",
			policy.ActionCreateProject: "/v1/projects",
			policy.ActionGetProject:    "/v1/projects/" + route.ProjectID,
			policy.ActionDeleteProject: "/v1/projects/" + route.ProjectID,
			policy.ActionPublish:       "/v1/projects/" + route.ProjectID + "/" + route.Part,
			policy.ActionUnpublish:     "/v1/projects/" + route.ProjectID + "/publish",
			policy.ActionAnalytics:     "/v1/projects/" + route.ProjectID + "/" + route.Part,
			policy.ActionReadWebhooks:  "/v1/projects/" + route.ProjectID + "/" + route.Part,
			policy.ActionWriteWebhooks: "/v1/projects/" + route.ProjectID + "/" + route.Part,
			policy.ActionListModels:    "/v1/models",
			policy.ActionGenerate:      "/v1/generate",
			policy.ActionListJobs:      "/v1/generate",
			policy.ActionStreamToken:   "/v1/generate/" + route.JobID + "/events/token",
			policy.ActionCancel:        "/v1/generate/" + route.JobID,
			policy.ActionStatus:        "/v1/generate/" + route.JobID + "/status",
			policy.ActionEvents:        "/v1/generate/" + route.JobID + "/events",
			policy.ActionFiles:         "/v1/generate/" + route.JobID + "/files",
		}[route.Action]
		if route.Action == policy.ActionGetProject && route.Part != "" {
			want += "/" + route.Part
		}
		if path != want || strings.Contains(route.JobID+route.ProjectID, "/") {
			t.Fatalf("%s %q is taken for %+v", method, path, route)
		}
		if named := route.JobID != "" || route.ProjectID != ""; named != (strings.Count(path, "/") > 2) {
			t.Fatalf("%s %q names nothing: %+v", method, path, route)
		}
	})
}
