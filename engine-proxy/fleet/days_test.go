package fleet

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/long"
)

// days is a life of several projects full of accidents.
type days struct {
	*sim
	rand     *rand.Rand
	projects []string
	jobs     map[string]string // every job that was accepted, and its project
	leases   []*engineproxy.Lease
}

// TestDaysFullOfAccidentsLoseNoJobAndRunNothingTwice plays what may happen in
// an order that is another one with each seed, and then lets everything heal.
// The long run plays more of them.
func TestDaysFullOfAccidentsLoseNoJobAndRunNothingTwice(t *testing.T) {
	t.Parallel()
	seeds := uint64(6)
	if long.Asked() {
		seeds = 40
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			simulate(t, func(o *Options) { o.MaxEngines, o.MaxPerOwner = 3, 2 }, func(t *testing.T, s *sim) {
				d := &days{sim: s, rand: rand.New(rand.NewPCG(seed, 1)), jobs: map[string]string{}}
				for range 4 {
					d.projects = append(d.projects, mint.NewProjectID())
				}
				for range 150 {
					d.accident()
					synctest.Wait()
					if n := len(s.driver.Running()); n > 3 {
						t.Fatalf("%d engines run, at most 3 may", n)
					}
				}
				d.heal()
			})
		})
	}
}

func (d *days) any() (project, owner string) {
	i := d.rand.IntN(len(d.projects))
	return d.projects[i], []string{"ann", "ann", "bob", "cid"}[i]
}

// accident is one thing that happens.
func (d *days) accident() {
	project, owner := d.any()
	switch d.rand.IntN(14) {
	case 0, 1, 2:
		d.generate(project, owner)
	case 3, 4:
		for _, job := range slices.Sorted(maps.Keys(d.jobs)) {
			if d.jobs[job] == project && d.rand.IntN(2) == 0 {
				_ = d.end(project, job) // it may have ended, or its engine
				break
			}
		}
	case 5:
		d.pass(time.Duration(d.rand.Int64N(int64(20 * time.Second))))
	case 6:
		d.pass(time.Duration(d.rand.Int64N(int64(15 * time.Minute))))
	case 7:
		if ids := d.driver.Running(); len(ids) > 0 {
			d.driver.Kill(ids[d.rand.IntN(len(ids))])
		}
	case 8:
		for _, l := range d.leases {
			l.Release()
		}
		d.leases = nil
		d.restart()
	case 9:
		down := d.rand.IntN(2) == 0
		d.driver.SetDown(down)
	case 10:
		down := d.rand.IntN(2) == 0
		d.ledger.with(func() { d.ledger.down = down })
	case 11:
		sw := []fakeengine.Switches{
			{}, {}, {NeverReady: true}, {ExitAtStart: 3}, {WrongInstance: true}, {IgnoreTerm: true},
			{SilentAfter: time.Minute}, {CrashAfter: 30 * time.Second}, {DrainTakes: 3 * time.Second}, {ReadyAfter: 10 * time.Second},
		}[d.rand.IntN(10)]
		sw.Recover = true
		d.switches(project, sw)
	case 12:
		ctx, cancel := clock.Within(d.t.Context(), clock.System{}, time.Minute)
		_ = d.Stop(ctx, project, d.rand.IntN(2) == 0) // it may work, or not stop in time
		cancel()
	case 13:
		if l, err := d.Attach(d.t.Context(), project); err == nil {
			d.leases = append(d.leases, l)
		}
	}
}

// generate submits a job as the gateway does: the ledger counts it before the
// engine is told.
func (d *days) generate(project, owner string) {
	lease, err := d.Submit(d.t.Context(), engineproxy.Project{ID: project, OwnerID: owner}, time.Second)
	if err != nil {
		return
	}
	defer lease.Release()
	var down bool
	d.ledger.with(func() { down = d.ledger.down })
	if down {
		return
	}
	job := d.reserve(project, owner)
	if err := sendOver(d.driver.Dial, lease.Endpoint, "POST", "/test/accept", job.Record, nil); err != nil {
		// The gateway would fence it. Here its row is taken back.
		d.ledger.with(func() { delete(d.ledger.open, job.JobID) })
		return
	}
	d.ledger.commit(job.JobID)
	d.jobs[job.JobID] = project
}

// heal ends all accidents, and looks whether anything was lost.
func (d *days) heal() {
	d.t.Helper()
	for _, l := range d.leases {
		l.Release()
	}
	d.driver.SetDown(false)
	d.ledger.with(func() { d.ledger.down = false })
	for _, project := range d.projects {
		d.switches(project, fakeengine.Switches{Recover: true})
		if err := d.Reset(d.t.Context(), project); err != nil && !errors.Is(err, engineproxy.ErrAbsent) {
			d.t.Error(err)
		}
	}
	d.pass(time.Hour)
	for job, project := range d.jobs {
		if err := d.end(project, job); err != nil && !errors.Is(err, engineproxy.ErrAbsent) {
			d.t.Logf("ending %s: %v", job, err) // it has ended: the engine does not find it
		}
	}
	d.pass(3 * time.Hour)
	ended, last := map[string]int{}, map[string]uint64{}
	d.ledger.with(func() {
		for _, rec := range d.ledger.applied {
			if last[rec.FeedID]++; rec.Seq != last[rec.FeedID] {
				d.t.Errorf("record %d of %s was applied as number %d", rec.Seq, rec.FeedID, last[rec.FeedID])
			}
			if rec.Kind == "ended" {
				ended[rec.JobID]++
			}
		}
		for job := range d.ledger.ended {
			ended[job]++
		}
		if n := len(d.ledger.open); n > 0 {
			d.t.Errorf("%d jobs hold their slots for ever: %v", n, d.ledger.open)
		}
	})
	for job := range d.jobs {
		if ended[job] == 0 {
			d.t.Errorf("job %s never ended", job)
		}
		if _, err := d.Events(d.t.Context(), job); err != nil {
			d.t.Errorf("job %s left nothing in the archive: %v", job, err)
		}
	}
	if ids := d.driver.Running(); len(ids) > 0 {
		d.t.Errorf("%v run on, hours after their last job", ids)
	}
	for _, project := range d.projects {
		if got := d.state(project); got != engineproxy.StateAbsent {
			d.t.Errorf("an engine is %s, hours after its last job", got)
		}
	}
}
