package bench

import (
	"flag"
	"os"
	"testing"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// results is the file that a full run writes.
var results = flag.String("write", "", "measure in full and write the results to this `file`")

func TestBudgets(t *testing.T) {
	r := &report{t: t, full: *results != ""}
	for _, measure := range []func(){r.pairs, r.checks, r.statusPolls, r.submissions, r.streams, r.many, r.coldStarts, r.containers, r.starts, r.revocations} {
		if measure(); t.Failed() {
			return
		}
	}
	if r.full {
		r.write(*results, "make bench")
	}
	for _, s := range r.sections {
		t.Logf("%s\n%v\n%v", s.title, s.head, s.rows)
	}
}
