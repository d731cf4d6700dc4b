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
	defer func() {
		for _, s := range r.sections {
			t.Logf("%s\n%v\n%v", s.title, s.head, s.rows)
		}
	}()
	for _, part := range []struct {
		name    string
		measure func()
	}{
		{"pairs", r.pairs}, {"checks", r.checks}, {"polls", r.statusPolls}, {"rest", r.rest}, {"submissions", r.submissions}, {"streams", r.streams},
		{"many", r.many}, {"cold", r.coldStarts}, {"containers", r.containers}, {"starts", r.starts}, {"revocations", r.revocations},
	} {
		t.Run(part.name, func(t *testing.T) { // what it starts ends before the next one begins
			r.t = t
			part.measure()
		})
		if t.Failed() {
			return
		}
	}
	r.t = t
	if r.full {
		r.write(*results, "make bench")
	}
}
