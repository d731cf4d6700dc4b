package experiment

import "math"

// What a verdict rests on.
const (
	alpha      = 0.05  // how often a sequence may be wrong, however often it is looked at
	tuning     = 5000  // players at which the sequence is narrowest
	ratioAlpha = 0.001 // below it the numbers of players are not those of the weights

	MinPlayers = 100 // exposed, of each variant
	MinDays    = 7
	maxMixed   = 0.01 // of players may have seen two variants
)

// Sample is a figure of the players of a variant, one number each.
type Sample struct {
	N              int64
	Sum, SumSquare float64
}

// Add adds a player's number.
func (s *Sample) Add(x float64) {
	s.N++
	s.Sum += x
	s.SumSquare += x * x
}

// Mean is 0 of nobody.
func (s Sample) Mean() float64 {
	if s.N == 0 {
		return 0
	}
	return s.Sum / float64(s.N)
}

// variance is that of the mean.
func (s Sample) variance() float64 {
	if s.N < 2 {
		return math.Inf(1)
	}
	n := float64(s.N)
	return math.Max(0, (s.SumSquare-s.Sum*s.Sum/n)/(n-1)) / n
}

// Interval is a difference with the bounds of its confidence sequence: at all times
// together, and with those of the comparisons that it is among, they miss the true one
// in 5 of 100 experiments at most.
type Interval struct{ Difference, Low, High float64 }

// Compare returns how much more a variant has than the control: an asymptotic confidence
// sequence (Waudby-Smith and others, arXiv 2103.06476, equation 9). among is how many
// comparisons one verdict rests on.
func Compare(control, variant Sample, among int) Interval {
	d := variant.Mean() - control.Mean()
	n := float64(control.N + variant.N)
	s2 := (control.variance() + variant.variance()) * n
	if math.IsInf(s2, 1) {
		return Interval{d, math.Inf(-1), math.Inf(1)}
	}
	alpha := alpha / float64(among)
	rho2 := (-2*math.Log(alpha) + math.Log(-2*math.Log(alpha)+1)) / tuning
	half := math.Sqrt(s2) * math.Sqrt(2*(n*rho2+1)/(n*n*rho2)*math.Log(math.Sqrt(n*rho2+1)/alpha))
	return Interval{d, d - half, d + half}
}

// ChanceBetter is the chance that the variant has more, as a reading aid and never a
// verdict.
func ChanceBetter(control, variant Sample) float64 {
	deviation := math.Sqrt(control.variance() + variant.variance())
	d := variant.Mean() - control.Mean()
	if math.IsInf(deviation, 1) || deviation == 0 {
		return 0.5
	}
	return math.Erfc(-d/deviation/math.Sqrt2) / 2
}

// RatioP returns how probable numbers of players are that differ from the weights as
// much as these.
func RatioP(players []int64, weights []int) float64 {
	var all int64
	var weight int
	for i := range players {
		all += players[i]
		weight += weights[i]
	}
	if all == 0 || weight == 0 || len(players) < 2 {
		return 1
	}
	x := 0.0
	for i, n := range players {
		if expected := float64(all) * float64(weights[i]) / float64(weight); expected > 0 {
			x += (float64(n) - expected) * (float64(n) - expected) / expected
		}
	}
	return chiSquareTail(x, len(players)-1)
}

// chiSquareTail is the chance of a χ² of so many degrees of freedom to be x or more. It
// goes up in steps of two degrees from the tail of one or two.
func chiSquareTail(x float64, degrees int) float64 {
	q, term := math.Exp(-x/2), math.Exp(-x/2)
	k := 2
	if degrees%2 == 1 {
		q, term, k = math.Erfc(math.Sqrt(x/2)), math.Sqrt(2*x/math.Pi)*math.Exp(-x/2), 1
		for ; k < degrees; k += 2 {
			q += term
			term *= x / float64(k+2)
		}
		return q
	}
	for ; k < degrees; k += 2 {
		term *= x / float64(k)
		q += term
	}
	return q
}

// Problem says why there can be no verdict, "" when there can.
func Problem(players []int64, weights []int, mixed int64, days int) string {
	var all int64
	least := int64(math.MaxInt64)
	for _, n := range players {
		all += n
		least = min(least, n)
	}
	switch {
	case RatioP(players, weights) < ratioAlpha:
		return "the numbers of players are not those of the weights: something keeps players of one variant from being counted"
	case all > 0 && float64(mixed) >= maxMixed*float64(all):
		return "too many players saw two variants"
	case least < MinPlayers:
		return "fewer than 100 players of a variant"
	case days < MinDays:
		return "fewer than 7 days"
	}
	return ""
}
