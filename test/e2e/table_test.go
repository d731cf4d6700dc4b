package e2e

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/openapi"
)

var update = flag.Bool("update", false, "write the table into docs/errors.md")

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// ask is one request with a valid key, and the status it gets.
type ask struct {
	status       int
	method, path string
	body         any
	headers      []string
}

// address is one path of the API and what is asked of it. A method that
// nothing is asked of is unknown there.
type address struct {
	path string
	asks []ask
	// notOnDemand lists by method what the document has and no request can
	// bring about on demand. It is tested where it is decided.
	notOnDemand map[string][]int
}

// statuses are what was answered, by path and method.
type statuses map[string]map[string][]int

func (seen statuses) add(path, method string, status int) {
	if seen[path] == nil {
		seen[path] = map[string][]int{}
	}
	if !slices.Contains(seen[path][method], status) {
		seen[path][method] = append(seen[path][method], status)
		slices.Sort(seen[path][method])
	}
}

// scene is a service in which everything that can be had on demand is had.
type scene struct {
	*service
	seen            statuses
	key, foreign    apiKey // of a user who owns nothing
	project, job    string // of a completed job
	cancelled       string // a job of the same project
	unstarted, idle string // projects without a job
}

func newScene(t *testing.T, f form) *scene {
	// An engine needs much longer than the 2 s that a submission waits for it.
	s := &scene{service: start(t, f, "SVC_ENGINE_START_DELAY=8s"), seen: statuses{}}
	s.key, s.foreign = s.newKey("demo"), s.newKey("foreign")
	s.unstarted, s.idle = s.newProject(s.key), s.newProject(s.key)
	jobs := s.queue(s.key, 5)
	s.project, s.job, s.cancelled = jobs[0].ProjectID, jobs[0].JobID, jobs[4].JobID

	// While the project has work: cancelling, a live stream to its end, and
	// what is refused.
	const events = "/v1/generate/{jobId}/events"
	of := func(sub api.Submission, rest string) string {
		return "/v1/generate/" + sub.JobID + rest + "?projectId=" + sub.ProjectID
	}
	release := s.holdEngines() // it must still have work after what is refused
	s.ask(s.key, "/v1/projects/{projectId}", ask{409, "DELETE", "/v1/projects/" + s.project, nil, nil})
	limited := s.newKey("demo", "--jobs-per-day", "0")
	s.ask(limited, "/v1/generate", ask{429, "POST", "/v1/generate", map[string]string{"projectId": s.project, "prompt": brief}, nil})
	release()
	s.ask(s.key, "/v1/generate/{jobId}", ask{200, "DELETE", of(jobs[4], ""), nil, nil})
	s.ask(s.key, events, ask{200, "GET", of(jobs[3], "/events"), nil, nil})
	s.ask(s.key, events, ask{200, "GET", of(jobs[4], "/events"), nil, nil})

	for _, sub := range jobs {
		s.finish(s.key, sub)
	}
	return s
}

// ask sends a request and notes its answer.
func (s *scene) ask(key apiKey, path string, a ask) answer {
	s.t.Helper()
	got := s.call(key, a.method, a.path, a.body, a.headers...)
	if got.status != a.status {
		s.t.Errorf("%s %s: %d %.200s, want %d", a.method, a.path, got.status, got.body, a.status)
	}
	s.seen.add(path, a.method, got.status)
	return got
}

// What no one has.
const (
	nobodys = "ffffffffffffffffffffffff"
	unknown = "job_01JD0000000000000000000000"
)

// ofJob lists what every route of a job answers, and more.
func (s *scene) ofJob(method string, path func(id, project string) string, more ...ask) []ask {
	return append(more,
		ask{200, method, path(s.job, s.project), nil, nil},
		ask{400, method, path(s.job, "x"), nil, nil},
		ask{403, method, path(s.job, nobodys), nil, nil},
		ask{404, method, path(unknown, s.project), nil, nil})
}

// addresses lists everything that is asked, in the order in which it must be.
func (s *scene) addresses() []address {
	job := func(rest string) func(id, project string) string {
		return func(id, project string) string { return "/v1/generate/" + id + rest + "?projectId=" + project }
	}
	cancel, status, events, files := job(""), job("/status"), job("/events"), job("/files")
	huge := strings.Repeat(" ", 9<<20)
	form := []string{"Content-Type", "application/x-www-form-urlencoded"} // what "curl -d" says of JSON
	gzip := []string{"Content-Encoding", "gzip"}
	submission := func(project, prompt string) any { return map[string]string{"projectId": project, "prompt": prompt} }
	once := []string{"Idempotency-Key", "once"}
	record := s.call(s.key, "GET", status(s.job, s.project), nil)
	archive := s.call(s.key, "GET", files(s.job, s.project), nil)
	log := s.readEvents(strings.NewReader(string(s.call(s.key, "GET", events(s.job, s.project), nil).body)))
	document := s.call(apiKey{}, "GET", "/openapi.yaml", nil)

	return append([]address{
		projectsAddress(huge, form, gzip, once),
		{"/v1/projects/{projectId}", []ask{
			{200, "GET", "/v1/projects/" + s.idle, nil, nil},
			{400, "GET", "/v1/projects/x", nil, nil},
			{403, "GET", "/v1/projects/" + nobodys, nil, nil},
			{200, "DELETE", "/v1/projects/" + s.idle, nil, nil},
			{400, "DELETE", "/v1/projects/x", nil, nil},
			{403, "DELETE", "/v1/projects/" + nobodys, nil, nil},
		}, map[string][]int{"GET": {404, 503}, "DELETE": {404, 503}}},
		modelsAddress,
		{"/v1/generate", []ask{
			{400, "POST", "/v1/generate", map[string]any{"projectId": s.unstarted, "prompt": brief, "settings": map[string]string{"model": "dear"}}, nil},
			{503, "POST", "/v1/generate", submission(s.unstarted, brief), nil},
			{200, "POST", "/v1/generate", submission(s.project, brief), append(form, once...)},
			{422, "POST", "/v1/generate", submission(s.project, "another"), once},
			{400, "POST", "/v1/generate", submission(s.project, ""), nil},
			{403, "POST", "/v1/generate", submission(nobodys, brief), nil},
			{413, "POST", "/v1/generate", huge, nil},
			{415, "POST", "/v1/generate", submission(s.project, brief), gzip},
			{200, "GET", "/v1/generate", nil, nil},
			{200, "GET", "/v1/generate?status=completed&limit=2&projectId=" + s.project, nil, nil},
			{400, "GET", "/v1/generate?status=ended", nil, nil},
			{403, "GET", "/v1/generate?projectId=" + nobodys, nil, nil},
		}, map[string][]int{"POST": {409, 504}, "GET": {503}}},
		{"/v1/generate/{jobId}", s.ofJob("DELETE", cancel), map[string][]int{"DELETE": {503}}},
		{"/v1/generate/{jobId}/status", s.ofJob("GET", status,
			ask{304, "GET", status(s.job, s.project), nil, []string{"If-None-Match", record.header.Get("ETag")}},
		), map[string][]int{"GET": {503}}},
		{"/v1/generate/{jobId}/events", s.ofJob("GET", events,
			ask{204, "GET", events(s.job, s.project), nil, []string{"Last-Event-ID", strconv.Itoa(len(log))}},
		), map[string][]int{"GET": {503}}},
		s.tokenAddress(job("/events/token")),
		{"/v1/generate/{jobId}/files", s.ofJob("GET", files,
			ask{206, "GET", files(s.job, s.project), nil, []string{"Range", "bytes=0-9"}},
			ask{206, "GET", files(s.job, s.project), nil, []string{"Range", "bytes=0-9,20-29"}},
			ask{304, "GET", files(s.job, s.project), nil, []string{"If-None-Match", archive.header.Get("ETag")}},
			ask{409, "GET", files(s.cancelled, s.project), nil, nil},
			ask{412, "GET", files(s.job, s.project), nil, []string{"If-Match", `"x"`}},
			ask{416, "GET", files(s.job, s.project), nil, []string{"Range", "bytes=999999999-"}},
		), map[string][]int{"GET": {503}}},
		{"/openapi.yaml", []ask{
			{200, "GET", "/openapi.yaml", nil, nil},
			{304, "GET", "/openapi.yaml", nil, []string{"If-None-Match", document.header.Get("ETag")}},
		}, nil},
	}, slices.Concat(s.hookAddresses(huge, gzip), s.playAddresses(huge, gzip), s.gameAddresses(huge, gzip))...)
}

// projectsAddress is where projects are made and listed.
func projectsAddress(huge string, form, gzip, once []string) address {
	return address{"/v1/projects", []ask{
		{201, "POST", "/v1/projects", map[string]string{"name": "x"}, nil},
		{201, "POST", "/v1/projects", map[string]string{"name": "x"}, form},
		{400, "POST", "/v1/projects", map[string]string{}, nil},
		{413, "POST", "/v1/projects", huge, nil},
		{415, "POST", "/v1/projects", `{"name":"x"}`, gzip},
		{201, "POST", "/v1/projects", map[string]string{"name": "x"}, once},
		{201, "POST", "/v1/projects", map[string]string{"name": "x"}, once},
		{422, "POST", "/v1/projects", map[string]string{"name": "y"}, once},
		{200, "GET", "/v1/projects", nil, nil},
		{400, "GET", "/v1/projects?limit=0", nil, nil},
	}, map[string][]int{"POST": {403, 409, 503, 504}, "GET": {403, 503}}}
}

// modelsAddress is where models are listed.
var modelsAddress = address{"/v1/models", []ask{{200, "GET", "/v1/models", nil, nil}}, map[string][]int{"GET": {403, 503}}}

// tokenAddress is where stream tokens are made.
func (s *scene) tokenAddress(path func(id, project string) string) address {
	return address{"/v1/generate/{jobId}/events/token", []ask{
		{201, "POST", path(s.job, s.project), nil, nil},
		{400, "POST", path(s.job, "x"), nil, nil},
		{403, "POST", path(s.job, nobodys), nil, nil},
		{404, "POST", path(unknown, s.project), nil, nil},
	}, map[string][]int{"POST": {503}}}
}

// playAddresses are those of published games.
func (s *scene) playAddresses(huge string, gzip []string) []address {
	publish := func(project string) string { return "/v1/projects/" + project + "/publish" }
	overview := func(project string) string { return "/v1/projects/" + project + "/analytics/overview" }
	view := func(name string) string { return "/v1/projects/" + s.project + "/analytics/" + name }
	job := func(id string) any { return map[string]string{"jobId": id} }
	return []address{
		{"/v1/projects/{projectId}/publish", []ask{
			{404, "GET", publish(s.project), nil, nil},
			{409, "POST", publish(s.project), job(s.cancelled), nil},
			{404, "POST", publish(s.project), job(unknown), nil},
			{400, "POST", publish(s.project), job("x"), nil},
			{403, "POST", publish(nobodys), job(s.job), nil},
			{413, "POST", publish(s.project), huge, nil},
			{415, "POST", publish(s.project), job(s.job), gzip},
			{200, "POST", publish(s.project), job(s.job), nil},
			{200, "GET", publish(s.project), nil, nil},
			{400, "GET", publish("x"), nil, nil},
			{403, "GET", publish(nobodys), nil, nil},
			{200, "DELETE", publish(s.project), nil, nil},
			{400, "DELETE", publish("x"), nil, nil},
			{403, "DELETE", publish(nobodys), nil, nil},
		}, map[string][]int{"GET": {503}, "POST": {503}, "DELETE": {503}}},
		{"/v1/projects/{projectId}/analytics/overview", []ask{
			{200, "GET", overview(s.project), nil, nil},
			{400, "GET", overview(s.project) + "?days=0", nil, nil},
			{403, "GET", overview(nobodys), nil, nil},
		}, map[string][]int{"GET": {503}}},
		{"/v1/projects/{projectId}/analytics/{view}", []ask{
			{200, "GET", view("retention"), nil, nil},
			{200, "GET", view("rows?day=2026-11-24&format=ndjson"), nil, nil},
			{400, "GET", view("events?format=xml"), nil, nil},
			{404, "GET", view("nothing"), nil, nil},
			{400, "GET", view("events?format=csv&table=x"), nil, nil},
			{403, "GET", "/v1/projects/" + nobodys + "/analytics/live", nil, nil},
		}, map[string][]int{"GET": {503}}},
	}
}

func TestEveryRouteAndMethodAnswersAsDocumented(t *testing.T) {
	inEveryForm(t, everyRouteAndMethodAnswersAsDocumented)
}

func everyRouteAndMethodAnswersAsDocumented(t *testing.T, f form) {
	s := newScene(t, f)
	d, err := openapi.Read()
	if err != nil {
		t.Fatal(err)
	}
	addresses := s.addresses()
	for _, at := range addresses {
		known := map[string]bool{}
		for _, a := range at.asks {
			known[a.method] = true
			if a.method == http.MethodGet {
				known[http.MethodHead] = true
				s.ask(s.key, at.path, a)
				a.method = http.MethodHead
			}
			s.ask(s.key, at.path, a)
		}
		for _, method := range methods {
			s.withoutKey(at, method)
			if !known[method] {
				s.unknownMethod(at, method, known)
			}
		}
		for method, operation := range d.Doc.Paths.Value(at.path).Operations() {
			var missed []int
			for code := range operation.Responses.Map() {
				if status, err := strconv.Atoi(code); err == nil && status != http.StatusUnauthorized && !slices.Contains(s.seen[at.path][method], status) {
					missed = append(missed, status)
				}
			}
			slices.Sort(missed)
			if !slices.Equal(missed, at.notOnDemand[method]) {
				t.Errorf("%s %s: the document has %v besides what was seen; expected %v", method, at.path, missed, at.notOnDemand[method])
			}
		}
	}
	if documented := d.Doc.Paths.Len(); documented != len(addresses) {
		t.Errorf("%d paths are documented, %d were asked", documented, len(addresses))
	}
	checkTable(t, table(addresses, s.seen))
}

// withoutKey asks with one of the address's own requests, or with none, but
// without a key.
func (s *scene) withoutKey(at address, method string) {
	s.t.Helper()
	if at.path == "/openapi.yaml" {
		return
	}
	if got := s.call(apiKey{}, method, at.asks[0].path, nil); got.status != http.StatusUnauthorized {
		s.t.Errorf("%s %s without a key: %d", method, at.path, got.status)
	}
}

func (s *scene) unknownMethod(at address, method string, known map[string]bool) {
	s.t.Helper()
	// These are many; the key's request rate is for the rest.
	got := s.ask(s.foreign, at.path, ask{http.StatusMethodNotAllowed, method, at.asks[0].path, nil, nil})
	allow := got.header.Get("Allow")
	if got := strings.Split(allow, ", "); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(maps.Keys(known))) {
		s.t.Errorf("%s %s: Allow is %s", method, at.path, allow)
	}
}

// table renders what was seen, and in brackets what is only documented.
func table(addresses []address, seen statuses) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| address | %s |\n|---%s|\n", strings.Join(methods, " | "), strings.Repeat("|---", len(methods)))
	for _, at := range addresses {
		fmt.Fprintf(&b, "| `%s`", at.path)
		for _, method := range methods {
			like := method
			if method == http.MethodHead {
				like = http.MethodGet
			}
			var cell []string
			for _, status := range seen[at.path][method] {
				cell = append(cell, strconv.Itoa(status))
			}
			for _, status := range at.notOnDemand[like] {
				cell = append(cell, fmt.Sprintf("(%d)", status))
			}
			fmt.Fprintf(&b, " | %s", strings.Join(cell, " "))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

// The table stands between these lines of docs/errors.md.
const (
	tableBegin = "<!-- generated by go test ./test/e2e -run TestEveryRouteAndMethod -update -->\n"
	tableEnd   = "<!-- end of what is generated -->\n"
)

// checkTable compares the table in docs/errors.md with what it should be, or
// writes it when the test is run with -update.
func checkTable(t *testing.T, want string) {
	t.Helper()
	path := filepath.Join(root(t), "docs", "errors.md")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(raw), tableBegin)
	got, after, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		t.Fatalf("%s lacks the lines around the table", path)
	}
	if !*update {
		if got != want {
			t.Errorf("%s is stale; write it with -update. It should have:\n%s", path, want)
		}
		return
	}
	if err := os.WriteFile(path, []byte(before+tableBegin+want+tableEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
