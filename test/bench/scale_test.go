package bench

import (
	"database/sql"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
)

// TestGrowth measures what docs/scale.md says of growth.
func TestGrowth(t *testing.T) {
	if *results == "" {
		long.Only(t)
	}
	r := &report{t: t, title: "Growth", full: *results != ""}
	var g growth
	for _, measure := range []func(*growth){r.rows, r.fullLedger, r.streams, r.idleSidecars, r.idleGateways, r.sharedStore, r.gateways} {
		if measure(&g); t.Failed() {
			return
		}
	}
	if r.full {
		r.write(*results, "make scale")
	}
	for _, s := range r.sections {
		t.Logf("%s\n%v\n%v", s.title, s.head, s.rows)
	}
}

// growth is what the sections found that the last one reckons with.
type growth struct {
	transactions float64 // of PostgreSQL, a second and idle sidecar
	connections  float64 // to PostgreSQL, of an idle sidecar
	most         float64 // connections that PostgreSQL takes
	sidecar      float64 // processor time of one sidecar, a second and idle gateway
	proxy        float64 // of the engine proxy, likewise
	pairs        float64 // of reserve and commit that one PostgreSQL takes a second
}

// rows measures what the store takes on the disk.
func (r *report) rows(*growth) {
	t, n := r.t, r.n(4000)
	dir := t.TempDir()
	s := r.section("What is kept", fmt.Sprintf("Bytes of SQLite's file for each of %d rows, indexes included, after the file was closed. A job here is one that was admitted; "+
		"what it reports makes its row longer, at most by the record's 4 KiB. Rows of jobs go after `retain`, entries of the ledger never do.", n), "row", "bytes")
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "svc.db"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	var orders []sidecar.Reservation
	fill := func(name string, one func(st *store.Store, i int) error) {
		t.Helper()
		var before int64
		for _, count := range []int{0, n} { // the first makes the file
			st, err := store.OpenSQLite(t.Context(), filepath.Join(dir, "svc.db"))
			if err != nil {
				t.Fatal(err)
			}
			for i := range count {
				if err := one(st, i); err != nil {
					t.Fatal(err)
				}
			}
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			if count == 0 {
				before = size()
			}
		}
		s.row(name, fmt.Sprintf("%.0f", float64(size()-before)/float64(n)))
	}
	user := func(i int) string { return fmt.Sprintf("user%d", i) }
	fill("user", func(st *store.Store, i int) error {
		_, err := keys.New(st, nil).CreateUser(t.Context(), "bench", user(i), 0)
		return err
	})
	fill("key", func(st *store.Store, i int) error {
		key, err := keys.New(st, nil).Create(t.Context(), "bench", user(i), "key", policy.Limits{})
		orders = append(orders, sidecar.Reservation{KeyID: key.ID})
		return err
	})
	fill("project", func(st *store.Store, i int) error {
		p, err := projects.New(projects.Options{Store: st, Now: time.Now, MaxPerUser: 1}).CreateProject(t.Context(), user(i), api.ProjectRequest{Name: "game", Template: api.TemplateBlank})
		orders[i].ProjectID = p.ID
		return err
	})
	fill("job", func(st *store.Store, i int) error {
		l, err := ledger.New(ledger.Options{Store: st, Logger: zap.NewNop()})
		if err != nil {
			return err
		}
		orders[i].JobID = api.NewJobID(time.Now())
		if _, err = l.Reserve(t.Context(), orders[i]); err != nil {
			return err
		}
		return l.Commit(t.Context(), orders[i].JobID)
	})
	s.row("event of a player, in `analytics.db`", fmt.Sprintf("%.0f", r.playedEvent(dir)))
}

// playedEvent returns how many bytes an event of a player takes on the disk.
func (r *report) playedEvent(dir string) float64 {
	path := filepath.Join(dir, analytics.File)
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			r.t.Fatal(err)
		}
		return info.Size()
	}
	r.openIngestion(path).close() // makes the file
	before := size()
	in := r.openIngestion(path)
	kept := in.play(r.last(4*time.Second), 0)
	in.close()
	return float64(size()-before) / float64(max(1, len(kept.times)*ofBatch))
}

// fullLedger measures a submission's two transactions in ledgers that hold more and more.
func (r *report) fullLedger(*growth) {
	t := r.t
	s := r.section("Jobs that are kept", "A pair of reserve and commit in SQLite, one client, while so many jobs are kept of other projects: what is kept is found by its key.",
		"jobs", "p50", "p99")
	st, err := openSQLite(t)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	l, err := ledger.New(ledger.Options{Store: st, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	const clients = 64
	orders := r.orders(keys.New(st, nil), projects.New(projects.Options{Store: st, Now: time.Now, MaxPerUser: benchProjects}), clients)
	kept, measured := 0, 0
	sizes := []int{1_000, 10_000, 100_000}
	if !r.full {
		sizes = []int{100}
	}
	for _, most := range sizes {
		var wg sync.WaitGroup
		for i := range clients {
			wg.Go(func() {
				for range (most - kept) / clients {
					order := orders[i][0]
					order.JobID = api.NewJobID(time.Now())
					if err := l.Withdraw(t.Context(), order); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		kept = most
		var times []time.Duration
		for range r.n(500) {
			order := orders[measured%clients][1+measured/clients/ledger.DefaultMaxQueued]
			measured++
			begun := time.Now()
			order.JobID = api.NewJobID(begun)
			_, err := l.Reserve(t.Context(), order)
			if err == nil {
				err = l.Commit(t.Context(), order.JobID)
			}
			if err != nil {
				t.Fatal(err)
			}
			times = append(times, time.Since(begun))
		}
		s.row(most, millis(quantile(times, 0.5)), millis(quantile(times, 0.99)))
	}
}

// streams measures what an open stream takes of the gateway's memory.
func (r *report) streams(*growth) {
	t := r.t
	const each = 50 // of a key, which may have 64
	most := each
	if r.full {
		most = 1000
	}
	m := rig.LaunchMachine(t, "", script.Engine{Hold: "stay"})
	defer m.Hold("stay")()
	m.NewUser("bench", "1000")
	key := m.NewKey("bench")
	sub := m.Generate(key, m.NewProject(key))
	path := strings.Replace(rig.StatusPath(sub), "/status?", "/events?", 1)
	before := resident(t, m.PID())
	for n := range most {
		if n%each == 0 && n > 0 {
			if n%(20*each) == 0 { // a user has 20 keys
				t.Fatal("one user's keys are not enough")
			}
			key = m.NewKey("bench")
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+m.Addr+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-API-Key", key.Secret)
		resp, err := m.HTTP.Do(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("stream %d: %v, %v", n, resp, err)
		}
		defer resp.Body.Close()
		if _, err := resp.Body.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	s := r.section("Event streams", fmt.Sprintf("Resident memory of the gateway's process for each of %d open streams of one job, without the kernel's sockets. "+
		"A gateway opens as many as `streams` says, and is refused more; another gateway takes them.", most), "", "KiB a stream")
	s.row("gateway", fmt.Sprintf("%.1f", float64(resident(t, m.PID())-before)/1024/float64(most)))
}

// resident returns the memory of a process, in bytes.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	var total, pages int64
	if _, err := fmt.Sscan(string(raw), &total, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// idleSidecars measures what sidecars that nobody asks do to PostgreSQL.
func (r *report) idleSidecars(g *growth) {
	t := r.t
	s := r.section("Sidecars on one PostgreSQL", "Transactions a second and connections while nobody asks for anything: each sidecar, and the memory of the gateway over it, follows the log of revocations.",
		"sidecars", "transactions a second", "connections")
	url := postgrestest.URL(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ask := func(query string) (n float64) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	g.most = ask("SELECT setting::float FROM pg_settings WHERE name = 'max_connections'")
	ours := ask("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
	var rates, connections []float64
	counts := []int{1, 4, 8}
	open := 0
	for _, n := range counts {
		for ; open < n; open++ {
			openNode(t, url, "")
		}
		lull(r.last(4 * time.Second)) // what they began with is done
		before, begun := ask("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"), time.Now()
		lull(r.last(10 * time.Second))
		rate := (ask("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()") - before) / time.Since(begun).Seconds()
		held := ask("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()") - ours
		rates, connections = append(rates, rate), append(connections, held)
		s.row(n, fmt.Sprintf("%.1f", rate), held)
	}
	last := len(counts) - 1
	span := float64(counts[last] - counts[0])
	g.transactions, g.connections = (rates[last]-rates[0])/span, (connections[last]-connections[0])/span
	s.row("each more", fmt.Sprintf("%.1f", g.transactions), fmt.Sprintf("%.1f", g.connections))
}

// idleGateways measures what gateways that nobody asks take of what they share.
func (r *report) idleGateways(g *growth) {
	t := r.t
	s := r.section("Gateways over one sidecar and one engine proxy", "Processor time while nobody asks for anything, in thousandths of a core.", "gateways", "sidecar", "engine proxy")
	counts := []int{1, 6}
	var side, proxy []float64
	for _, n := range counts {
		c := rig.LaunchCluster(t, n, "", script.Engine{})
		lull(r.last(4 * time.Second))
		used := func() (total [2]time.Duration) {
			for i, p := range []*rig.Process{c.Sidecar, c.Proxy} {
				var err error
				if total[i], err = cpu(p.PID()); err != nil {
					t.Fatal(err)
				}
			}
			return total
		}
		before, begun := used(), time.Now()
		lull(r.last(30 * time.Second))
		after, took := used(), time.Since(begun).Seconds()
		side = append(side, (after[0]-before[0]).Seconds()/took)
		proxy = append(proxy, (after[1]-before[1]).Seconds()/took)
		s.row(n, thousandths(side[len(side)-1]), thousandths(proxy[len(proxy)-1]))
		for _, each := range c.Gateways {
			if err := each.Stop(); err != nil {
				t.Fatal(err)
			}
		}
	}
	span := float64(counts[1] - counts[0])
	g.sidecar, g.proxy = max(0, side[1]-side[0])/span, max(0, proxy[1]-proxy[0])/span
	s.row("each more", thousandths(g.sidecar), thousandths(g.proxy))
}

func thousandths(cores float64) string { return fmt.Sprintf("%.1f", 1000*cores) }

// lull has a measured time pass.
func lull(d time.Duration) { <-time.After(d) }

// sharedStore measures how many submissions one PostgreSQL takes, by whoever brings them.
func (r *report) sharedStore(g *growth) {
	t := r.t
	s := r.section("Submissions by several sidecars", "Durable pairs of reserve and commit a second in one PostgreSQL on this machine, 32 clients.", "sidecars", "pairs a second", "p99")
	for _, nodes := range []int{1, 2, 4, 8} {
		url := postgrestest.URL(t)
		times, took := r.load(func(t *testing.T) (*store.Store, error) { return store.OpenPostgres(t.Context(), url) }, false, nodes, 32)
		pairs := float64(len(times)) / took.Seconds()
		g.pairs = max(g.pairs, pairs)
		s.row(nodes, fmt.Sprintf("%.0f", pairs), millis(quantile(times, 0.99)))
	}
}

// gateways reckons what becomes the limit.
func (r *report) gateways(g *growth) {
	s := r.section("10, 100 and 1,000 gateways", fmt.Sprintf("Reckoned from the slopes above, without a request. PostgreSQL takes %.0f connections as it comes, and about %.0f transactions a second on this machine "+
		"(two for each pair). *Embedded*: each gateway has its own sidecar; *shared*: all ask one.", g.most, 2*g.pairs),
		"gateways", "embedded: connections", "embedded: of PostgreSQL's transactions", "shared: cores of the sidecar", "cores of the engine proxy")
	for _, n := range []float64{10, 100, 1000} {
		s.row(fmt.Sprintf("%.0f", n), fmt.Sprintf("%.0f", n*g.connections), fmt.Sprintf("%.1f %%", 100*n*g.transactions/(2*g.pairs)),
			fmt.Sprintf("%.2f", n*g.sidecar), fmt.Sprintf("%.2f", n*g.proxy))
	}
	connections := math.Floor(g.most / max(g.connections, 1))
	s = r.section("What becomes the limit, and what replaces it", "What is built is said so; the rest is not.", "limit", "at", "what replaces it")
	s.row("PostgreSQL's connections", fmt.Sprintf("%.0f gateways with a sidecar each", connections),
		"sidecars of their own, which many gateways share (built: `sidecar ADDRESS`); a pooler before PostgreSQL")
	s.row("submissions in one PostgreSQL", fmt.Sprintf("%.0f a second, whatever the number of gateways", g.pairs),
		"a faster disk; then the ledger parted by owner: a key, its user, projects, jobs and entries are of one owner, and no transaction takes two")
	s.row("reads of the store", "the same transactions", "each gateway's memory of keys, decisions and records (built), which costs a lease of half a second; then read replicas for lists")
	s.row("one sidecar's processor", fmt.Sprintf("%.0f idle gateways a core", 1/max(g.sidecar, 1e-9)), "more sidecars on one PostgreSQL behind one name (built)")
	s.row("the one engine proxy of a store", fmt.Sprintf("%.0f idle gateways a core; every stream and submission of gateways on other hosts passes it", 1/max(g.proxy, 1e-9)),
		"several engine proxies, each with a shard of the projects: the claim of an installation would be one of a shard")
}
