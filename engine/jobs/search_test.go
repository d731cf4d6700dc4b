package jobs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/jobs"
)

// TestATextIsFoundInWhatPeopleWrite: not in frameworks, nor in what is no text.
func TestATextIsFoundInWhatPeopleWrite(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	for name, text := range map[string]string{"src/a.js": "const Speed = 1;\n\nuse(speed);\n", "lib/x.min.js": "speed", "b.png": "speed\x00\xff"} {
		if _, err := e.Edit(t.Context(), jobs.Edit{Path: name, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	found, err := e.Search("SPEED")
	want := []contract.FoundLine{{File: "src/a.js", Line: 1, Text: "const Speed = 1;"}, {File: "src/a.js", Line: 3, Text: "use(speed);"}}
	if err != nil || !slices.Equal(found.Lines, want) || found.More {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err := e.Search("nowhere"); err != nil || found.Lines == nil || len(found.Lines) != 0 {
		t.Errorf("of a text that is nowhere: %+v, %v", found, err)
	}
}

func TestWhatASearchReturnsIsBounded(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	text := strings.Repeat(strings.Repeat("é", 500)+"\n", contract.MaxFound+1)
	if _, err := e.Edit(t.Context(), jobs.Edit{Path: "notes.txt", Data: []byte(text)}); err != nil {
		t.Fatal(err)
	}
	found, err := e.Search("é")
	if err != nil || len(found.Lines) != contract.MaxFound || !found.More || len(found.Lines[0].Text) > 210 {
		t.Errorf("%d lines, more: %v, the first has %d bytes, %v", len(found.Lines), found.More, len(fmt.Sprint(found.Lines[0])), err)
	}
}
