package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/openapi"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// answer is a row of docs/owasp.md: why findings of a rule stay.
type answer struct {
	rule   string
	places []string
	count  int // of findings
	row    string
}

// TestEachFindingOfTheOWASPRulesIsAnswered: what Spectral's OWASP rules find in the
// document is in docs/owasp.md with the reason why it stays, and nothing else is.
func TestEachFindingOfTheOWASPRulesIsAnswered(t *testing.T) {
	long.Only(t) // TestWhatClientsSendIsBounded is the short one
	d, err := openapi.Read()
	if err != nil {
		t.Fatal(err)
	}
	answers := answersOf(t, filepath.Join(rig.Root(t), "docs", "owasp.md"))
	found, named := map[string]int{}, map[string]bool{}
	for _, f := range findings(t) {
		at := place(d.Doc, f.Path)
		i := slices.IndexFunc(answers, func(a *answer) bool {
			j := slices.IndexFunc(a.places, func(name string) bool { return isOf(at, name) })
			if a.rule != f.Code || j < 0 {
				return false
			}
			named[a.places[j]] = true
			return true
		})
		if i < 0 {
			t.Errorf("%s at %s is not answered", f.Code, at)
			continue
		}
		found[answers[i].row]++
	}
	for _, a := range answers {
		if found[a.row] != a.count {
			t.Errorf("%d findings, the page says %d: %s", found[a.row], a.count, a.row)
		}
		for _, name := range a.places {
			if !named[name] {
				t.Errorf("no rule finds anything at %s", name)
			}
		}
	}
}

// isOf reports whether a place is the one of that name, or a part of it.
func isOf(place, name string) bool {
	part, is := strings.CutPrefix(place, name)
	return is && (part == "" || strings.ContainsRune(" .[{", rune(part[0])))
}

// finding is one of Spectral's.
type finding struct {
	Code string
	Path []any
}

func findings(t *testing.T) []finding {
	t.Helper()
	dir := foreignFolder(t, "stoplight")
	ctx, cancel := wait.Within(t.Context(), 4*wait.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node_modules/.bin/spectral", "lint", "--ruleset", "owasp.mjs", "--format", "json", "--quiet",
		filepath.Join(rig.Root(t), "api", "openapi.yaml"))
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1 says that there are some
		t.Fatalf("%s: %v", cmd, err)
	}
	var all []finding
	if err := json.Unmarshal(out, &all); err != nil || len(all) == 0 {
		t.Fatalf("%s said %.300q: %v", cmd, out, err)
	}
	return all
}

// answersOf reads the rows of a page that begin with a rule. Those that begin with @ name
// groups of places.
func answersOf(t *testing.T, page string) (all []*answer) {
	t.Helper()
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string][]string{}
	for row := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")
		names := make([]string, len(cells))
		for i, cell := range cells {
			names[i] = strings.Trim(cell, " `")
		}
		switch {
		case strings.HasPrefix(names[0], "@"):
			groups[names[0]] = listOf(names[1])
		case strings.HasPrefix(names[0], "owasp:"):
			a := &answer{rule: names[0], row: row}
			for _, name := range listOf(names[1]) {
				if group, is := groups[name]; is {
					a.places = append(a.places, group...)
				} else {
					a.places = append(a.places, name)
				}
			}
			if a.count, err = strconv.Atoi(names[2]); err != nil {
				t.Fatalf("%v in %s", err, row)
			}
			all = append(all, a)
		}
	}
	return all
}

// listOf reads names between commas.
func listOf(cell string) []string {
	names := strings.Split(cell, ",")
	for i, name := range names {
		names[i] = strings.Trim(name, " `")
	}
	return names
}

// place names a part of the document as people do: the member of a schema, a header, a
// parameter, the answer of an operation.
func place(doc *openapi3.T, path []any) string {
	at := make([]string, len(path))
	for i, part := range path {
		at[i] = fmt.Sprint(part)
	}
	switch {
	case len(at) > 2 && at[0] == "components" && at[1] == "schemas":
		return memberOf(at[2:])
	case len(at) > 2 && at[0] == "components":
		return strings.TrimSuffix(at[1], "s") + " " + at[2]
	case len(at) > 2 && at[0] == "paths":
		return ofPath(doc.Paths.Value(at[1]), at[1], at[2:])
	}
	return strings.Join(at, "/")
}

func memberOf(at []string) string {
	named := at[0]
	for i := 1; i < len(at); i++ {
		switch at[i] {
		case "properties":
			i++
			named += "." + at[i]
		case "items":
			named += "[]"
		case "additionalProperties":
			named += "{}"
		}
	}
	return named
}

func ofPath(item *openapi3.PathItem, address string, at []string) string {
	if item == nil {
		return address
	}
	named, params := address, item.Parameters
	if o := item.Operations()[strings.ToUpper(at[0])]; o != nil {
		named, params, at = o.OperationID, o.Parameters, at[1:]
	}
	for i := 0; i+1 < len(at); i++ {
		switch at[i] {
		case "parameters":
			if n, err := strconv.Atoi(at[i+1]); err == nil && n < len(params) {
				return named + " parameter " + params[n].Value.Name
			}
		case "callbacks":
			return named + " callback"
		case "responses":
			return named + " " + at[i+1]
		}
	}
	if len(at) > 0 && at[0] != "responses" {
		named += " " + at[0]
	}
	return named
}
