package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

const (
	besiegers = 8 // clients that submit at the same time
	// respite is how long a client waits after a job that was accepted, and four
	// times as long after any other answer.
	respite = 15 * time.Millisecond
	// immunity is how long a gateway that is to die at a point is left alone
	// once it answers.
	immunity = 3 * time.Second
	openKey  = 2 // the key without limits, behind the capped and the paced one
)

// Points at which a process dies. On one machine the gateway's holds sidecar and
// engine proxy.
var (
	submissionPoints = []string{"before reserve", "reserved", "before commit", "committed", "before release", "released"}
	reaperPoints     = []string{"before feed", "feed applied", "before resolve", "resolved"}
)

// siege is the service as it is, with clients on one side and a killer on the
// other.
type siege struct {
	t         *testing.T
	gateways  []*rig.Gateway
	killables []*killable
	dir       string // data directory of the engines
	volume    func(project string) string
	script    func(script.Engine)
	open      func() (*store.Store, error)
	keys      []rig.Key
	projects  []string
	intruder  *intruder // nil: none

	kills  atomic.Int64
	deaths string // file of the processes' deaths at points

	mu       sync.Mutex // guards the following fields
	answered map[string]int
	accepted map[string]int // jobs that a client was told were accepted, to its key

	jobs, undone int64 // accepted by engines, and released, as the audit found
}

// besiege starts a machine and lays siege to it.
func besiege(t *testing.T, s script.Engine) *siege {
	m := rig.LaunchMachine(t, "", s)
	return lay(&siege{
		t: t, gateways: []*rig.Gateway{m.Gateway}, dir: m.Dir, volume: m.Volume, script: m.Script,
		killables: []*killable{{
			Process: &m.Process, ready: m.Ready, points: slices.Concat(submissionPoints, reaperPoints), weight: 2,
		}},
		open: func() (*store.Store, error) { return store.OpenSQLite(t.Context(), filepath.Join(m.Dir, "svc.db")) },
	})
}

// lay makes two limited keys and an open one, and three projects of their user.
func lay(g *siege) *siege {
	g.deaths = filepath.Join(keep.Dir(g.t), "deaths")
	g.answered, g.accepted = make(map[string]int), make(map[string]int)
	g.furnish(g.gateways[0])
	return g
}

// furnish makes the user, the keys and the projects.
func (g *siege) furnish(m *rig.Gateway) {
	m.NewUser("alice", fmt.Sprint(siegeCredit))
	g.keys = []rig.Key{
		m.NewKey("alice", "--jobs-per-month", fmt.Sprint(monthly)),
		m.NewKey("alice", "--max-concurrent-jobs", fmt.Sprint(siegeAtOnce)),
		m.NewKey("alice"),
	}
	for range 3 {
		g.projects = append(g.projects, m.NewProject(g.keys[openKey]))
	}
}

const (
	siegeCredit = 1_000_000 // TIK
	siegeAtOnce = 4
)

// rage has clients submit and the killer kill until there were as many kills as
// asked for, a job was accepted and enough is true.
func (g *siege) rage(kills int64, enough func() bool, patience time.Duration) {
	ctx, cancel := wait.Within(g.t.Context(), patience)
	defer cancel()
	var wg sync.WaitGroup
	for range besiegers {
		wg.Go(func() { g.client(ctx) })
	}
	if g.intruder != nil {
		wg.Go(func() { g.submitHostile(ctx) })
	}
	for _, m := range g.killables {
		m.ripen(0)
		wg.Go(func() { g.keepAlive(ctx, m) })
	}
	// On a slow machine many may be killed before a job is accepted, and nothing is tested.
	accepted := fmt.Sprint(http.StatusOK)
	for ctx.Err() == nil && (g.kills.Load() < kills || g.answers()[accepted] == 0 || !enough()) {
		select {
		case <-time.After(time.Duration(30+rand.IntN(120)) * time.Millisecond):
			g.killOne()
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		g.t.Errorf("only %d kills of %d, no death at %q, answers %v", g.kills.Load(), kills, g.unreached(), g.answers())
	}
	cancel()
	wg.Wait()
}

// client submits to one of the gateways at a time, until ctx ends.
func (g *siege) client(ctx context.Context) {
	for ctx.Err() == nil {
		key := rand.IntN(len(g.keys))
		a, err := g.gateways[rand.IntN(len(g.gateways))].Submit(ctx, g.keys[key], g.projects[rand.IntN(len(g.projects))])
		what := "no answer"
		if err == nil {
			what = fmt.Sprint(a.Status)
		}
		var sub api.Submission
		if err == nil && a.Status == http.StatusOK {
			err = json.Unmarshal(a.Body, &sub)
		}
		g.mu.Lock()
		g.answered[what]++
		wait := 4 * respite
		if err == nil && a.Status == http.StatusOK {
			g.accepted[sub.JobID] = key
			wait = respite
		}
		g.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// killOne kills a process of the service or one of the engines.
func (g *siege) killOne() {
	engines := rig.EnginesOf(g.dir)
	victim := len(engines)
	for _, m := range g.killables {
		victim += m.weight
	}
	if victim = rand.IntN(victim); victim < len(engines) {
		if syscall.Kill(engines[victim], syscall.SIGKILL) == nil {
			g.kills.Add(1)
		}
		return
	}
	victim -= len(engines)
	for _, m := range g.killables {
		if victim -= m.weight; victim < 0 {
			m.kill()
			return
		}
	}
}

// unreached lists the points at which nothing has died yet.
func (g *siege) unreached() (list []string) {
	reached := g.reached()
	want := slices.Clone(script.Points)
	for _, m := range g.killables {
		want = append(want, m.points...)
	}
	slices.Sort(want)
	for _, name := range slices.Compact(want) {
		if reached[name] == 0 {
			list = append(list, name)
		}
	}
	return list
}

func (g *siege) reached() map[string]int {
	return deathsIn(g.deaths, filepath.Join(g.dir, "projects", "*", "deaths"))
}

// settle has the service come to rest: everything dies once more, nothing dies or
// refuses from then on, every engine is started once again, and every job ends.
func (g *siege) settle() {
	// What was killed last may not have ended yet: Kill waits for it.
	for _, m := range g.killables {
		if err := m.Kill(); err != nil {
			g.t.Fatal(err)
		}
		g.kills.Add(1)
	}
	g.script(script.Engine{})
	for _, m := range g.killables {
		if err := m.Start(); err != nil {
			g.t.Fatal(err)
		}
	}
	for _, m := range g.killables {
		if err := m.ready(g.t.Context()); err != nil {
			g.t.Fatal(err)
		}
	}
	g.finish()
	for _, m := range g.killables {
		if err := m.Stop(); err != nil {
			g.t.Fatal(err)
		}
	}
}

// finish has every engine started once more and every job ended, and asks each
// gateway for it.
func (g *siege) finish() {
	for i, project := range g.projects {
		m := g.gateways[i%len(g.gateways)]
		sub := m.Generate(g.keys[openKey], project)
		g.accepted[sub.JobID] = openKey
		m.Finish(g.keys[openKey], sub)
	}
	if g.intruder != nil {
		g.reform()
	}
	for _, key := range g.keys {
		wait.Until(g.t, "every slot is free", func() bool { return g.gateways[0].Usage(key).RunningJobs == 0 })
	}
}

// answers copies how often which answer was given.
func (g *siege) answers() map[string]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.answered)
}

// judge audits and notes the outcome.
func (g *siege) judge(form string, blind bool, began time.Time) []string {
	wrong := g.audit()
	outcome{
		intruder: g.intruder, form: form, kills: g.kills.Load(), points: g.reached(), jobs: g.jobs, undone: g.undone,
		wrong: len(wrong), blind: blind, took: time.Since(began),
	}.note()
	g.t.Logf("%d kills, at points %v, answers %v", g.kills.Load(), g.reached(), g.answered)
	return wrong
}

func TestServiceAgreesWithItsEnginesWhoeverIsKilled(t *testing.T) {
	together(t)
	began, kills := time.Now(), killsOr(24)
	engines := script.Engine{Work: 20 * time.Millisecond, Refuse: 0.25, Lose: 0.03, Die: 0.01}
	g := besiege(t, engines)
	g.intrude(engines)
	long := os.Getenv(killsEnv) != ""
	g.rage(kills, func() bool { return !long || len(g.unreached()) == 0 }, 5*time.Minute+time.Duration(kills)*3*time.Second)
	g.settle()
	for _, wrong := range g.judge("the service on one machine", false, began) {
		t.Error(wrong)
	}
}

func TestServiceWithAReaperThatReleasesByTimeAloneIsFoundOut(t *testing.T) {
	together(t)
	began := time.Now()
	// Answers take longer than the blind reaper waits.
	g := besiege(t, script.Engine{Work: 20 * time.Millisecond, Slow: 100 * time.Millisecond, Refuse: 0.25})
	stop := g.releaseBlindly(50 * time.Millisecond)
	lost := fmt.Sprint(http.StatusGatewayTimeout)
	g.rage(4, func() bool { return g.answers()[lost] >= 5 }, 5*time.Minute)
	stop()
	g.settle()
	wrong := g.judge("blind reaper, the service on one machine", true, began)
	if len(wrong) == 0 {
		t.Error("the books of a blind reaper were found to be right")
	}
	t.Logf("found:\n%s", strings.Join(wrong, "\n"))
}

// deathsIn counts the deaths at each point that the files matching a pattern hold.
func deathsIn(patterns ...string) map[string]int {
	counts := make(map[string]int)
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			continue
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			for _, name := range strings.Fields(strings.ReplaceAll(string(raw), " ", "_")) {
				counts[strings.ReplaceAll(name, "_", " ")]++
			}
		}
	}
	return counts
}
