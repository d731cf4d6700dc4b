package playtest

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"slices"
	"strings"
)

// Bounds of what can be seen and read.
const (
	minText     = 18   // units
	minContrast = 3.0  // WCAG, of a text against what is around it
	minHero     = 0.05 // of the shorter side of the field
	maxHero     = 0.45
	maxTexts    = 60 // at once: each is compared with each
)

// sight is a moment of a game.
type sight struct {
	moment string
	picture
}

// shoot keeps a moment, and takes a picture of it where pictures are wanted; one of
// the ready and one of the running game are taken in any case.
func (j *judge) shoot(moment string, p picture) error {
	if p.Screen != nil && len(p.Screen.HUD) > maxTexts {
		j.report.check("P15", true, false, fmt.Sprintf("%s: there are %d texts at once, of which at most %d can be looked at", moment, len(p.Screen.HUD), maxTexts))
		p.Screen.HUD = p.Screen.HUD[:maxTexts]
	}
	j.sights = append(j.sights, sight{moment, p})
	if !j.game.Shots && moment != "mid" && moment != "ready" {
		return nil
	}
	shot, err := j.seats[0].Screenshot()
	if err != nil {
		return err
	}
	j.report.Shots = append(j.report.Shots, Shot{Moment: moment, JPEG: shot})
	return nil
}

// look judges what a game says of its screen in all moments: the texts' places and
// sizes, the hero of a running game, and with pictures what can be seen of them.
func (j *judge) look() {
	slices.SortStableFunc(j.report.Shots, func(a, b Shot) int { return slices.Index(Moments, a.Moment) - slices.Index(Moments, b.Moment) })
	pictures := map[string]image.Image{}
	for _, shot := range j.report.Shots {
		img, _, err := image.Decode(bytes.NewReader(shot.JPEG))
		if err != nil {
			j.report.check("G03", true, false, shot.Moment+": the picture can't be read")
			continue
		}
		n, share := colours(img, j.texts(shot.Moment))
		j.colourful = j.colourful || n >= minColours && share <= maxShare
		pictures[shot.Moment] = img
	}
	for _, s := range j.sights {
		if s.Screen == nil {
			continue
		}
		j.lookAtTexts(s)
		if s.Phase == "play" {
			j.lookAtHero(s)
		}
		if img := pictures[s.moment]; img != nil && j.game.Shots {
			j.lookAtContrast(s, img)
		}
	}
	j.report.Shots = slices.DeleteFunc(j.report.Shots, func(s Shot) bool { return pictures[s.Moment] == nil })
	for i := range j.report.Shots {
		shot := &j.report.Shots[i]
		shot.JPEG = light(shot.JPEG, pictures[shot.Moment])
	}
	j.report.Shots = slices.DeleteFunc(j.report.Shots, func(s Shot) bool { return len(s.JPEG) > maxShot })
}

// texts are those of a moment.
type texts struct {
	boxes []Box
	w, h  float64 // of the field
}

// texts returns those that a game in real time says are on its screen: what it draws
// is something else.
func (j *judge) texts(moment string) texts {
	i := slices.IndexFunc(j.sights, func(s sight) bool { return s.moment == moment })
	if i < 0 || j.sights[i].Screen == nil || !j.game.realTime() {
		return texts{}
	}
	screen := j.sights[i].Screen
	return texts{screen.HUD, screen.Field.W, screen.Field.H}
}

// hold reports whether a place of a picture belongs to a text or its border.
func (t texts) hold(in image.Rectangle, x, y int) bool {
	fx, fy := float64(x-in.Min.X)*t.w/float64(in.Dx()), float64(y-in.Min.Y)*t.h/float64(in.Dy())
	return slices.ContainsFunc(t.boxes, func(b Box) bool {
		edge := b.Size
		return fx > b.X-edge && fx < b.X+b.W+edge && fy > b.Y-edge && fy < b.Y+b.H+edge
	})
}

// maxShot bounds a picture that is kept, in bytes: five are 300 kB at most.
const maxShot = 60_000

// light is a picture within its bound, at a quality that may be less.
func light(shot []byte, img image.Image) []byte {
	for quality := 60; len(shot) > maxShot && quality > 0; quality -= 20 {
		var b bytes.Buffer
		if jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}) == nil {
			shot = b.Bytes()
		}
	}
	return shot
}

func (j *judge) lookAtTexts(s sight) {
	outside, small, overlap := s.Screen.misplaced()
	score := slices.ContainsFunc(s.Screen.HUD, func(b Box) bool { return b.Role == "score" && b.Text == fmt.Sprint(s.Score) })
	if s.Phase == "play" && j.game.scores() {
		j.report.check("G11", true, score, s.moment+": the score is not on the screen")
		j.report.check("G11", false, s.Unseen == "", s.moment+": the score "+s.Unseen+", which it says is on the screen, is drawn by nobody")
	}
	j.report.check("P15", false, len(outside)+len(overlap) == 0, s.moment+": texts outside: "+strings.Join(outside, ", ")+"; on top of each other: "+strings.Join(overlap, ", "))
	j.report.check("P16", false, len(small) == 0, s.moment+": texts too small: "+strings.Join(small, ", "))
}

// misplaced are the roles of texts that are not whole, too small, or on top of others.
func (s *screen) misplaced() (outside, small, overlap []string) {
	for i, b := range s.HUD {
		if b.X < 0 || b.Y < 0 || b.X+b.W > s.Field.W || b.Y+b.H > s.Field.H {
			outside = append(outside, b.Role)
		}
		if b.Size < minText {
			small = append(small, b.Role)
		}
		for _, other := range s.HUD[i+1:] {
			if b.X < other.X+other.W && other.X < b.X+b.W && b.Y < other.Y+other.H && other.Y < b.Y+b.H {
				overlap = append(overlap, b.Role+" and "+other.Role)
			}
		}
	}
	return outside, small, overlap
}

func (j *judge) lookAtHero(s sight) {
	field := s.Screen.Field
	i := slices.IndexFunc(s.Screen.Sprites, func(sp Sprite) bool { return sp.Name == "hero" })
	if i < 0 {
		return // in 3D, or between two blinks
	}
	hero, side := s.Screen.Sprites[i], min(field.W, field.H)
	share := hero.Size / side
	j.report.check("V01", false, share >= minHero && share <= maxHero, fmt.Sprintf("%s: the hero is %.0f %% of the field's side", s.moment, share*100))
	inside := hero.X > -hero.Size/2 && hero.X < field.W+hero.Size/2 && hero.Y > -hero.Size && hero.Y < field.H+hero.Size
	j.report.check("V02", false, inside, s.moment+": the hero is outside of the field")
}

func (j *judge) lookAtContrast(s sight, img image.Image) {
	faint := s.Screen.faint(img)
	j.report.check("V03", false, len(faint) == 0, s.moment+": texts without contrast: "+strings.Join(faint, ", "))
}

// faint compares the lightest and the darkest of what is in a text's box: its letters
// and their outline or ground.
func (s *screen) faint(img image.Image) (faint []string) {
	kx, ky := float64(img.Bounds().Dx())/s.Field.W, float64(img.Bounds().Dy())/s.Field.H
	for _, b := range s.HUD {
		area := image.Rect(int(b.X*kx), int(b.Y*ky), int((b.X+b.W)*kx), int((b.Y+b.H)*ky)).Intersect(img.Bounds())
		if area.Empty() {
			continue
		}
		if c := contrast(img, area); c < minContrast {
			faint = append(faint, fmt.Sprintf("%s (%.1f)", b.Role, c))
		}
	}
	return faint
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

// colours counts the colours of a picture, at five bits a channel, and says which
// share of it the commonest has, without what belongs to texts.
func colours(img image.Image, aside texts) (n int, share float64) {
	seen := map[[3]uint32]int{}
	most, all := 0, 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y += 3 {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x += 3 {
			if aside.hold(img.Bounds(), x, y) {
				continue
			}
			r, g, b, _ := img.At(x, y).RGBA()
			c := [3]uint32{r >> 11, g >> 11, b >> 11}
			seen[c]++
			most = max(most, seen[c])
			all++
		}
	}
	return len(seen), float64(most) / float64(max(1, all))
}
