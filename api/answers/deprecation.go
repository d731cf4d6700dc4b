package answers

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Deprecation says of an operation of /v1 that it is on its way out.
type Deprecation struct {
	Method  string
	Path    string    // as the document has it, with {projectId}
	Since   time.Time // when docs/api.md had it first
	Sunset  time.Time // from when on it may be gone, a year later at least
	Instead string    // what to use, in a sentence that the document has too
}

// Deprecations returns all of them: the answers of each say so, and docs/api.md lists it.
func Deprecations() []Deprecation { return nil }

// SetDeprecation sets on the answer to a request the headers of an operation that is on its
// way out: Deprecation (RFC 9745), Sunset (RFC 8594), and a Link to the page that says more.
func SetDeprecation(h http.Header, all []Deprecation, method, path string) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, d := range all {
		if d.Method == method && matchesTemplate(d.Path, path) {
			h.Set("Deprecation", "@"+strconv.FormatInt(d.Since.Unix(), 10))
			h.Set("Sunset", d.Sunset.UTC().Format(http.TimeFormat))
			h.Set("Link", `</docs>; rel="deprecation"`)
		}
	}
}

// matchesTemplate reports whether a path is one of a template, whose parameters are parts
// of a path each, and not empty ones.
func matchesTemplate(template, path string) bool {
	want, parts := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(parts) {
		return false
	}
	for i, part := range want {
		if part != parts[i] && (parts[i] == "" || !strings.HasPrefix(part, "{")) {
			return false
		}
	}
	return true
}

// deprecationTable is what docs/api.md says of them.
func deprecationTable(all []Deprecation) string {
	if len(all) == 0 {
		return "Nothing is on its way out.\n"
	}
	var b strings.Builder
	b.WriteString("On its way out:\n\n| operation | since | until | instead |\n|---|---|---|---|\n")
	for _, d := range all {
		fmt.Fprintf(&b, "| `%s %s` | %s | %s | %s |\n", d.Method, d.Path, d.Since.Format(time.DateOnly), d.Sunset.Format(time.DateOnly), d.Instead)
	}
	return b.String()
}
