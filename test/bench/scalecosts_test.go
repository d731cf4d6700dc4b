package bench

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

const costsNote = "A gateway, two sidecars on one PostgreSQL and an engine proxy, each in its own process, the sidecars reached by mutual TLS: transactions in PostgreSQL, and milliseconds of " +
	"processor time, for each request of a kind; for a job all that it takes to its end, without its engine. What the parts take anyway is taken off."

// kinds of requests, and how often 100 people who work with one gateway send them, a second:
// each submits once in two minutes, looks at it each second for as long as a job takes, half a
// minute, reads its events once more, and lists the projects once a minute.
var kinds = []struct {
	name  string
	often float64
}{
	{"job", 100. / 120}, {"first poll of an ended job", 100. / 120}, {"poll of it again", 100. / 4}, {"list of projects", 100. / 60}, {"events of an ended job", 100. / 120},
}

// Parts whose costs are figures, and what of.
const (
	transactionsOf = "transactions of a "
	sidecarsOf     = "milliseconds of sidecars of a "
	proxyOf        = "milliseconds of the engine proxy of a "
)

func costFigures() (all []string) {
	for _, k := range kinds {
		all = append(all, transactionsOf+k.name, sidecarsOf+k.name, proxyOf+k.name)
	}
	return all
}

// costs measures what each kind of request takes of the parts.
func (r *report) costs(s *section) {
	t, d := r.t, newDatabase(r.t)
	p := rig.LaunchPair(t, 1, d.url, script.Engine{})
	g := p.Gateways[0]
	g.NewUser("bench", "1000000")
	key := g.NewKey("bench")
	var games []string
	for range max(1, r.n(10)) {
		games = append(games, g.NewProject(key))
		g.Finish(key, g.Generate(key, games[len(games)-1])) // its engine is warm
	}
	var subs []api.Submission
	each := func(path string) func() int {
		return func() int {
			for _, sub := range subs {
				if a := g.Call(key, http.MethodGet, strings.Replace(rig.StatusPath(sub), "/status?", path+"?", 1), nil); a.Status != http.StatusOK {
					t.Fatalf("%s: %d %s", path, a.Status, a.Body)
				}
			}
			return len(subs)
		}
	}
	asks := map[string]func() int{
		"job": func() int {
			for range max(2, r.n(20)) {
				for _, game := range games {
					subs = append(subs, g.Generate(key, game))
				}
			}
			wait.Until(t, "the jobs have ended", func() bool {
				lull(100 * time.Millisecond)
				return d.ask("SELECT count(*) FROM jobs WHERE resolved_at IS NULL") == 0
			})
			return len(subs)
		},
		"first poll of an ended job": each("/status"), "poll of it again": each("/status"), "events of an ended job": each("/events"),
		"list of projects": func() int {
			for range subs {
				if a := g.Call(key, http.MethodGet, "/v1/projects?limit=8", nil); a.Status != http.StatusOK {
					t.Fatalf("the list: %d %s", a.Status, a.Body)
				}
			}
			return len(subs)
		},
	}
	lull(r.last(reported))
	_, rest, idle := r.usedBy(p, d, func() int { return 0 })
	for _, k := range kinds {
		n, took, used := r.usedBy(p, d, asks[k.name])
		for i := range used {
			used[i] = max(0, used[i]-idle[i]*float64(took)/float64(rest)) / float64(n)
		}
		s.row(k.name, fmt.Sprintf("%.1f", used[0]), fmt.Sprintf("%.2f ms", used[1]), fmt.Sprintf("%.2f ms", used[2]), fmt.Sprintf("%.2f ms", used[3]))
		s.figure(transactionsOf+k.name, used[0])
		s.figure(sidecarsOf+k.name, used[2])
		s.figure(proxyOf+k.name, used[3])
	}
}

// usedBy returns what PostgreSQL, the gateway, the sidecars and the engine proxy do, in
// transactions and milliseconds, while something is done, and until it is reported.
func (r *report) usedBy(p *rig.Pair, d *database, do func() int) (n int, took time.Duration, used [4]float64) {
	now := func() [4]float64 {
		ms := func(of *rig.Process) float64 { return float64(cpuOf(r.t, of)) / float64(time.Millisecond) }
		return [4]float64{d.transactions(), ms(&p.Gateways[0].Process), ms(p.Sidecar) + ms(p.Second), ms(p.Proxy)}
	}
	before, begun := now(), time.Now()
	n = do()
	lull(r.last(reported))
	after := now()
	for i := range used {
		used[i] = after[i] - before[i]
	}
	return n, time.Since(begun), used
}
