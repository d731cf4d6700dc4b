package egress

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/engine/model"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/puppets"
)

// page is where the measured puppets are written to; "" measures one alone, unjudged.
var page = flag.String("write", "", "file that what the puppets take is written to")

// row is what one puppet took.
type row struct {
	puppet, wire string
	steps        int
	took         fakeprovider.Took
	price, whole int // in tokens that are read, with the cache and as if there was none
	author       time.Duration
}

func (r row) cached() float64 {
	return float64(r.took.Cached) / float64(r.took.Input+r.took.Cached+r.took.Written)
}

// priced counts as authors' budgets do.
func (r *row) priced() {
	r.price = r.took.Input + r.took.Cached/10 + r.took.Written*5/4 + 4*r.took.Output
	r.whole = r.took.Input + r.took.Cached + r.took.Written + 4*r.took.Output
}

// Case 8 over whole games: most of what an author reads again is cached. With -write all
// eight puppets make their games in whole jobs, judged in the browser.
func TestWhatPuppetsTake(t *testing.T) {
	all, err := puppets.All()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"chat", "responses", "budget"}
	var rows []row
	for i, p := range all {
		if *page == "" && p.Name != "snake" {
			continue
		}
		r := row{puppet: p.Name, wire: names[i%len(names)]}
		w := wires[r.wire]
		a := puppets.Act(p.Script(nil), w.rules.Manner)
		rig := stage(t, w.rules, w.can, a.Answer())
		began := time.Now()
		if *page == "" {
			authored(t, rig.client(), p)
		} else {
			o := rig.engine(model.Options{Attempts: 1}, judging(t)).work(p.Prompt, asks(p))
			o.checkGame("")
		}
		r.author, r.steps, r.took = time.Since(began), a.Steps(), a.Bills.Took()
		r.priced()
		rows = append(rows, r)
		if problems := a.Problems(); len(problems) > 0 || r.cached() < 0.6 || float64(r.price) > 0.6*float64(r.whole) {
			t.Errorf("%s: of what it read %.0f %% was cached, at %d of %d: %s", p.Name, 100*r.cached(), r.price, r.whole, problems)
		}
	}
	if *page == "" || t.Failed() {
		return
	}
	if err := os.WriteFile(*page, []byte(table(rows)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func table(rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What the puppets take\n\nMade by `make bench-models` on %s. Don't edit.\n\n", time.Now().UTC().Format("2006-01-02 15:04 MST"))
	fmt.Fprintf(&b, "%d cores, %s/%s, %s. Whole jobs of eight scripted authors behind the egress, each game judged in the browser; the provider answers at once,\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	b.WriteString("so that the seconds are the service's own. Tokens are four bytes each; what began as an earlier request is cached. The price is in tokens that are read,\n" +
		"as authors' budgets count: a cached one a tenth, one put into a cache one and a quarter, one that is written four.\n\n")
	b.WriteString("| puppet | wire | steps | read | cached | written | price | of the uncached | seconds |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %.0f %% | %d | %d | %.0f %% | %.1f |\n", r.puppet, r.wire, r.steps, r.took.Input+r.took.Cached+r.took.Written, 100*r.cached(),
			r.took.Output, r.price, 100*float64(r.price)/float64(r.whole), r.author.Seconds())
	}
	return b.String()
}
