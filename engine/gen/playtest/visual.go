package playtest

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // the pictures are JPEGs
	"slices"
	"strings"
)

// Bounds of what can be seen and read.
const (
	minText     = 18   // units
	minContrast = 3.0  // WCAG, of a text against what is around it
	minHero     = 0.05 // of the shorter side of the field
	maxHero     = 0.45
	minColours  = 12 // at four bits a channel
	maxTexts    = 60 // at once: each is compared with each
)

// look judges the screens of all moments: the texts' places and sizes, the hero
// of a running game, and with pictures what can be seen of them.
func (t *tester) look() {
	pictures := map[string]image.Image{}
	for _, shot := range t.report.Shots {
		img, _, err := image.Decode(bytes.NewReader(shot.JPEG))
		if err != nil {
			t.report.check("P03", true, false, shot.Moment+": the picture can't be read")
			continue
		}
		n := colours(img)
		t.report.check("P03", true, n >= minColours, fmt.Sprintf("%s: the screen has %d colours", shot.Moment, n))
		pictures[shot.Moment] = img
	}
	for _, s := range t.sights {
		t.lookAtTexts(s)
		if s.Phase == "play" {
			t.lookAtHero(s)
		}
		if img := pictures[s.moment]; img != nil && t.game.Shots {
			t.lookAtContrast(s, img)
		}
	}
}

func (t *tester) lookAtTexts(s sight) {
	var outside, small, overlap []string
	score := false
	for i, b := range s.HUD {
		if b.X < 0 || b.Y < 0 || b.X+b.W > s.Field.W || b.Y+b.H > s.Field.H {
			outside = append(outside, b.Role)
		}
		if b.Size < minText {
			small = append(small, b.Role)
		}
		score = score || b.Role == "score" && b.Text == fmt.Sprint(s.Score)
		for _, other := range s.HUD[i+1:] {
			if b.X < other.X+other.W && other.X < b.X+b.W && b.Y < other.Y+other.H && other.Y < b.Y+b.H {
				overlap = append(overlap, b.Role+" and "+other.Role)
			}
		}
	}
	if s.Phase == "play" {
		t.report.check("P14", true, score, s.moment+": the score is not on the screen")
	}
	t.report.check("P15", false, len(outside)+len(overlap) == 0, s.moment+": texts outside: "+strings.Join(outside, ", ")+"; on top of each other: "+strings.Join(overlap, ", "))
	t.report.check("P16", false, len(small) == 0, s.moment+": texts too small: "+strings.Join(small, ", "))
}

func (t *tester) lookAtHero(s sight) {
	i := slices.IndexFunc(s.Sprites, func(sp Sprite) bool { return sp.Name == "hero" })
	if i < 0 {
		return // in 3D, or between two blinks
	}
	hero, side := s.Sprites[i], min(s.Field.W, s.Field.H)
	share := hero.Size / side
	t.report.check("V01", false, share >= minHero && share <= maxHero, fmt.Sprintf("%s: the hero is %.0f %% of the field's side", s.moment, share*100))
	inside := hero.X > -hero.Size/2 && hero.X < s.Field.W+hero.Size/2 && hero.Y > -hero.Size && hero.Y < s.Field.H+hero.Size
	t.report.check("V02", false, inside, s.moment+": the hero is outside of the field")
}

// lookAtContrast compares the lightest and the darkest of what is in a text's
// box: its letters and their outline or ground.
func (t *tester) lookAtContrast(s sight, img image.Image) {
	kx, ky := float64(img.Bounds().Dx())/s.Field.W, float64(img.Bounds().Dy())/s.Field.H
	var faint []string
	for _, b := range s.HUD {
		area := image.Rect(int(b.X*kx), int(b.Y*ky), int((b.X+b.W)*kx), int((b.Y+b.H)*ky)).Intersect(img.Bounds())
		if area.Empty() {
			continue
		}
		if c := contrast(img, area); c < minContrast {
			faint = append(faint, fmt.Sprintf("%s (%.1f)", b.Role, c))
		}
	}
	t.report.check("V03", false, len(faint) == 0, s.moment+": texts without contrast: "+strings.Join(faint, ", "))
}

// contrast is that of the 3rd and the 97th percentile of an area's luminance.
func contrast(img image.Image, area image.Rectangle) float64 {
	var lights []float64
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			lights = append(lights, luminance(img, x, y))
		}
	}
	slices.Sort(lights)
	dark, light := lights[len(lights)*3/100], lights[len(lights)-1-len(lights)*3/100]
	return (light + 0.05) / (dark + 0.05)
}

func luminance(img image.Image, x, y int) float64 {
	r, g, b, _ := img.At(x, y).RGBA()
	linear := func(v uint32) float64 {
		f := float64(v) / 0xffff
		return f * f // near enough to sRGB's curve
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// colours counts the colours of a picture, at four bits a channel.
func colours(img image.Image) int {
	seen := map[[3]uint32]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y += 3 {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x += 3 {
			r, g, b, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r >> 12, g >> 12, b >> 12}] = true
		}
	}
	return len(seen)
}
