package contract

import (
	"maps"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine/contract/killpoint"
)

// A plot is what happens to an engine that may be killed meanwhile. Before it
// the project has a game, made by an earlier job.
type plot struct {
	e       *engine
	id      string // of the job that the plot is about
	former  wire.JobRecord
	settled wire.JobRecord // how the job ended in an undisturbed run
}

// followUp is the request of the plot's job: a change, and something to store.
func followUp() map[string]any {
	return map[string]any{
		"prompt": "make it pink, " + marker, "instructions": "Be kind.", "settings": map[string]any{"reasoningLevel": "low"},
		"skills": []map[string]any{{"key": "jump", "title": "Jumping", "files": []map[string]any{{"path": "a/b.js", "content": "x"}, {"path": "c.js", "content": "y"}}}},
	}
}

// newPlot makes a project with a game.
func newPlot(t *testing.T, target Target) *plot {
	t.Helper()
	e := startEngine(t, target)
	p := &plot{e: e, id: mint.NewJobID(time.Now())}
	p.former = p.e.feed.finish(e.acceptRequest(map[string]any{"settings": map[string]any{"reasoningLevel": "low"}}))
	if p.former.Status != api.JobCompleted {
		t.Fatalf("the first job: %+v", p.former)
	}
	p.e.feed.leave()
	e.kill()
	return p
}

// copied is the plot on a copy of its volume.
func (p *plot) copied(t *testing.T) *plot {
	t.Helper()
	e := newEngine(t, p.e.target)
	e.projectID = p.e.projectID
	if err := os.CopyFS(e.volume, os.DirFS(p.e.volume)); err != nil {
		t.Fatal(err)
	}
	c := *p
	c.e = e
	e.feed.feedID, e.feed.seq, e.feed.acked = p.e.feed.feedID, p.e.feed.acked, p.e.feed.acked
	return &c
}

// submit sends the plot's job; false when the engine died over it.
func (p *plot) submit() bool {
	p.e.t.Helper()
	a, err := p.e.try(p.e.submission(p.id, followUp()))
	return err == nil && a.status == http.StatusOK
}

// play does what is left to do until the job has ended and its end is
// acknowledged; false when the engine died over it.
func (p *plot) play() bool {
	p.e.t.Helper()
	for {
		rec, err := p.e.feed.await()
		if err != nil {
			return false
		}
		if a, err := p.e.try(ackOf(p.e.feed)); err != nil || a.status != http.StatusOK {
			return false
		}
		p.e.feed.acked = p.e.feed.seq
		if rec.Kind == wire.FeedEnded && rec.JobID == p.id {
			p.settled = *rec.Record
			return true
		}
	}
}

// start starts the engine under watch; false when it died over it.
func (p *plot) start(decide func(killpoint.Point) bool) bool {
	p.e.watch = decide
	p.e.launch()
	p.e.watch = nil
	return p.e.becomesReady()
}

// aftermath starts an engine on what the killed one left, and proves that it
// is whole.
func (p *plot) aftermath(submitted bool) {
	e := p.e
	e.t.Helper()
	e.kill()
	e.start()
	e.feed.rewind()
	accepted := e.fence(p.id) == wire.Accepted
	if submitted && !accepted {
		e.t.Fatal("the job was accepted, and is forgotten")
	}
	if !accepted {
		if n := len(e.list()); n != 1 {
			e.t.Errorf("%d jobs are there", n)
		}
		return
	}
	record := e.record(p.id)
	if !record.Status.Terminal() || !decode[wire.JobRecord](e, e.get(e.route(p.id, "/status"))).Status.Terminal() {
		record = e.feed.finish(p.id)
	}
	if record.Status != api.JobCompleted && failure(record) != api.FailureEngineRestarted {
		e.t.Errorf("the job: %+v", record)
	}
	e.checkEnded(record)
	e.checkCharges(p.id)
	p.checkGame(record)
}

// checkCharges proves that a job was charged once at most, and ended once.
func (e *engine) checkCharges(id string) {
	e.t.Helper()
	count := map[wire.FeedKind]int{}
	for _, line := range e.feed.seen {
		if rec := decode[wire.FeedRecord](e, answer{body: line}); rec.JobID == id {
			count[rec.Kind]++
		}
	}
	if count[wire.FeedUsage] > 1 || count[wire.FeedEnded] > 1 {
		e.t.Errorf("the feed has %d charges and %d ends of one job", count[wire.FeedUsage], count[wire.FeedEnded])
	}
}

// checkGame proves that the game is the former or the new one, and no mixture.
// It can tell for an engine that makes the same game of the same brief.
func (p *plot) checkGame(record wire.JobRecord) {
	p.e.t.Helper()
	if got := record.Files.SHA256; p.settled.Files != nil && got != p.settled.Files.SHA256 && got != p.former.Files.SHA256 {
		p.e.t.Errorf("the ZIP holds neither the former nor the new game")
	}
}

// counter notes the points that a program passes, and may stop it at one.
type counter struct {
	stop int // index of the point to die at; negative for none

	mu     sync.Mutex // guards points
	points []killpoint.Point
}

func (c *counter) decide(p killpoint.Point) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.points = append(c.points, p)
	return len(c.points)-1 != c.stop
}

func (c *counter) passed() []killpoint.Point {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.points)
}

var jobIDPattern = regexp.MustCompile(`job_[0-9A-Z]{26}`)

// kind names what a point is about: jobs are alike, and so are the files of a
// game.
func kind(p killpoint.Point) string {
	name := jobIDPattern.ReplaceAllString(p.Path, "*")
	if dir := path.Dir(name); path.Base(path.Dir(dir)) != "." && path.Dir(dir) != "jobs" {
		name = dir + "/*"
	}
	return p.Call + " " + name
}

// syncs reports whether a call changes nothing that a kill leaves: what was
// written is in the system's hands already, and only a power cut loses it. So the
// engine finds after it what it finds at the call that follows.
func syncs(p killpoint.Point) bool { return p.Call == "fsync" || p.Call == "fdatasync" }

// chosen returns the points to kill at: all, or the first and the last of each
// kind that changes something.
func chosen(points []killpoint.Point, every bool) []int {
	var all, first []int
	last := map[string]int{}
	for i, p := range points {
		all = append(all, i)
		if syncs(p) {
			continue
		}
		if _, seen := last[kind(p)]; !seen {
			first = append(first, i)
		}
		last[kind(p)] = i
	}
	if every {
		return all
	}
	out := slices.AppendSeq(first, maps.Values(last))
	slices.Sort(out)
	return slices.Compact(out)
}

// killAtEach runs a plot undisturbed to learn its points, and then once for
// each chosen one, at which the engine dies. run says whether the submission
// was answered.
func (p *plot) killAtEach(t *testing.T, run func(p *plot, decide func(killpoint.Point) bool) (submitted bool)) {
	whole := p.copied(t)
	all := &counter{stop: -1}
	run(whole, all.decide)
	if whole.settled.JobID == "" {
		t.Fatalf("undisturbed, the job did not end; the engine's log:\n%s", whole.e.log)
	}
	p.settled = whole.settled
	whole.e.kill()
	points := all.passed()
	at := chosen(points, p.e.target.EveryWrite)
	if len(at) == 0 {
		t.Fatal("the engine writes nothing")
	}
	t.Logf("%d writes, killed before %d of them", len(points), len(at))
	for _, i := range at {
		t.Run(kind(points[i]), func(t *testing.T) {
			t.Parallel()
			c := p.copied(t)
			submitted := run(c, (&counter{stop: i}).decide)
			c.settled = p.settled
			c.aftermath(submitted)
		})
	}
}

func nothingLostInAJob(t *testing.T, target Target) {
	newPlot(t, target).killAtEach(t, func(p *plot, decide func(killpoint.Point) bool) bool {
		if !p.start(decide) {
			return false
		}
		submitted := p.submit()
		if submitted {
			p.play()
		}
		return submitted
	})
}

func nothingLostInARecovery(t *testing.T, target Target) {
	p := newPlot(t, target)
	p.e.start()
	p.e.feed.rewind()
	p.submit()
	p.e.feed.untilCharged(p.id) // which is not acknowledged: the most that a kill can leave
	p.e.feed.leave()
	p.e.kill()
	p.killAtEach(t, func(p *plot, decide func(killpoint.Point) bool) bool {
		if p.start(decide) {
			p.play()
		}
		return true
	})
}
