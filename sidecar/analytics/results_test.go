package analytics

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/experiment"
)

// somebody is a player of a simulated experiment: plays grow from day to day, some come
// back, and nothing of it depends on the value but rate.
type somebody struct {
	rate          float64 // plays a day
	day           int     // of the exposure
	plays, active float64
	errors        float64 // of its sessions
	best          float64
	again         bool
}

// simulated is an experiment whose players are looked at each day.
type simulated struct {
	random  *rand.Rand
	rates   []float64 // of each value
	players [][]somebody
}

// pass has a day go by, with some players more.
func (s *simulated) pass(day, more int) {
	for i, rate := range s.rates {
		for range more {
			s.players[i] = append(s.players[i], somebody{rate: rate * s.random.ExpFloat64(), day: day})
		}
		for n := range s.players[i] {
			p := &s.players[i][n]
			plays := 0.0
			if p.day == day {
				plays = 1
			}
			for ; s.random.Float64() < p.rate/(1+p.rate); plays++ {
			}
			p.again = p.again || plays > 0 && p.day == day-1
			for range int(plays) {
				p.plays++
				p.active += 60 * s.random.ExpFloat64()
				p.best = max(p.best, 100*s.random.ExpFloat64())
				if s.random.IntN(50) == 0 { // a few sessions have errors, and some of them many
					p.errors += min(10, 1+math.Floor(8*s.random.ExpFloat64()))
				}
			}
		}
	}
}

func (s *simulated) arms(day int) []arm {
	arms := make([]arm, len(s.rates))
	for i, players := range s.players {
		a := &arms[i]
		for _, p := range players {
			a.players++
			a.samples[0].Add(p.plays)
			a.samples[1].Add(p.active)
			a.samples[2].Add(p.best)
			if p.plays > 0 {
				a.samples[4].Add(p.errors / p.plays)
			}
			if p.day+1 < day && p.again {
				a.samples[3].Add(1)
			} else if p.day+1 < day {
				a.samples[3].Add(0)
			}
		}
	}
	return arms
}

// verdicts looks at an experiment each day of four weeks, and returns what it said.
func verdicts(random *rand.Rand, more int, rates ...float64) (said []string) {
	s := simulated{random: random, rates: rates, players: make([][]somebody, len(rates))}
	e := Experiment{ID: "speed", State: ExperimentRunning, Variants: experiment.Even(strings.Split("abcde", "")[:len(rates)])}
	for day := range 28 {
		s.pass(day, more)
		if said = append(said, verdict(e, s.arms(day), "")); !strings.HasPrefix(said[day], "none") {
			return said
		}
	}
	return said
}

// TestNoFigureOfEqualVariantsIsOftenSaidToDiffer looks each day at all that a verdict rests
// on: all figures of five values, whose players play on.
func TestNoFigureOfEqualVariantsIsOftenSaidToDiffer(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const experiments = 100
	wrong := 0
	for range experiments {
		if said := verdicts(random, 30, 0.3, 0.3, 0.3, 0.3, 0.3); len(said) < 28 {
			wrong++
		}
	}
	if wrong > experiments/20 {
		t.Errorf("%d of %d A/A experiments have a verdict", wrong, experiments)
	}
	t.Logf("%d of %d A/A experiments have a verdict", wrong, experiments)
}

func TestVerdictSaysWhatIsBetterAndWhatIsWorse(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	said := verdicts(random, 200, 0.3, 0.6)
	if last := said[len(said)-1]; last != "b is better" {
		t.Errorf("of more plays it says %q", last)
	}
	said = verdicts(random, 200, 0.6, 0.3)
	if last := said[len(said)-1]; !strings.HasPrefix(last, "b is worse in ") {
		t.Errorf("of fewer plays it says %q", last)
	}
	e := Experiment{State: ExperimentRunning, Variants: experiment.Even([]string{"a", "b"})}
	uneven := experiment.Problem([]int64{4500, 5500}, []int{5000, 5000}, 0, 28)
	if got := verdict(e, make([]arm, 2), uneven); !strings.HasPrefix(got, "none: the numbers of players") {
		t.Errorf("of 45 to 55 it says %q", got)
	}
}

// TestVariantWithMoreErrorsIsWorseAndOneWithFewerIsNot: it may well be played more.
func TestVariantWithMoreErrorsIsWorseAndOneWithFewerIsNot(t *testing.T) {
	arms := func(control, variant float64) []arm {
		both := make([]arm, 2)
		for i, rate := range []float64{control, variant} {
			for n := range 2000 {
				both[i].players++
				both[i].samples[0].Add(float64(n%3 + i))
				both[i].samples[4].Add(rate * float64(n%2))
			}
		}
		return both
	}
	e := Experiment{ID: "speed", State: ExperimentRunning, Variants: experiment.Even([]string{"a", "b"})}
	for want, both := range map[string][]arm{"b is worse in errors a session": arms(1, 3), "b is better": arms(3, 1)} {
		if got := verdict(e, both, ""); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
