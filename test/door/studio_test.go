package door_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// studioSources are the studio's fields with users' data. Access is the way of every
// request of the API, and decides itself; so does Projects.Allowed, for each of a list.
var studioSources = []string{"Sidecar", "Engines", "Projects", "Locator", "Quota"}

// TestNoHandlerOfTheStudioReachesDataWithoutADecision follows the calls of each of its
// addresses to what reads or writes.
func TestNoHandlerOfTheStudioReachesDataWithoutADecision(t *testing.T) {
	p := parse(t, "caddymodule/gateway/studio")
	read := map[string]bool{}
	addresses := 0
	for pattern, handler := range studioAddresses(p) {
		addresses++
		p.followStudio(handler, false, nil, func(f function, call string, decided bool) {
			read[call] = true
			if !decided {
				t.Errorf("%s: %s calls %s without a decision", pattern, f.name, call)
			}
		})
	}
	if addresses < 17 {
		t.Errorf("only %d addresses", addresses)
	}
	for _, method := range []string{"Sidecar.Project", "Sidecar.ProjectJobs", "Engines.Submit", "Quota.Serve"} {
		if !read[method] {
			t.Errorf("the test finds no way to %s", method)
		}
	}
}

// studioAddresses are the functions of a table of addresses.
func studioAddresses(p *parsed) map[string]string {
	all := map[string]string{}
	for _, f := range p.named("New") {
		ast.Inspect(f.body, func(n ast.Node) bool {
			entry, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			if handler, ok := entry.Value.(*ast.SelectorExpr); ok && strings.Contains(text(entry.Key), " /") {
				all[text(entry.Key)] = handler.Sel.Name
			}
			return true
		})
	}
	return all
}

// followStudio is follow for the studio's methods. It returns whether a decision was made
// by the end.
func (p *parsed) followStudio(name string, decided bool, above []string, report func(f function, call string, decided bool)) bool {
	if slices.Contains(above, name) {
		return decided
	}
	above = append(slices.Clone(above), name)
	for _, f := range p.named(name) {
		ast.Inspect(f.body, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			called := s.Sel.Name
			if of, ok := s.X.(*ast.SelectorExpr); ok {
				source := of.Sel.Name
				switch {
				case source == "Access" && called == "Serve", source == "Sidecar" && called == "Decide":
					decided = true
				case source == "Projects" && called == "Allowed", source == "Locator" && called == "NotReady":
				case slices.Contains(studioSources, source):
					report(f, source+"."+called, decided)
				}
				return true
			}
			if of, ok := s.X.(*ast.Ident); ok && of.Name == "s" && p.named(called) != nil {
				decided = p.followStudio(called, decided, above, report)
			}
			return true
		})
	}
	return decided
}
