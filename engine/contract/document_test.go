package contract

import (
	"os"
	"strings"
	"testing"
)

func TestDocumentNamesEveryCase(t *testing.T) {
	text, err := os.ReadFile("../../docs/engine-contract.md")
	if err != nil {
		t.Fatal(err)
	}
	document := string(text)
	for _, s := range suites() {
		for _, c := range s.cases {
			if !strings.Contains(document, "| `"+s.name+"/"+c.name+"` |") {
				t.Errorf("docs/engine-contract.md does not name %s/%s", s.name, c.name)
			}
		}
	}
}
