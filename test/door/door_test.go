// Package door holds handlers to the one door: none reads or writes users' data
// without a decision of the policy.
package door_test

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// open are the console's addresses that ask for no decision, or ask for their own, and
// why.
var open = map[string]string{
	"GET /console/{$}":                "leads to the list of keys",
	"GET /console/static/{name}":      "our own files",
	"GET /console/login":              "a form",
	"POST /console/login":             "decides itself once it knows who the link is for",
	"GET /console/oidc/start":         "leads to the provider",
	"GET /console/oidc/callback":      "decides itself once it knows who signed in",
	"POST /console/logout":            "whoever came in may leave",
	"POST /console/logout-everywhere": "whoever came in may leave",
	"/console/":                       "there is no such page",
	"GET /{code}/{path...}":           "a preview, which decides itself",
}

// leading are the handlers that read nothing: each leads to another page.
var leading = []string{"toFormOf", "toOverview"}

// decisions are the console's functions that make a decision, and those of them that
// make it on a project.
var (
	decisions        = []string{"decide", "allow", "allowProject", "project", "job"}
	projectDecisions = []string{"allowProject", "project", "job"}
)

// sources are the console's fields with users' data, and the methods of them that are
// about one project. Sessions opens nothing but by its secrets; only its previews do.
var (
	sources      = []string{"Keys", "Projects", "Ledger"}
	projectReads = []string{"Details", "SetAttributes", "ProjectJobs", "NewPreview", "NewShare"}
)

func TestEveryAddressOfTheConsoleAsksForADecision(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range registered(parse(t, "sidecar/console")) {
		seen[r.pattern] = true
		if _, exempt := open[r.pattern]; exempt || slices.Contains(leading, strings.SplitN(r.handler, "(", 2)[0]) {
			continue
		}
		if !strings.HasPrefix(r.handler, "c.allowed(") {
			t.Errorf("%s is served by %s, without c.allowed", r.pattern, r.handler)
		}
	}
	for pattern := range open {
		if !seen[pattern] {
			t.Errorf("%s is served no longer", pattern)
		}
	}
}

// TestNoHandlerOfTheConsoleReachesDataWithoutADecision follows the calls from what is
// served to what reads or writes.
func TestNoHandlerOfTheConsoleReachesDataWithoutADecision(t *testing.T) {
	p := parse(t, "sidecar/console")
	read := map[string]bool{}
	for _, r := range registered(p) {
		for _, root := range r.functions {
			p.follow(root, strings.HasPrefix(r.handler, "c.allowed("), false, nil, func(f function, call string, decided, ofProject bool) {
				read[call] = true
				_, method, _ := strings.Cut(call, ".")
				switch {
				case slices.Contains(projectReads, method) && !ofProject:
					t.Errorf("%s: %s calls %s without a decision on the project", r.pattern, f.name, call)
				case !decided:
					t.Errorf("%s: %s calls %s without a decision", r.pattern, f.name, call)
				}
			})
		}
	}
	for _, method := range []string{"Projects.Details", "Projects.SetAttributes", "Ledger.ProjectJobs", "Sessions.NewPreview", "Keys.Keys"} {
		if !read[method] {
			t.Errorf("the test finds no way to %s", method)
		}
	}
}

func TestEveryAddressOfTheAdminAPIWithUsersDataAsksForADecision(t *testing.T) {
	found := 0
	for _, r := range registered(parse(t, "sidecar/admin")) {
		_, path, _ := strings.Cut(r.pattern, " ")
		switch {
		case strings.HasPrefix(path, "/policy"), path == "/engines/owner", r.pattern == "/":
			continue // no user's data; the policy must be mendable whatever it says
		case !strings.HasPrefix(r.handler, "s.read(") && !strings.HasPrefix(r.handler, "s.change("):
			t.Errorf("%s is served by %s, without s.read or s.change", r.pattern, r.handler)
		}
		found++
	}
	if found < 15 {
		t.Errorf("only %d addresses", found)
	}
}

// route is a registration with a mux.
type route struct {
	pattern   string
	handler   string   // as it is written
	functions []string // of the package, which it names, and those it holds
}

// registered returns what is registered with muxes.
func registered(p *parsed) (routes []route) {
	for _, f := range p.functions {
		ast.Inspect(f.body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 2 {
				return true
			}
			if to, ok := call.Fun.(*ast.SelectorExpr); !ok || to.Sel.Name != "Handle" && to.Sel.Name != "HandleFunc" {
				return true
			}
			r := route{pattern: text(call.Args[0]), handler: p.written(call.Args[1])}
			ast.Inspect(call.Args[1], func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && p.named(s.Sel.Name) != nil {
					r.functions = append(r.functions, s.Sel.Name)
				}
				return true
			})
			routes = append(routes, r)
			return true
		})
	}
	return routes
}

// text is a pattern: of one that is put together, the part that is written out.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.BinaryExpr:
		return text(e.X) + text(e.Y)
	}
	return ""
}
