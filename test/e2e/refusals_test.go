package e2e

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
)

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }

func TestBadRequestsAreRefusedAndStartNothing(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	key := s.newKey("demo")
	project := s.newProject(key)
	good := fmt.Sprintf(`{"projectId":%q,"prompt":"x"}`, project)
	const form = "application/x-www-form-urlencoded"

	tests := map[string]struct {
		method, path string
		body         any
		headers      []string
		status       int
		names        string // what the error names, or ""
	}{
		"malformed JSON":            {"POST", "/v1/generate", `{"projectId":`, nil, 400, "JSON"},
		"no body":                   {"POST", "/v1/generate", nil, nil, 400, ""},
		"no projectId":              {"POST", "/v1/generate", `{"prompt":"x"}`, nil, 400, "projectId"},
		"malformed projectId":       {"POST", "/v1/generate", `{"projectId":"xyz","prompt":"x"}`, nil, 400, "projectId"},
		"no prompt":                 {"POST", "/v1/generate", `{"projectId":"` + project + `"}`, nil, 400, "prompt"},
		"empty prompt":              {"POST", "/v1/generate", `{"projectId":"` + project + `","prompt":"  "}`, nil, 400, "prompt"},
		"projectId twice":           {"POST", "/v1/generate", `{"projectId":"` + project + `","prompt":"x","PROJECTID":"` + project + `"}`, nil, 400, "projectId"},
		"unknown setting value":     {"POST", "/v1/generate", `{"projectId":"` + project + `","prompt":"x","settings":{"dimensionMode":"4d"}}`, nil, 400, "dimensionMode"},
		"a form":                    {"POST", "/v1/generate", "projectId=" + project + "&prompt=x", []string{"Content-Type", form}, 400, "JSON"},
		"a compressed body":         {"POST", "/v1/generate", good, []string{"Content-Encoding", "gzip"}, 415, "Content-Encoding"},
		"oversized body":            {"POST", "/v1/generate", strings.Repeat(" ", 9<<20), nil, 413, ""},
		"project that is not there": {"POST", "/v1/generate", `{"projectId":"ffffffffffffffffffffffff","prompt":"x"}`, nil, 403, ""},
		"GET of a POST route":       {"GET", "/v1/generate/" + unknown + "/events/token", nil, nil, 405, ""},
		"PUT of a project":          {"PUT", "/v1/projects/" + project, good, nil, 405, ""},
		"unknown route":             {"GET", "/v1/nothing", nil, nil, 404, ""},
		"unknown route, other case": {"POST", "/V1/generate", good, nil, 404, ""},
		"outside the API":           {"GET", "/nothing", nil, nil, 404, ""},
		"unknown job":               {"GET", "/v1/generate/" + unknown + "/status?projectId=" + project, nil, nil, 404, ""},
		"unknown job's events":      {"GET", "/v1/generate/" + unknown + "/events?projectId=" + project, nil, nil, 404, ""},
		"unknown job's files":       {"GET", "/v1/generate/" + unknown + "/files", nil, nil, 404, ""},
		"cancel of an unknown job":  {"DELETE", "/v1/generate/" + unknown + "?projectId=" + project, nil, nil, 404, ""},
		"malformed query":           {"GET", "/v1/generate/" + unknown + "/status?projectId=../x", nil, nil, 400, "projectId"},
		"project without name":      {"POST", "/v1/projects", `{}`, nil, 400, "name"},
		"project of other template": {"POST", "/v1/projects", `{"name":"x","template":"rpg"}`, nil, 400, "template"},
		"limit of the list":         {"GET", "/v1/projects?limit=0", nil, nil, 400, "limit"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := s.call(key, tc.method, tc.path, tc.body, tc.headers...)
			if a.status != tc.status {
				t.Fatalf("%d %s, want %d", a.status, a.body, tc.status)
			}
			if a.header.Get("Content-Type") != "application/json" || s.members(a.body) != "error" {
				t.Errorf("the body is %s %s", a.header.Get("Content-Type"), a.body)
			}
			if !strings.Contains(string(a.body), tc.names) {
				t.Errorf("%s does not name %s", a.body, tc.names)
			}
			if tc.status == 405 && a.header.Get("Allow") == "" {
				t.Error("405 without Allow")
			}
			if a.header.Get("X-Request-Id") == "" {
				t.Error("no X-Request-Id")
			}
		})
	}
	if pids := s.enginePIDs(); len(pids) > 0 {
		t.Errorf("refused requests started engines: %v", pids)
	}
	if u := s.usage(key); u.JobsThisMonth != 0 {
		t.Errorf("refused requests counted: %+v", u)
	}
}

func TestKeysAreRefusedByTheirState(t *testing.T) {
	inEveryForm(t, keysAreRefusedByTheirState)
}

func keysAreRefusedByTheirState(t *testing.T, f form) {
	s := start(t, f)
	key, other := s.newKey("demo"), s.newKey("other")
	project := s.newProject(key)
	path := "/v1/projects/" + project

	refused := func(what string, k apiKey, status int, members, reason string, headers ...string) {
		t.Helper()
		a := s.call(k, "GET", path, nil, headers...)
		if a.status != status || s.members(a.body) != members || !strings.Contains(string(a.body), reason) {
			t.Errorf("%s: %d %s, want %d %s", what, a.status, a.body, status, reason)
		}
		if status == 401 && a.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: WWW-Authenticate is %q", what, a.header.Get("WWW-Authenticate"))
		}
	}
	refused("no key", apiKey{}, 401, "error reason", `"missing"`)
	refused("junk", apiKey{Secret: "sk-junk"}, 401, "error reason", `"invalid"`)
	refused("a key no one has", apiKey{Secret: mint.NewKey()}, 401, "error reason", `"invalid"`)
	refused("two keys", key, 401, "error reason", `"invalid"`, "Authorization", "Bearer "+other.Secret)
	refused("another user's project", other, 403, "error", "")
	if a := s.call(apiKey{}, "GET", path, nil, "Authorization", "Bearer "+key.Secret); a.status != http.StatusOK {
		t.Errorf("Bearer: %d %s", a.status, a.body)
	}

	change := func(command string, status int) {
		t.Helper()
		s.svc("admin", "key", command, key.ID)
		s.eventually(command+" is heard of", func() bool { return s.call(key, "GET", path, nil).status == status })
	}
	change("disable", 401)
	refused("a disabled key", key, 401, "error reason", `"disabled"`)
	change("enable", 200)
	if a := s.call(key, "GET", path, nil); a.status != http.StatusOK {
		t.Errorf("an enabled key: %d %s", a.status, a.body)
	}
	change("revoke", 401)
	refused("a revoked key", key, 401, "error reason", `"revoked"`)
}

func TestEachLimitRefusesWithTheFixedBody(t *testing.T) {
	inEveryForm(t, eachLimitRefusesWithTheFixedBody)
}

func eachLimitRefusesWithTheFixedBody(t *testing.T, f form) {
	s := start(t, f)
	tests := []struct {
		limit, flag, value string
		resets             time.Duration // at the latest
	}{
		{api.LimitJobsPerDay, "--jobs-per-day", "1", 24 * time.Hour},
		{api.LimitJobsPerMonth, "--jobs-per-month", "1", 31 * 24 * time.Hour},
		{api.LimitTIKPerMonth, "--tik-per-month", "1", 31 * 24 * time.Hour},
	}
	for _, tc := range tests {
		t.Run(tc.limit, func(t *testing.T) {
			key := s.newKey("demo", tc.flag, tc.value)
			project := s.newProject(key)
			sub := s.generate(key, project, brief)
			if job := s.finish(key, sub); job.Status != api.JobCompleted {
				t.Fatalf("the first job is %+v", job)
			}
			s.overLimit(t, key, project, tc.limit, tc.resets)
		})
	}
	t.Run(api.LimitMaxConcurrentJobs, func(t *testing.T) {
		key := s.newKey("demo", "--max-concurrent-jobs", "1")
		project := s.newProject(key)
		free := s.newKey("demo") // its jobs keep the project's queue busy
		var busy api.Submission
		for range 4 {
			busy = s.generate(free, project, brief)
		}
		sub := s.generate(key, project, brief)
		release := s.holdEngines() // the job must not end meanwhile
		s.overLimit(t, key, project, api.LimitMaxConcurrentJobs, answers.ConcurrencyRetry)
		release()

		a := s.call(key, "DELETE", "/v1/generate/"+sub.JobID+"?projectId="+project, nil)
		var job api.Job
		s.decode(a.body, &job)
		if a.status != http.StatusOK || job.Status != api.JobCancelled {
			t.Fatalf("cancelling: %d %s", a.status, a.body)
		}
		if a := s.call(key, "GET", "/v1/generate/"+sub.JobID+"/files?projectId="+project, nil); a.status != http.StatusConflict {
			t.Errorf("files of a cancelled job: %d %s", a.status, a.body)
		}
		s.generate(key, project, brief) // the slot is free again
		if u := s.usage(key); u.JobsThisMonth != 2 {
			t.Errorf("the cancelled job lost its place in the day's count: %+v", u)
		}
		s.finish(free, busy)
	})
}

// overLimit wants a submission refused by a limit that resets after some time at
// most.
func (s *service) overLimit(t *testing.T, key apiKey, project, limit string, resets time.Duration) {
	t.Helper()
	a := s.call(key, "POST", "/v1/generate", map[string]string{"projectId": project, "prompt": "x"})
	if a.status != http.StatusTooManyRequests || s.members(a.body) != "error limit reason" ||
		!strings.Contains(string(a.body), `"reason":"limit_exceeded","limit":"`+limit+`"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	if seconds, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || seconds < 1 || time.Duration(seconds)*time.Second > resets {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
}

func TestAnEmptyBalanceFailsTheJobAtItsFirstSpend(t *testing.T) {
	inEveryForm(t, anEmptyBalanceFailsTheJobAtItsFirstSpend)
}

func anEmptyBalanceFailsTheJobAtItsFirstSpend(t *testing.T, f form) {
	s := start(t, f)
	s.svc("admin", "user", "create", "poor", "--tik", "0")
	key := s.newKey("poor")
	job := s.finish(key, s.generate(key, s.newProject(key), brief))
	if job.Status != api.JobFailed || job.Failure == nil || job.Failure.Code != api.FailureTIKExhausted || job.TIKSpent != 0 {
		t.Errorf("the job is %+v, failure %+v", job, job.Failure)
	}
}
