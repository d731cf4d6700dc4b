package requests

import (
	"net/url"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
)

func TestQueryOfAViewIsReadAsItIsWritten(t *testing.T) {
	q := api.ViewQuery{Name: api.ViewRows, Days: 3, Day: "2026-11-24", After: strings.Repeat("a", 32) + ".7", Table: "rows", Format: api.FormatCSV}
	if read, err := ParseViewQuery(api.ViewRows, q.Values()); err != nil || read != q {
		t.Errorf("read %+v, %v", read, err)
	}
	for _, query := range []string{"days=0", "days=91", "day=24.11.2026", "format=xml", "after=x", "after=" + strings.Repeat("a", 32) + ".-1"} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseViewQuery(api.ViewRows, values); err == nil {
			t.Errorf("%s is taken", query)
		}
	}
}
