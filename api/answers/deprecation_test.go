package answers

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
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
		"POST " + job + "/status": false, "GET " + job + "/events": false, "GET " + job: false, "GET /v1/generate//status": false, "GET /v1/generate//x/status": false,
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
	page, err := os.ReadFile("../../docs/api.md")
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
	for _, fault := range deprecationFaults(Deprecations(), document(t)) {
		t.Error(fault)
	}
}

// deprecationFaults returns where a list and the document don't fit.
func deprecationFaults(all []Deprecation, doc *openapi3.T) (faults []string) {
	marked := map[string]string{}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			if o.Deprecated {
				marked[method+" "+path] = o.Description
			}
		}
	}
	for _, d := range all {
		at := d.Method + " " + d.Path
		if d.Sunset.Before(d.Since.AddDate(1, 0, 0)) {
			faults = append(faults, at+" goes within a year")
		}
		if description, is := marked[at]; !is || d.Instead == "" || !strings.Contains(description, d.Instead) {
			faults = append(faults, at+" is not marked in the document, which says what to use instead")
		}
		delete(marked, at)
		for path, item := range doc.Paths.Map() {
			if path != d.Path && item.GetOperation(d.Method) != nil && matchesTemplate(d.Path, path) {
				faults = append(faults, at+" would have answers of "+path+" say so too")
			}
		}
	}
	for at := range marked {
		faults = append(faults, at+" is marked in the document alone")
	}
	return faults
}

// TestListOfWhatIsOnItsWayOutIsHeldToTheDocument: while the list is empty, nothing else
// tells that its checks find anything.
func TestListOfWhatIsOnItsWayOutIsHeldToTheDocument(t *testing.T) {
	of := func(change func(*Deprecation, *openapi3.Operation)) []string {
		d, doc := leaving, document(t)
		o := doc.Paths.Value(d.Path).Get
		o.Deprecated, o.Description = true, "It goes. "+d.Instead
		change(&d, o)
		return deprecationFaults([]Deprecation{d}, doc)
	}
	for want, change := range map[string]func(*Deprecation, *openapi3.Operation){
		"":                       func(*Deprecation, *openapi3.Operation) {},
		"within a year":          func(d *Deprecation, _ *openapi3.Operation) { d.Sunset = d.Sunset.AddDate(0, 0, -1) },
		"not marked":             func(_ *Deprecation, o *openapi3.Operation) { o.Deprecated = false },
		"what to use instead":    func(_ *Deprecation, o *openapi3.Operation) { o.Description = "" },
		"in the document, which": func(d *Deprecation, _ *openapi3.Operation) { d.Instead = "" },
		"document alone":         func(d *Deprecation, _ *openapi3.Operation) { d.Method = http.MethodPut },
		"analytics/overview": func(d *Deprecation, _ *openapi3.Operation) {
			d.Path = "/v1/projects/{projectId}/analytics/{view}"
		},
	} {
		got := strings.Join(of(change), "\n")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("want a fault with %q, got %q", want, got)
		}
	}
}
