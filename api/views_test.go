package api

import (
	"net/url"
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

func TestQueryOfAViewIsReadAsItIsWritten(t *testing.T) {
	q := ViewQuery{Name: ViewRows, Days: 3, Day: "2026-11-24", After: strings.Repeat("a", 32) + ".7", Table: "rows", Format: FormatCSV}
	if read, err := ParseViewQuery(ViewRows, q.Values()); err != nil || read != q {
		t.Errorf("read %+v, %v", read, err)
	}
	for _, query := range []string{"days=0", "days=91", "day=24.11.2026", "format=xml", "after=x", "after=" + strings.Repeat("a", 32) + ".-1"} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseViewQuery(ViewRows, values); err == nil {
			t.Errorf("%s is taken", query)
		}
	}
}
