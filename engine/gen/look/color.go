// Package look decides how a game looks: themes, their scenery, palettes and
// the checks that keep what matters visible.
package look

import (
	"fmt"
	"math"
	"strconv"
)

// rgb is a colour with parts from 0 to 1.
type rgb [3]float64

func parse(hex string) rgb {
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil {
		panic(fmt.Sprintf("colour %q of a palette: %v", hex, err))
	}
	return rgb{float64(n>>16) / 255, float64(n>>8&255) / 255, float64(n&255) / 255}
}

func (c rgb) hex() string {
	part := func(v float64) int { return int(math.Round(max(0, min(1, v)) * 255)) }
	return fmt.Sprintf("#%02x%02x%02x", part(c[0]), part(c[1]), part(c[2]))
}

// luminance as WCAG defines it.
func (c rgb) luminance() float64 {
	linear := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

// Contrast is the WCAG contrast of two colours, 1 to 21.
func Contrast(a, b string) float64 {
	la, lb := parse(a).luminance(), parse(b).luminance()
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// Mix returns the colour between a (k = 0) and b (k = 1).
func Mix(a, b string, k float64) string {
	ca, cb := parse(a), parse(b)
	var out rgb
	for i := range out {
		out[i] = ca[i] + (cb[i]-ca[i])*k
	}
	return out.hex()
}

// distinct moves c towards white or black, whichever is nearer to the goal,
// until its contrast with each of the others is at least ratio.
func distinct(c string, ratio float64, others ...string) string {
	lowest := func(c string) float64 {
		low := math.Inf(1)
		for _, o := range others {
			low = min(low, Contrast(c, o))
		}
		return low
	}
	if lowest(c) >= ratio {
		return c
	}
	best := c
	for k := 0.05; k <= 1.0001; k += 0.05 {
		for _, end := range []string{"#ffffff", "#000000"} {
			m := Mix(c, end, k)
			if lowest(m) >= ratio {
				return m
			}
			if lowest(m) > lowest(best) {
				best = m
			}
		}
	}
	return best
}

// distance is how far apart two colours look, roughly: 0 to about 1.7.
func distance(a, b string) float64 {
	ca, cb := parse(a), parse(b)
	var sum float64
	for i := range ca {
		sum += (ca[i] - cb[i]) * (ca[i] - cb[i])
	}
	return math.Sqrt(sum)
}
