package gen

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/test/games/corpus"
)

func TestZZProbe(t *testing.T) {
	data, err := os.ReadFile(os.Getenv("PROBE"))
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		brief, prompt, two := strings.Cut(line, " => ")
		p := newProject(t, nil)
		_ = p.root.Mkdir(".svc", 0o755)
		req, _ := sent(t, corpus.Wish{Format: os.Getenv("FORMAT")}, brief)
		req.Workspace = p.root
		d, err := decide(t.Context(), req, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !two {
			fmt.Printf("%s\n    %s in %s; params %v; hero %s hazard %s pickup %s; play %+v; unmet %q\n", brief, d.spec.Mechanic, d.spec.Theme, d.spec.Params, d.spec.Cast.Hero.Noun, d.spec.Cast.Hazard.Noun, d.spec.Cast.Pickup.Noun, d.spec.Play, d.unmet)
			continue
		}
		text, _ := spec.Marshal(d.spec)
		p.write(specFile, string(text))
		u, undo := ReadUndo(prompt)
		req2, _ := sent(t, corpus.Wish{Format: os.Getenv("FORMAT")}, prompt)
		req2.Workspace = p.root
		d2, err := decide(t.Context(), req2, nil)
		if err != nil {
			t.Fatal(err)
		}
		kind := ""
		if d2.isNew {
			kind = "NEW " + d2.spec.Mechanic + " "
		}
		if undo {
			kind += fmt.Sprintf("UNDO %+v ", u)
		}
		fmt.Printf("%s => %s\n    %sdid %q unmet %q\n", brief, prompt, kind, d2.did, d2.unmet)
	}
}
