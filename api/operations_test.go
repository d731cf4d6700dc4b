package api

import (
	"os"
	"strings"
	"testing"
)

// TestPageHasEachOperation: who reads docs/api.md knows what there is.
func TestPageHasEachOperation(t *testing.T) {
	page, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n| operation |")
	table, _, _ = strings.Cut(table, "\n\n")
	listed := strings.Count(table, "`GET /") + strings.Count(table, "`POST /") + strings.Count(table, "`DELETE /")
	for path, item := range document(t).Paths.Map() {
		for method := range item.Operations() {
			if !strings.Contains(table, "`"+method+" "+path+"`") {
				t.Errorf("docs/api.md has no %s %s", method, path)
			}
			listed--
		}
	}
	if listed != 0 {
		t.Errorf("docs/api.md has %d operations more than the document", listed)
	}
}
