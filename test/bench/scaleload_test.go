package bench

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"

	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
)

const (
	// streamsOfKey is how many streams a key has here; it may have 64.
	streamsOfKey = 50
	streamsNote  = "Resident memory of the gateway's process, without the kernel's sockets, for each stream of one job that runs and says nothing. A gateway opens as many as " +
		"`streams` says and refuses more; another gateway takes them."
)

// heldStreams measures what an open stream takes of the gateway's memory.
func (r *report) heldStreams(s *section) {
	t := r.t
	m := rig.LaunchMachine(t, "", script.Engine{Hold: "stay"})
	defer m.Hold("stay")()
	m.NewUser("bench", "1000")
	key := m.NewKey("bench")
	sub := m.Generate(key, m.NewProject(key))
	path := strings.Replace(rig.StatusPath(sub), "/status?", "/events?", 1)
	var before int64 // with the first ones open
	open, last := 0, 0.0
	for _, n := range []int{1, 5, 19} { // keys: a user has 20
		for ; open < max(n, r.n(n*streamsOfKey)); open++ {
			if open%streamsOfKey == 0 && open > 0 {
				key = m.NewKey("bench")
			}
			hold(t, m.HTTP, key, "http://"+m.Addr+path)
		}
		if now := resident(t, m.PID()); before == 0 {
			before = now
		} else {
			last = float64(now-before) / 1024 / float64(open-max(1, r.n(streamsOfKey)))
			s.row(open, fmt.Sprintf("%.1f", last))
		}
	}
	s.figure(memory, last)
}

// hold opens a stream, which is open to the end of the test.
func hold(t *testing.T, client *http.Client, key rig.Key, address string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key.Secret)
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() }) // it is cut off
	if _, err := res.Body.Read(make([]byte, 1)); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("a stream is answered %d, %v", res.StatusCode, err)
	}
}

// database is PostgreSQL as it counts itself.
type database struct {
	t   *testing.T
	db  *sql.DB
	url string
	own int // transactions of this, which are not counted
}

func newDatabase(t *testing.T) *database {
	t.Helper()
	url := postgrestest.URL(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() }) // nothing is lost
	return &database{t: t, db: db, url: url}
}

func (d *database) ask(query string) (n float64) {
	d.t.Helper()
	d.own++
	if err := d.db.QueryRowContext(d.t.Context(), query).Scan(&n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

// transactions is how many there were, of others. Connections report theirs at most ten seconds
// late.
func (d *database) transactions() float64 {
	d.t.Helper()
	return d.ask("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()") - float64(d.own)
}

// connectionsOf counts those that others have open.
const connectionsOf = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

// lull has a measured time pass.
func lull(d time.Duration) { <-time.After(d) }

// reported is how late connections report their transactions.
const reported = 11 * time.Second

const sidecarsNote = "Transactions a second, and connections, of gateways that have a sidecar each on one PostgreSQL, while nobody asks for anything: each follows the log of revocations."

// idleSidecars measures what sidecars that nobody asks do to PostgreSQL.
func (r *report) idleSidecars(s *section) {
	d := newDatabase(r.t)
	others := d.ask(connectionsOf)
	var rates []float64
	counts := []int{1, 8}
	open := 0
	for _, n := range counts {
		for ; open < n; open++ {
			openNode(r.t, d.url, "")
		}
		lull(r.last(reported)) // what they began with is reported
		before, begun := d.transactions(), time.Now()
		lull(r.last(reported))
		rates = append(rates, (d.transactions()-before)/time.Since(begun).Seconds())
		s.row(n, fmt.Sprintf("%.1f", rates[len(rates)-1]), d.ask(connectionsOf)-others)
	}
	s.figure(idling, max(0, rates[1]-rates[0])/float64(counts[1]-counts[0]))
	s.figure(connections, r.busyConnections())
	s.figure(mostConnections, d.ask("SELECT boot_val::float FROM pg_settings WHERE name = 'max_connections'"))
}

// busyConnections returns how many connections a sidecar takes that many ask at once.
func (r *report) busyConnections() float64 {
	d := newDatabase(r.t)
	others := d.ask(connectionsOf) // the idle ones among them
	ctx, cancel := context.WithCancel(r.t.Context())
	most := make(chan float64)
	go func() {
		var n, at float64
		for ctx.Err() == nil {
			if d.db.QueryRowContext(ctx, connectionsOf).Scan(&at) == nil { // not while it begins or ends
				n = max(n, at)
			}
		}
		most <- n
	}()
	r.load(func(t *testing.T) (*store.Store, error) { return store.OpenPostgres(t.Context(), d.url) }, false, 1, 64)
	cancel()
	return <-most - others
}

const gatewaysNote = "Processor time while nobody asks for anything, in thousandths of a core."

// idleGateways measures what gateways that nobody asks take of what they share.
func (r *report) idleGateways(s *section) {
	t := r.t
	counts := []int{1, 6}
	var used [2][]float64 // by part
	for _, n := range counts {
		c := rig.LaunchCluster(t, n, "", script.Engine{})
		lull(r.last(4 * time.Second))
		parts := []*rig.Process{c.Sidecar, c.Proxy}
		var before [2]time.Duration
		for i, p := range parts {
			before[i] = cpuOf(t, p)
		}
		begun := time.Now()
		lull(r.last(20 * time.Second))
		took := time.Since(begun)
		for i, p := range parts {
			used[i] = append(used[i], 1000*float64(cpuOf(t, p)-before[i])/float64(took))
		}
		s.row(n, fmt.Sprintf("%.1f", used[0][len(used[0])-1]), fmt.Sprintf("%.1f", used[1][len(used[1])-1]))
		for _, g := range c.Gateways {
			if err := g.Stop(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, name := range []string{idleSidecar, idleProxy} {
		s.figure(name, max(0, used[i][1]-used[i][0])/float64(counts[1]-counts[0]))
	}
}

const storeNote = "Durable pairs of reserve and commit, of 32 clients in one PostgreSQL on this machine, by whoever brings them."

// sharedStore measures how many submissions one PostgreSQL takes.
func (r *report) sharedStore(s *section) {
	best := 0.0
	for _, nodes := range []int{1, 4} {
		d := newDatabase(r.t)
		times, took := r.load(func(t *testing.T) (*store.Store, error) { return store.OpenPostgres(t.Context(), d.url) }, false, nodes, 32)
		pairs := float64(len(times)) / took.Seconds()
		best = max(best, pairs)
		s.row(nodes, fmt.Sprintf("%.0f", pairs), millis(quantile(times, 0.99)))
	}
	s.figure(pairsASecond, best)
}
