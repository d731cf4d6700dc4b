package client

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/svc-games/svc/api"
)

// viewJS and viewPy print a view in each format.
const (
	viewJS = `
import { Client } from "./typescript/index.js";
const svc = new Client({ apiKey: "sk-x", baseURL: process.env.SVC_BASE_URL });
for (const format of ["json", "csv", "ndjson"]) {
  const said = await svc.request("GET", "/v1/projects/{projectId}/analytics/{view}", { path: { projectId: "p", view: "costs" }, query: { format } });
  console.log(said.data?.view ?? said);
}`
	viewPy = `
import os, sys
sys.path.insert(0, "python")
from svc_client import Client
svc = Client("sk-x", os.environ["SVC_BASE_URL"])
for format in ["json", "csv", "ndjson"]:
    said = svc.request("GET", "/v1/projects/p/analytics/costs", format=format)
    print(said if isinstance(said, str) else said["data"]["view"])`
)

// TestLibrariesHaveAViewAsTheTextThatWasAskedFor: it is not taken for another's answer, nor
// for one that broke off and is to be asked for again.
func TestLibrariesHaveAViewAsTheTextThatWasAskedFor(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		table := api.ViewTable{Columns: []api.ViewColumn{{Name: "day"}, {Name: "events"}}, Rows: [][]any{{"2026-11-24", 3}, {"2026-11-25", 4}}}
		write, kind := table.WriteCSV, "text/csv; charset=utf-8"
		switch r.URL.Query().Get("format") {
		case api.FormatJSON:
			writeJSON(w, http.StatusOK, api.ViewFound{Success: true, Data: api.View{View: api.ViewCosts}})
			return
		case api.FormatNDJSON:
			write, kind = table.WriteNDJSON, "application/x-ndjson"
		}
		w.Header().Set("Content-Type", kind)
		if err := write(w); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	const want = "costs\nday,events\n2026-11-24,3\n2026-11-25,4\n\n" +
		`{"day":"2026-11-24","events":3}` + "\n" + `{"day":"2026-11-25","events":4}` + "\n\n"
	for _, command := range [][]string{{"node", "--input-type=module", "-e", viewJS}, {"python3", "-B", "-c", viewPy}} {
		if got := printed(t, server.URL, command...); got != want {
			t.Errorf("%s:\n%swant\n%s", command[0], got, want)
		}
	}
	if asked != 6 {
		t.Errorf("asked %d times for six answers", asked)
	}
}
