package api

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// leaving is an operation on its way out, which there is none of.
var leaving = Deprecation{
	Method: http.MethodGet, Path: "/v1/generate/{jobId}/status",
	Since:  time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	Sunset: time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC), Instead: "Ask for `GET /v1/jobs/{jobId}`.",
}

func TestAnswersOfWhatIsOnItsWayOutSaySinceWhenAndUntilWhen(t *testing.T) {
	const job = "/v1/generate/job_01JD3QZ5X8C0W6T1R4M9K2H7EA"
	for request, want := range map[string]bool{
		"GET " + job + "/status": true, "HEAD " + job + "/status": true,
		"POST " + job + "/status": false, "GET " + job + "/events": false, "GET " + job: false, "GET /v1/generate//x/status": false,
	} {
		method, path, _ := strings.Cut(request, " ")
		h := http.Header{}
		SetDeprecation(h, []Deprecation{leaving}, method, path)
		got := h.Get("Deprecation") == "@1798761600" && h.Get("Sunset") == "Sat, 01 Jan 2028 00:00:00 GMT" && h.Get("Link") == `</docs>; rel="deprecation"`
		if got != want || !want && len(h) > 0 {
			t.Errorf("%s has %v", request, h)
		}
	}
}

// TestPageSaysWhatIsOnItsWayOutAndTheDocumentMarksIt: a row for each operation, or that
// there is none, and a year between.
func TestPageSaysWhatIsOnItsWayOutAndTheDocumentMarksIt(t *testing.T) {
	page, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := deprecationTable(Deprecations()); !strings.Contains(string(page), want) {
		t.Errorf("docs/api.md has not:\n%s", want)
	}
	const row = "| `GET /v1/generate/{jobId}/status` | 2027-01-01 | 2028-01-01 | Ask for `GET /v1/jobs/{jobId}`. |\n"
	if got := deprecationTable([]Deprecation{leaving}); !strings.HasSuffix(got, "|---|---|---|---|\n"+row) {
		t.Errorf("an operation is listed as\n%s", got)
	}
	marked := map[string]string{}
	for path, item := range document(t).Paths.Map() {
		for method, o := range item.Operations() {
			if o.Deprecated {
				marked[method+" "+path] = o.Description
			}
		}
	}
	for _, d := range Deprecations() {
		if d.Sunset.Before(d.Since.AddDate(1, 0, 0)) || d.Instead == "" || !strings.Contains(marked[d.Method+" "+d.Path], d.Instead) {
			t.Errorf("%+v: less than a year, nothing instead, or the document does not mark it and say so", d)
		}
		delete(marked, d.Method+" "+d.Path)
	}
	for operation := range marked {
		t.Errorf("%s is marked in the document alone", operation)
	}
}
