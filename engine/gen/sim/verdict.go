package sim

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/svc-games/svc/engine/gen/spec"
)

// Verdict is what a set of trials says about a game.
type Verdict struct {
	Trials     []Trial
	SkillRatio float64 // skilled score over the best of the others, medians
	IdleEnd    float64 // seconds until idle play ended, the longest
	BestScore  float64 // median of skilled play
	BestRun    float64 // seconds a skilled run lasts, median
	Problems   []string
}

// OK reports whether the game passes.
func (v Verdict) OK() bool { return len(v.Problems) == 0 }

// Bounds of the verdict.
const (
	MinSkillRatio = 1.5
	MaxIdleShare  = 0.2 // of the skilled score, when idle play never loses
	MinRun        = 12.0
	MaxEntities   = 300
	Judged        = 30 // seconds: less says too little about skill, more no more
)

// Judge plays the policies on every seed for Judged seconds, whatever a run's own
// limit, and judges the whole. Those that never look are
// much alike, so two of them are played on the first seed only. Seeds are played
// side by side, as far as there are processors.
func (g *Game) Judge(ctx context.Context, play spec.Play, seeds []uint32) (Verdict, error) {
	if play.Duration > 0 {
		play.Duration = Judged
	}
	if _, err := g.machine(ctx, len(seeds)-1); err != nil {
		return Verdict{}, err
	}
	trials, errs := make([][]Trial, len(seeds)), make([]error, len(seeds))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for i, seed := range seeds {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			trials[i], errs[i] = g.machines[i].playAll(ctx, g.config(play), seed, i > 0)
		})
	}
	wait.Wait()
	if err := cmp.Or(errs...); err != nil {
		return Verdict{}, err
	}
	return judge(slices.Concat(trials...), g.turns), nil
}

// playAll plays the policies on a seed; short leaves two of them out.
func (m *machine) playAll(ctx context.Context, cfg config, seed uint32, short bool) ([]Trial, error) {
	var trials []Trial
	for _, policy := range Policies {
		if short && (policy == "hold" || policy == "periodic") {
			continue
		}
		t, err := m.play(ctx, cfg, seed, policy, Judged+5)
		if err != nil {
			return nil, err
		}
		trials = append(trials, t)
	}
	return trials, nil
}

// judge says what trials prove. In a game of turns, time alone neither ends a run
// nor rewards skill.
func judge(trials []Trial, turns bool) Verdict {
	v := Verdict{Trials: trials}
	scores := map[string][]float64{}
	var runs []float64
	idleSurvives := false
	for _, t := range trials {
		scores[t.Policy] = append(scores[t.Policy], t.Score)
		if t.Bad != "" {
			v.Problems = append(v.Problems, "a number in the state is none: "+t.Bad)
		}
		if t.Entities > MaxEntities {
			v.Problems = append(v.Problems, fmt.Sprintf("%d things at once", t.Entities))
		}
		switch t.Policy {
		case "idle":
			v.IdleEnd = max(v.IdleEnd, t.Seconds)
			idleSurvives = idleSurvives || t.Outcome != "lose"
		case Skilled:
			runs = append(runs, t.Seconds)
		}
	}
	v.BestScore, v.BestRun = median(scores[Skilled]), median(runs)
	blind := 0.0
	for _, p := range Policies[:len(Policies)-1] {
		blind = max(blind, median(scores[p]))
	}
	v.SkillRatio = v.BestScore / max(1, blind)
	least := 3.0
	if turns {
		least = 1
	}
	if v.BestScore < least {
		v.Problems = append(v.Problems, fmt.Sprintf("skilled play scores only %.0f", v.BestScore))
	}
	if turns {
		if median(scores["idle"]) > 0 {
			v.Problems = append(v.Problems, "doing nothing scores")
		}
		return v
	}
	if v.SkillRatio <= MinSkillRatio {
		v.Problems = append(v.Problems, fmt.Sprintf("skill hardly pays: ratio %.2f", v.SkillRatio))
	}
	if idleSurvives && median(scores["idle"]) >= MaxIdleShare*v.BestScore {
		v.Problems = append(v.Problems, "doing nothing does not lose")
	}
	if v.BestRun < MinRun {
		v.Problems = append(v.Problems, fmt.Sprintf("a skilled run lasts only %.0f seconds", v.BestRun))
	}
	slices.Sort(v.Problems)
	v.Problems = slices.Compact(v.Problems)
	return v
}

// String says the verdict in one line.
func (v Verdict) String() string {
	if v.OK() {
		return fmt.Sprintf("skilled play scores %.0f, %.1f times the blind one; doing nothing ends after %.0f s", v.BestScore, v.SkillRatio, v.IdleEnd)
	}
	return strings.Join(v.Problems, "; ")
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
