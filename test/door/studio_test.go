package door_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// studioNeeds are the methods with users' data, of the studio's fields.
var studioNeeds = map[string]need{
	"Sidecar.Projects":    needs(0, "ListProjects"),
	"Sidecar.Project":     needs(1, "StudioRead", "StudioWrite"),
	"Sidecar.ProjectJobs": needs(1, "StudioRead", "StudioWrite"),
	"Engines.Submit":      needs(1, "StudioRead", "StudioWrite"),
	// Requests of the API that the studio makes, which Access.Serve lets through.
	"Projects.Serve": needs(0, throughAccess),
	"Locator.Serve":  needs(0, throughAccess),
	"Quota.Serve":    needs(0, throughAccess),
}

// throughAccess is the decision that gateway.Access makes on a request of the API.
const throughAccess = "of the request"

// studioFree are those that need none, and why.
var studioFree = map[string]string{
	"Projects.Allowed": "decides on each project of a list",
	"Locator.NotReady": "words an error",
	"Engines.*":        "handed to Previews.Picture, with a job of a list that was decided on",
}

var studioRules = rules{
	fields: []string{"Sidecar", "Engines", "Projects", "Locator", "Quota"},
	decide: func(_ *walk, source string, args []value) (decision, bool) {
		switch source {
		case "Sidecar.Decide":
			return decision{args[3].text, args[2].text}, true
		case "Projects.Allowed":
			return decision{args[2].text, args[3].text}, true
		case "Access.Serve":
			return decision{throughAccess, noProject}, true
		}
		return decision{}, false
	},
	check: func(w *walk, r read) string {
		need, known := studioNeeds[r.source]
		switch _, free := studioFree[r.source]; {
		case free:
			return ""
		case !known:
			return "which the test does not know: say what it needs"
		}
		return w.lacks(need, r.args)
	},
}

// TestNoHandlerOfTheStudioReachesDataWithoutADecision follows the calls of each of its
// addresses to what reads or writes.
func TestNoHandlerOfTheStudioReachesDataWithoutADecision(t *testing.T) {
	p := parse(t, "caddymodule/gateway/studio")
	seen, called, addresses := map[string]bool{}, map[string]bool{"Studio.Live": true}, studioAddresses(p)
	for pattern, handler := range addresses {
		w := &walk{p: p, rules: studioRules, in: []string{pattern}}
		w.serve(handler)
		for _, wrong := range w.wrong {
			t.Errorf("%s: %s", pattern, wrong)
		}
		for _, list := range w.undecidedLists("Sidecar.Projects") {
			t.Errorf("%s: what %s lists is not decided on", pattern, list)
		}
		for _, read := range w.reads {
			seen[read.source], called[read.in] = true, true
		}
	}
	if len(addresses) < 17 {
		t.Errorf("only %d addresses", len(addresses))
	}
	for source := range studioNeeds {
		if !seen[source] {
			t.Errorf("the test finds no way to %s", source)
		}
	}
	for _, in := range p.readers(studioRules.fields) {
		if !called[in] {
			t.Errorf("the test finds no way to %s, which reads users' data", in)
		}
	}
	for _, wrong := range p.unused(decidesKey) {
		t.Error(wrong)
	}
}

// decidesKey reports whether a call decides on what is asked with a key.
func decidesKey(call *ast.CallExpr) bool {
	to, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := to.X.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"Sidecar.Decide", "Access.Serve", "Projects.Allowed", "sidecar.Decide"}, of.Sel.Name+"."+to.Sel.Name)
}

// studioAddresses are the functions of a table of addresses.
func studioAddresses(p *parsed) map[string]ast.Expr {
	all := map[string]ast.Expr{}
	ast.Inspect(p.find("", "New").body, func(n ast.Node) bool {
		entry, ok := n.(*ast.KeyValueExpr)
		if ok && strings.Contains(text(entry.Key), " /") {
			all[text(entry.Key)] = entry.Value
		}
		return true
	})
	return all
}
