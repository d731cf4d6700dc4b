package api

import (
	"strings"
	"testing"
)

func TestViewIsWrittenAsCSVAndNDJSON(t *testing.T) {
	table := ViewTable{
		Columns: []ViewColumn{{Name: "funnel"}, {Name: "sessions"}, {Name: "share"}},
		Rows:    [][]any{{`=cmd("x")`, int64(3), 0.25}, {"a,b", 12345678.0, nil}},
	}
	var csv, lines strings.Builder
	if err := table.WriteCSV(&csv); err != nil || csv.String() != "funnel,sessions,share\n\"'=cmd(\"\"x\"\")\",3,0.25\n\"a,b\",12345678,\n" {
		t.Errorf("CSV is %q, %v", csv.String(), err)
	}
	if err := table.WriteNDJSON(&lines); err != nil ||
		lines.String() != `{"funnel":"=cmd(\"x\")","sessions":3,"share":0.25}`+"\n"+`{"funnel":"a,b","sessions":12345678,"share":null}`+"\n" {
		t.Errorf("NDJSON is %q, %v", lines.String(), err)
	}
}
