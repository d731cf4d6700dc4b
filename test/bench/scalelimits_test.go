package bench

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"
)

const (
	// coresOfMachine is what a machine of a cluster has in these reckonings.
	coresOfMachine = 8
	// people work with one gateway, and have as many streams open.
	people = 100
	// owners share the jobs out in the simulation of shards.
	owners = 100_000
)

// reckoned are the sections that follow from figures that were measured.
func reckoned(f map[string]float64) []*section {
	return []*section{manyGateways(f), shards(f), limits(f)}
}

// demand is what a number of gateways, with people at work, ask of what they share.
type demand struct {
	jobs         float64 // a second
	connections  float64 // of a sidecar in each gateway
	transactions float64 // a second
	late         float64 // of them, those that may be answered by what was true a moment ago
	sidecars     float64 // cores
	proxy        float64 // cores
}

func demandOf(gateways float64, f map[string]float64) (d demand) {
	d.connections = gateways * f[connections]
	d.transactions = gateways * f[idling]
	d.sidecars, d.proxy = gateways*f[idleSidecar]/1000, gateways*f[idleProxy]/1000
	for _, k := range kinds {
		often := gateways * k.often
		if k.name == kinds[0].name {
			d.jobs = often
		} else {
			d.late += often * f[transactionsOf+k.name]
		}
		d.transactions += often * f[transactionsOf+k.name]
		d.sidecars += often * f[sidecarsOf+k.name] / 1000
		d.proxy += often * f[proxyOf+k.name] / 1000
	}
	return d
}

// capacity is how many transactions a second PostgreSQL takes: two for each pair.
func capacity(f map[string]float64) float64 { return 2 * f[pairsASecond] }

// manyGateways reckons what becomes the limit.
func manyGateways(f map[string]float64) *section {
	s := &section{title: "10, 100 and 1,000 gateways", head: []string{"gateways", "jobs a second", "connections, a sidecar in each", "of PostgreSQL's transactions", "cores of sidecars", "cores of the engine proxy",
		"beyond what one takes"}}
	s.note = fmt.Sprintf("With %d people at work at each gateway: a person submits once in two minutes, polls each second for the half minute that a job takes, has a stream open, reads the events of the "+
		"job once more and lists the projects once a minute. PostgreSQL takes %.0f connections and %.0f transactions a second (durable ones on this machine; reads cost less), the engine proxy has %d cores. "+
		"Streams take %.0f MiB of each gateway.", people, f[mostConnections], capacity(f), coresOfMachine, people*f[memory]/1024)
	for _, n := range []float64{10, 100, 1000} {
		d := demandOf(n, f)
		var over []string
		for _, l := range limitsOf(d, f) {
			if l.share > 1 {
				over = append(over, fmt.Sprintf("%s (%.1f times)", l.name, l.share))
			}
		}
		if over == nil {
			over = []string{"nothing"}
		}
		s.row(fmt.Sprintf("%.0f", n), fmt.Sprintf("%.0f", d.jobs), fmt.Sprintf("%.0f", d.connections), fmt.Sprintf("%.0f %%", 100*d.transactions/capacity(f)),
			fmt.Sprintf("%.1f", d.sidecars), fmt.Sprintf("%.1f", d.proxy), strings.Join(over, ", "))
	}
	return s
}

// limit is something that all gateways share, and how much of it they ask for.
type limit struct {
	name  string
	share float64
}

func limitsOf(d demand, f map[string]float64) []limit {
	return []limit{
		{"connections", d.connections / f[mostConnections]},
		{"transactions", d.transactions / capacity(f)},
		{"the engine proxy", d.proxy / coresOfMachine},
	}
}

// shardCounts are the numbers of shards that are simulated.
var shardCounts = []int{2, 8, 32}

// shards simulates that owners, and with them their keys, projects, jobs and entries, are shared
// out among stores and engine proxies by their names.
func shards(f map[string]float64) *section {
	s := &section{title: "Parts in shards", head: []string{"shards", "the fullest has, of all", "times one shard", "jobs a second in as many PostgreSQLs"}}
	s.note = fmt.Sprintf("Simulated, and not built: %d owners, of whom the n-th most eager submits 1/(n+10) as much as the first would (Zipf), are shared out by a hash of their names. "+
		"No transaction takes two owners, so that shards never wait for each other; the fullest is the limit. The most eager owner has %.1f %% of all, and can't be parted.", owners, 100*eager(0)/allEager())
	perJob := max(1e-9, f[transactionsOf+kinds[0].name])
	for _, n := range shardCounts {
		most := fullest(n)
		s.row(n, fmt.Sprintf("%.1f %%", 100*most), fmt.Sprintf("%.1f", 1/most), fmt.Sprintf("%.0f", capacity(f)/perJob/most))
	}
	return s
}

func eager(owner int) float64 { return 1 / float64(owner+10) }

func allEager() (sum float64) {
	for i := range owners {
		sum += eager(i)
	}
	return sum
}

// fullest is the share of the fullest of n shards.
func fullest(n int) float64 {
	load := make([]float64, n)
	most := 0.0
	for i := range owners {
		h := fnv.New64a()
		_, _ = fmt.Fprintf(h, "user%d", i) // a hash fails never
		at := h.Sum64() % uint64(n)
		load[at] += eager(i)
		most = max(most, load[at])
	}
	return most / allEager()
}

// limits says what replaces what becomes too small, and from when.
func limits(f map[string]float64) *section {
	s := &section{title: "What becomes the limit, and what replaces it", note: "From how many gateways on, each with as many people as above.", head: []string{"limit", "reached at", "what replaces it", ""}}
	one := demandOf(1, f)
	at := func(each, most float64) string { return fmt.Sprintf("%.0f gateways", math.Floor(most/max(each, 1e-9))) }
	s.row("connections to PostgreSQL", at(one.connections, f[mostConnections]), "sidecars that many gateways share, `sidecar ADDRESS`", "built")
	s.row("a sidecar's processor", at(one.sidecars, coresOfMachine), "more sidecars on one PostgreSQL behind one name", "built")
	s.row("the memory of streams", fmt.Sprintf("%.0f streams a GiB", 1024*1024/max(f[memory], 1e-9)), "more gateways", "built")
	s.row("the one engine proxy of an installation", at(one.proxy, coresOfMachine), "an engine proxy a shard of projects: gateways ask the one that the project's hash names, and a claim is one of a shard", "not built")
	s.row("transactions of one PostgreSQL", at(one.transactions, capacity(f)), fmt.Sprintf("first a faster disk; then read replicas for lists, polls and events, which are %.0f %% of the transactions; "+
		"then the ledger in shards by owner, %.0f times as much in %d", 100*one.late/max(one.transactions, 1e-9), 1/fullest(8), 8), "not built")
	s.row("rows of the store", fmt.Sprintf("no number: a pair among the most rows took %.2g times as long as among the fewest", f[slower]), "`retain` ends jobs and events; a disk for what stays", "built")
	return s
}
