package playtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"maps"
	"math"
	"slices"
	"strings"
)

// Bounds of what is said of a scene.
const (
	mostBoxes   = 20
	mostColours = 5
	mostMoved   = 10
	mostNodes   = 2000 // of a state that is searched for places
)

// Geometry says in words what is to be seen: the texts and where they are, what is
// wrong with them, the colours, and what moved since the scene before.
func (s Scene) Geometry(before *Scene) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("%s", s.Moment())
	img, err := jpeg.Decode(bytes.NewReader(s.JPEG))
	if err != nil {
		img = nil
	}
	if s.Screen != nil {
		s.boxes(say)
		for _, flaw := range s.flaws(img) {
			say("Wrong: %s.", flaw)
		}
	} else {
		say("The game says nothing of its texts: hud.text of the kit does, or the second function of svc.expose.")
	}
	if img != nil {
		say("Colours: %s.", strings.Join(dominant(img), ", "))
	}
	if before == nil {
		return b.String()
	}
	if moved := moved(before.State, s.State); len(moved) > 0 {
		say("Moved since frame %d: %s.", before.Frame, strings.Join(moved, "; "))
	}
	if was, err := jpeg.Decode(bytes.NewReader(before.JPEG)); err == nil && img != nil {
		say("The picture changed since frame %d: %s.", before.Frame, changed(was, img))
	}
	return b.String()
}

func (s Scene) boxes(say func(format string, args ...any)) {
	say("The field is %.0f by %.0f.", s.Screen.Field.W, s.Screen.Field.H)
	for _, b := range s.Screen.HUD[:min(len(s.Screen.HUD), mostBoxes)] {
		say("Text %s: %s, %.0f by %.0f at %.0f, %.0f.", quoted(b.Role, 30), quoted(b.Text, 80), b.W, b.H, b.X, b.Y)
	}
	for _, sp := range s.Screen.Sprites[:min(len(s.Screen.Sprites), mostBoxes)] {
		say("Figure %s: size %.0f at %.0f, %.0f.", quoted(sp.Name, 30), sp.Size, sp.X, sp.Y)
	}
}

// Flaws are what is wrong with the texts of a scene.
func (s Scene) Flaws() []string {
	img, err := jpeg.Decode(bytes.NewReader(s.JPEG))
	if err != nil {
		return s.flaws(nil)
	}
	return s.flaws(img)
}

func (s Scene) flaws(img image.Image) []string {
	if s.Screen == nil {
		return nil
	}
	outside, small, overlap := s.Screen.misplaced()
	lists := []struct {
		what  string
		roles []string
	}{{"texts that are off the field or cut", outside}, {"texts lower than 18", small}, {"texts on top of each other", overlap}}
	if img != nil && s.Screen.Field.W > 0 && s.Screen.Field.H > 0 {
		lists = append(lists, struct {
			what  string
			roles []string
		}{"texts without contrast", s.Screen.faint(img)})
	}
	var out []string
	for _, list := range lists {
		if len(list.roles) > 0 {
			out = append(out, list.what+": "+quoted(strings.Join(list.roles, ", "), 160))
		}
	}
	return out
}

// dominant are the commonest colours of a picture, with their shares.
func dominant(img image.Image) []string {
	count := map[[3]uint32]int{}
	all := 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y += 4 {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x += 4 {
			r, g, b, _ := img.At(x, y).RGBA()
			count[[3]uint32{r >> 12, g >> 12, b >> 12}]++
			all++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b [3]uint32) int {
		return cmp.Or(count[b]-count[a], slices.Compare(a[:], b[:]))
	})
	var out []string
	for _, c := range colours[:min(len(colours), mostColours)] {
		out = append(out, fmt.Sprintf("#%x%x%x %d %%", c[0], c[1], c[2], count[c]*100/max(1, all)))
	}
	return out
}

// thirds are the names of a picture's parts.
var thirds = [3][3]string{
	{"upper left", "top", "upper right"}, {"left", "middle", "right"}, {"lower left", "bottom", "lower right"},
}

// changed says how much of a picture is another, and where.
func changed(was, now image.Image) string {
	if was.Bounds() != now.Bounds() {
		return "its size"
	}
	const noise = 24 // of a channel, as of a JPEG
	size := now.Bounds().Size()
	var parts [3][3]int
	total, all := 0, 0
	for y := 0; y < size.Y; y += 4 {
		for x := 0; x < size.X; x += 4 {
			all++
			if distance(was, now, x, y) > noise {
				total++
				parts[y*3/size.Y][x*3/size.X]++
			}
		}
	}
	if total == 0 {
		return "nowhere"
	}
	var names []string
	for y, row := range parts {
		for x, n := range row {
			if n*20 > total {
				names = append(names, thirds[y][x])
			}
		}
	}
	return fmt.Sprintf("%.1f %% of it (%s)", float64(total)*100/float64(max(1, all)), strings.Join(names, ", "))
}

func distance(a, b image.Image, x, y int) int {
	r1, g1, b1, _ := a.At(x, y).RGBA()
	r2, g2, b2, _ := b.At(x, y).RGBA()
	off := func(v, w uint32) int { return int(math.Abs(float64(v>>8) - float64(w>>8))) }
	return max(off(r1, r2), off(g1, g2), off(b1, b2))
}

// moved are the things of two states that have places, where those differ.
func moved(was, now string) []string {
	before, after := places(was), places(now)
	var out []string
	for _, path := range slices.Sorted(maps.Keys(after)) {
		from, there := before[path]
		to := after[path]
		if !there || from == to {
			continue
		}
		if len(out) == mostMoved {
			return append(out, "and more")
		}
		out = append(out, fmt.Sprintf("%s from %.0f, %.0f to %.0f, %.0f", quoted(path, 40), from[0], from[1], to[0], to[1]))
	}
	return out
}

// places are all things of a state with x and y, by their path.
func places(state string) map[string][2]float64 {
	out := map[string][2]float64{}
	var root any
	if json.Unmarshal([]byte(state), &root) != nil {
		return out // it was cut off, or is none
	}
	left := mostNodes
	var walk func(path string, v any)
	walk = func(path string, v any) {
		if left--; left < 0 {
			return
		}
		switch v := v.(type) {
		case map[string]any:
			x, okX := v["x"].(float64)
			y, okY := v["y"].(float64)
			if okX && okY {
				out[path] = [2]float64{x, y}
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(strings.TrimPrefix(path+"."+name, "."), v[name])
			}
		case []any:
			for i, one := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), one)
			}
		}
	}
	walk("", root)
	return out
}
