package bench

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/test/collector"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/programs"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

const (
	// warmProjects is how many projects are submitted to, each with its engine.
	warmProjects = 30
	// pace is how many submissions a second are sent, whatever becomes of those before.
	pace = 300
	// submitters is how many clients submit as fast as they can, to so many projects.
	submitters, crowdedProjects = 64, 120
	// each is how many jobs more may wait in a project where one does.
	each = ledger.DefaultMaxQueued - 1
)

// unbounded is wide with engines of a program, and without the bounds that so many jobs
// and streams would meet. The argument is the program.
const unbounded = global + `	svc {
		data_dir "{$SVC_DATA_DIR}"
		max_streams 20000
		max_streams_per_key 20000
		engines embedded {
			frameworks {$SVC_FRAMEWORKS}
			command %s
			max_engines 256
			max_per_owner 256
		}
	}
` + chain

// warm is a gateway with projects whose engines are ready.
type warm struct {
	*rig.Gateway
	key      rig.Key
	projects []string
	jobs     []api.Submission // the first of each
}

// submissions measures submissions to warm engines: key, decision, durable reservation,
// durable acceptance by the engine, durable commit.
func (r *report) submissions() {
	s := r.section("Submission", fmt.Sprintf("Submissions to the warm engines of %d projects: key, decision, durable reservation, durable acceptance by the "+
		"engine, durable commit; %d to each project, as many as may wait, in each of %d rounds. At %d a second the time is from when a submission was due. "+
		"Of %d clients each sends the next one when it has its answer, to %d projects, and the gateway is on one core.",
		warmProjects, each, r.n(rounds), pace, submitters, crowdedProjects), "", "a second", "p50", "p99", "budget", "")
	const p50Budget, p99Budget, rateBudget = 3 * time.Millisecond, 15 * time.Millisecond, 4000

	accept := warming{program: programs.Build(r.t, fakeengine.Folder), projects: warmProjects, switches: &fakeengine.Switches{AcceptOnly: true}}
	p50, p99, _ := r.submit(accept, pace)
	kept := s.kept("p50, p99 at 300 a second", share(p50, p50Budget), share(p99, p99Budget))
	s.row("engines that only accept", pace, millis(p50), millis(p99), "p50 3 ms, p99 15 ms", verdict(kept))
	r.missed(s, kept, "submissions at 300 a second", func() []byte { return r.whileSubmitting(accept, pace) })

	p50, p99, _ = r.submit(warming{program: rig.Program(r.t, "engine"), projects: warmProjects}, pace)
	s.row("the reference engine, whose jobs end at once: archived and settled beside it", pace, millis(p50), millis(p99), "", "")

	accept.prefix, accept.projects = pinned(r.t, 0), crowdedProjects
	p50, p99, rate := r.submit(accept, 0)
	kept = s.kept("4,000 a second", share(rateBudget, rate))
	s.row(fmt.Sprintf("engines that only accept, %d clients", submitters), fmt.Sprintf("%.0f", rate), millis(p50), millis(p99), "4,000 a second", verdict(kept))
	r.missed(s, kept, fmt.Sprintf("submissions of %d clients", submitters), func() []byte { return r.whileSubmitting(accept, 0) })
	r.countsOfASubmission()
	r.wayOfASubmission()
}

// wayOfASubmission says where the time of a submission to the reference engine goes, by
// the service's own traces.
func (r *report) wayOfASubmission() {
	c := collector.New(r.t)
	w := r.warm(warming{program: rig.Program(r.t, "engine"), projects: 2,
		env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_BSP_SCHEDULE_DELAY=50"}})
	n := r.n(200)
	for i := range n {
		submit(r.t, w.Gateway, w.key, w.projects[i%len(w.projects)])
		wait.Until(r.t, "the engine is idle again", func() bool { return w.Usage(w.key).RunningJobs == 0 })
	}
	steps := map[string][]time.Duration{}
	wait.Until(r.t, "the spans have come", func() bool {
		clear(steps)
		for _, s := range c.Spans(func(s collector.Span) bool { return true }) {
			steps[s.Name] = append(steps[s.Name], s.Took)
		}
		return len(steps["sidecar commit"]) >= n
	})
	s := r.section("The way of a submission", fmt.Sprintf("Spans of %d submissions, one after the other, to an idle reference engine. The engine's is within "+
		"that of the gateway's request, as all others are.", n), "span", "p50", "p99")
	for _, name := range slices.SortedFunc(maps.Keys(steps), func(a, b string) int { return cmp.Compare(median(steps[b]), median(steps[a])) }) {
		if len(steps[name]) >= n {
			s.row(name, millis(median(steps[name])), millis(quantile(steps[name], 0.99)))
		}
	}
	r.stop(w)
}

// stop ends a gateway and its engines before the next is measured.
func (r *report) stop(w warm) {
	if err := w.Stop(); err != nil {
		r.t.Fatal(err)
	}
	for _, pid := range w.Engines() {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may be gone already
		}
	}
}

// warming is what warm starts.
type warming struct {
	program  string // of the engines
	projects int
	switches *fakeengine.Switches // of the fake engines; nil: they are others
	prefix   []string             // of the gateway's arguments
	env      []string             // with which it sends its traces somewhere
}

// warm starts a gateway and has the engines of some projects take a job each.
func (r *report) warm(o warming) warm {
	t := r.t
	config := fmt.Sprintf(unbounded, o.program)
	if o.env != nil {
		config = strings.Replace(config, "\thandle /v1/*", "\ttracing\n\thandle /v1/*", 1)
	}
	w := warm{Gateway: rig.Launch(t, rig.Options{Caddyfile: config, Prefix: o.prefix, Env: o.env})}
	w.NewUser("bench", "1000000000")
	w.key = w.NewKey("bench")
	for range max(2, r.n(o.projects)) {
		project := w.NewProject(w.key)
		if o.switches != nil {
			if err := fakeengine.WriteSwitches(filepath.Join(w.Dir, "projects", project), *o.switches); err != nil {
				t.Fatal(err)
			}
		}
		w.projects = append(w.projects, project)
		w.jobs = append(w.jobs, w.Generate(w.key, project))
	}
	if o.switches == nil {
		wait.Until(t, "the engines are idle", func() bool { return w.Usage(w.key).RunningJobs == 0 })
	}
	return w
}

// request returns the bytes of a submission.
func (w warm) request(project string) []byte {
	body := fmt.Sprintf(`{"projectId":%q,"prompt":"a yellow duck that flaps through gaps between pipes"}`, project)
	return fmt.Appendf(nil, "POST /v1/generate HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		w.Addr, w.key.Secret, len(body), body)
}

// submit sends as many submissions as may wait, in several rounds, and returns the medians
// of the times and of how many there were a second. They come at a pace, from when each is
// due; with 0 as fast as the clients get answers.
func (r *report) submit(o warming, pace int) (p50, p99 time.Duration, rate float64) {
	var p50s, p99s []time.Duration
	var rates []float64
	for range r.n(rounds) {
		w := r.warm(o)
		took, lasted := r.round(w, pace)
		p50s, p99s = append(p50s, quantile(took, 0.5)), append(p99s, quantile(took, 0.99))
		rates = append(rates, float64(len(took))/lasted.Seconds())
		r.stop(w)
	}
	return median(p50s), median(p99s), median(rates)
}

// whileSubmitting returns the processor's profile of a gateway during one more round.
func (r *report) whileSubmitting(o warming, pace int) []byte {
	w := r.warm(o)
	defer r.stop(w)
	return r.ofGateway(w.Gateway, func() { r.round(w, pace) })
}

func (r *report) round(w warm, pace int) (took []time.Duration, lasted time.Duration) {
	took = make([]time.Duration, each*len(w.projects))
	due := make(chan int, len(took))
	begin := time.Now()
	at := func(i int) time.Time { return begin.Add(time.Duration(i) * time.Second / time.Duration(pace)) }
	var wg sync.WaitGroup
	for range submitters {
		wg.Go(func() {
			r.over(w, func(send func(project string) bool) {
				for i := range due {
					from := time.Now()
					if pace > 0 {
						from = at(i)
					}
					if !send(w.projects[i%len(w.projects)]) {
						return
					}
					took[i] = time.Since(from)
				}
			})
		})
	}
	for i := range took {
		if pace > 0 {
			<-time.After(time.Until(at(i)))
		}
		due <- i
	}
	close(due)
	wg.Wait()
	if r.t.Failed() {
		r.t.Fatal("not every submission was accepted")
	}
	return took, time.Since(begin)
}

// over has work done on a connection of its own.
func (r *report) over(w warm, work func(send func(project string) bool)) {
	conn, err := net.Dial("tcp", w.Addr)
	if err != nil {
		r.t.Error(err)
		return
	}
	defer conn.Close()
	buf := make([]byte, 16<<10)
	work(func(project string) bool {
		err := exchange(conn, w.request(project), buf)
		if err != nil {
			r.t.Error(err)
		}
		return err == nil
	})
}
