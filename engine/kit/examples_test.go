package kit_test

import (
	"bytes"
	"path"
	"slices"
	"testing"

	"github.com/svc-games/svc/engine/kit/examples"
	"github.com/svc-games/svc/test/long"
)

const longestExample = 150 // lines of a module

// The short run judges the one on a canvas, which opens the fastest.
func TestExamplesAreAcceptedByTheJudge(t *testing.T) {
	all, err := examples.All()
	if err != nil || len(all) != 3 {
		t.Fatalf("%d examples: %v", len(all), err)
	}
	for _, x := range all {
		t.Run(x.Name, func(t *testing.T) {
			for name, data := range x.Files {
				if lines := bytes.Count(data, []byte("\n")); path.Ext(name) == ".js" && lines > longestExample {
					t.Errorf("%s has %d lines", name, lines)
				}
			}
			if x.Name != "blocks" && !long.Asked() {
				return
			}
			files, err := x.Game()
			if err != nil {
				t.Fatal(err)
			}
			r := judged(t, files, x.Start, true)
			if rules := slices.DeleteFunc(r.Rules(), func(rule string) bool { return rule == "P04" }); len(rules) > 0 { // that is the machine's speed
				t.Errorf("judged: %v", r.Notes())
			}
		})
	}
}
