package gen

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/sim"
	"github.com/svc-games/svc/engine/gen/spec"
)

// worldStep is between the seeds of worlds.
const worldStep = 7919

// simulateAndTune simulates the game and changes its tunables until it passes;
// one that has nothing left to change gets another world, once, since blind play
// may be lucky in one. It says what it changed; an *unplayableError tells that it
// did not succeed.
func simulateAndTune(ctx context.Context, rep Reporter, s *spec.Spec, e effort) (tuned []string, err error) {
	rep.Progress(api.StagePlaytesting, 10, "Simulating the game.")
	game, err := sim.Load(ctx, *s)
	if err != nil {
		return nil, fmt.Errorf("preparing the playtest: %w", err)
	}
	moved := false
	for try := 0; ; try++ {
		worlds := seeds(*s, e.seeds)
		done := call(rep, "playtest", map[string]any{"tier": "sim", "seeds": len(worlds)})
		start := time.Now()
		verdict, err := game.Judge(ctx, s.Play, worlds)
		if err != nil {
			return tuned, fmt.Errorf("playing the game: %w", err)
		}
		done(verdict.OK(), verdict.String())
		rep.Event(eventOf(verdict, time.Since(start)))
		if verdict.OK() {
			return tuned, nil
		}
		change := tune(&s.Play, catalog.Usual(s.Mechanic, s.Format), s.Format)
		if change == "" && !moved {
			moved, change = true, "the course"
			s.Seed += uint32(e.seeds) * worldStep
		}
		if try == e.tunes || change == "" {
			return tuned, &unplayableError{why: verdict.String()}
		}
		tuned = append(tuned, change)
		rep.Progress(api.StageFixing, 14, "Tuning the game.")
		rep.Event(api.EventFixApplied, map[string]any{"strategy": "spec", "change": change, "because": verdict.String()})
	}
}

// seeds are those of the worlds that a game is simulated in.
func seeds(s spec.Spec, n int) []uint32 {
	var out []uint32
	for i := range uint32(n) {
		out = append(out, s.Seed+i*worldStep)
	}
	return out
}

// eventOf is the public form of a verdict.
func eventOf(v sim.Verdict, took time.Duration) (eventType string, members map[string]any) {
	policies := map[string]any{}
	for _, t := range v.Trials {
		if _, seen := policies[t.Policy]; !seen {
			policies[t.Policy] = map[string]any{"score": t.Score, "seconds": t.Seconds, "outcome": t.Outcome}
		}
	}
	return api.EventPlaytestResult, map[string]any{
		"ok": v.OK(), "tier": "sim", "policies": policies, "skillRatio": v.SkillRatio,
		"idleEndSeconds": v.IdleEnd, "bestScore": v.BestScore, "bestRunSeconds": v.BestRun,
		"problems": nonNil(v.Problems), "durationMs": took.Milliseconds(),
	}
}

// tune moves the tunables towards the values that the mechanic was made with,
// where it is known to be playable, and says how. It returns "" when they are
// there already.
func tune(p *spec.Play, usual spec.Play, f spec.Format) string {
	before := *p
	for _, f := range []*float64{&p.Speed, &p.Gravity, &p.Density, &p.Size, &p.Ramp} {
		*f = 1 + (*f-1)*0.6
		if math.Abs(*f-1) < 0.04 {
			*f = 1
		}
	}
	switch {
	case p.Lives < usual.Lives:
		p.Lives++
	case p.Lives > usual.Lives:
		p.Lives--
	}
	*p = p.Clamped(f).Rounded()
	var changes []string
	for _, c := range []struct {
		name     string
		old, now float64
	}{
		{"speed", before.Speed, p.Speed}, {"gravity", before.Gravity, p.Gravity}, {"density", before.Density, p.Density},
		{"size", before.Size, p.Size}, {"ramp", before.Ramp, p.Ramp}, {"lives", float64(before.Lives), float64(p.Lives)},
	} {
		if c.old != c.now {
			changes = append(changes, fmt.Sprintf("%s %.3g → %.3g", c.name, c.old, c.now))
		}
	}
	return strings.Join(changes, ", ")
}
