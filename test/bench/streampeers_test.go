package bench

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/svc-games/svc/api/sse"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/programs"
	"github.com/svc-games/svc/test/wait"
)

const (
	// besideStreams are open at each of those that are compared, at the same time, of so
	// many logs. They have an event so often that 2,000 are delivered a second: what a
	// gateway does for its engines meanwhile is little against that.
	besideStreams, besideJobs = 500, 20
	besideChatter             = 250 * time.Millisecond
	// besideTime is how long a round of theirs is.
	besideTime = 10 * time.Second
	// eventBudget is what an event may take of the processor time that bare Caddy takes, and
	// eventFails from where a short run fails: on a crowded machine 0.8 was measured.
	eventBudget, eventFails = 0.5, 1.0
	// lateFails is from where a short run fails by how late the latest events of each of its
	// rounds came, by how late they did from bare Caddy and lateAnyway more.
	lateFails, lateAnyway = 2, 5 * time.Millisecond
)

// beside is one of those whose streams are compared.
type beside struct {
	*peer
	readers readers
	memory  string          // a stream's
	late    []time.Duration // p99 of its events' ways, by round
}

// eventsBeside measures the processor time of a delivered event against that of others, of
// the same events at the same time. Each of the others has a connection to its source for
// each of its streams.
func (r *report) eventsBeside() {
	t := r.t
	const n = besideStreams
	w := r.warm(warming{program: programs.Build(t, fakeengine.Folder), projects: besideJobs, switches: &fakeengine.Switches{Chatter: besideChatter}, prefix: pinned(t, 0)})
	ours := &beside{peer: &peer{name: "svc", Process: &w.Process}, readers: readers{addr: w.Addr}}
	for i := range n {
		ours.readers.open(t, get(w.Addr, w.key, eventsPath(w.jobs[i%len(w.jobs)])), false)
	}
	all := []*beside{ours}
	source := chats(r)
	for _, p := range append([]*peer{r.caddy("bare Caddy, reverse_proxy", fmt.Sprintf(bare, source), w.key, "/")}, r.packaged(source, w.key, "/")...) {
		b := &beside{peer: p, readers: readers{addr: p.addr}}
		before := resident(t, p.PID())
		for i := range n {
			b.readers.open(t, get(p.addr, w.key, eventsPath(w.jobs[i%len(w.jobs)])), false)
		}
		wait.Until(t, "all streams of "+p.name+" have had events", func() bool { return b.readers.events.Load() >= int64(2*n) })
		b.memory = fmt.Sprintf("%.1f KB", float64(resident(t, p.PID())-before)/1024/float64(n))
		all = append(all, b)
	}
	wait.Until(t, "all streams are open", func() bool { return ours.readers.opened.Load() == int64(n) })
	before, seen := r.counted(w.Gateway), ours.readers.events.Load()
	for range max(3, r.n(rounds)) {
		r.roundBeside(all)
	}
	allocations, calls := r.counted(w.Gateway).since(before, ours.readers.events.Load()-seen)
	for _, b := range all {
		b.readers.close()
	}
	r.stop(w)
	bare := all[1]
	s := r.section("Events beside others", fmt.Sprintf("Processor time of the process for each delivered event, and its resident memory for each stream: %d streams "+
		"of %d logs at each at the same time, HTTP/1.1, an event every %v; medians of %d rounds of %v. The streams of svc are of its engines, those of the others of a "+
		"server that has the same events.", n, len(w.jobs), besideChatter, len(ours.cpu), r.lastBeside()), "setup", "CPU per event", "against bare Caddy", "p99", "memory a stream", "budget", "")
	for _, b := range all {
		budget, says := "", ""
		if b == ours {
			budget, says = fmt.Sprintf("%.2f", eventBudget), verdict(s.kept("processor time of an event", share(b.against(bare.peer), eventBudget)))
		}
		s.row(b.name, fmt.Sprintf("%.1f µs", median(b.cpu)), fmt.Sprintf("%.2f", b.against(bare.peer)), millis(median(b.late)), b.memory, budget, says)
	}
	late := make([]float64, len(ours.late))
	for i := range late {
		late[i] = share(ours.late[i], bare.late[i]+lateAnyway)
	}
	r.hold(slices.Min(late) <= lateFails, "the latest events come after %v, and from bare Caddy after %v", ours.late, bare.late)
	r.eventTakes(allocations, calls)
	r.hold(ours.against(bare.peer) <= eventFails, "an event takes %.2f of what it takes bare Caddy, want at most %.2f", ours.against(bare.peer), eventFails)
}

// eventTakes says what a delivered event takes of the gateway, of whatever machine.
func (r *report) eventTakes(allocations, calls float64) {
	s := r.section("What an event takes", "Of the gateway's process, for each event that came to a client, those of reading it from its engine among it.", "", "measured", "most in a short run")
	s.row("allocations", fmt.Sprintf("%.2f", allocations), mostEventAllocations)
	r.hold(allocations <= mostEventAllocations, "an event takes %.2f allocations, want at most %v", allocations, mostEventAllocations)
	s.row("system calls that read or write", fmt.Sprintf("%.2f", calls), mostEventCalls)
	r.hold(calls <= mostEventCalls, "an event takes %.2f reads and writes, want at most %v", calls, mostEventCalls)
}

func (r *report) lastBeside() time.Duration { return max(2*time.Second, r.last(besideTime)) }

// roundBeside notes what each of them took for an event in a while.
func (r *report) roundBeside(all []*beside) {
	used, events := make([]time.Duration, len(all)), make([]int64, len(all))
	for i, b := range all {
		used[i], events[i] = cpuOf(r.t, b.Process), b.readers.events.Load()
		b.readers.measure.Store(true)
	}
	<-time.After(r.lastBeside())
	for i, b := range all {
		b.readers.measure.Store(false)
		b.late = append(b.late, quantile(append(b.readers.took(), 0), 0.99))
		n := max(1, b.readers.events.Load()-events[i])
		b.cpu = append(b.cpu, float64((cpuOf(r.t, b.Process)-used[i]).Nanoseconds())/1000/float64(n))
	}
}

// chats serves event streams as engines do: those of one path have an event at the same
// moments. At / it answers a record.
func chats(r *report) (addr string) {
	return serveAll(r.t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !strings.HasSuffix(req.URL.Path, "/events") {
			_, _ = w.Write([]byte("{}\n")) // a client that left is no failure
			return
		}
		sse.SetHeaders(w.Header())
		if _, err := w.Write([]byte(sse.FirstBlock)); err != nil {
			return
		}
		flusher := http.NewResponseController(w)
		hash := fnv.New32()
		_, _ = hash.Write([]byte(req.URL.Path)) // it never fails
		next := time.Now().Truncate(besideChatter).Add(time.Duration(hash.Sum32()) % besideChatter)
		for id := 1; flusher.Flush() == nil; id++ {
			next = next.Add(besideChatter)
			select {
			case <-time.After(time.Until(next)):
			case <-req.Context().Done():
				return
			}
			if _, err := fmt.Fprintf(w, "id: %d\nevent: job.progress\ndata: {\"type\":\"job.progress\",\"id\":%d,\"data\":{\"stage\":\"planning\",\"percent\":10,"+
				"\"message\":\"%d\"}}\n\n", id, id, next.UnixNano()); err != nil {
				return
			}
		}
	}))
}
