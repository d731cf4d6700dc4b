package studio

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Bounds of what an author orders.
const (
	maxSubject  = 80 // characters
	leastWished = 8  // pixels of a side
	mostWished  = 1024
	mostFrames  = 8
	mostSheet   = 2048 // pixels of all frames side by side
)

// Roles of pictures and sounds that an author orders.
var (
	PictureRoles = []string{"hero", "hazard", "pickup", "thing", "background"}
	SoundRoles   = []string{"score", "hit", "jump", "move", "power", "win", "lose", "music"}
)

var wishName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// Wish is a picture or a sound that an author orders.
type Wish struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Subject string `json:"subject"`
	W       int    `json:"w"`
	H       int    `json:"h"`
	Frames  int    `json:"frames"`
}

// Picture checks the order of a picture, and fills in what is left out.
func (w Wish) Picture() (Wish, error) {
	w, err := w.checked(PictureRoles)
	if err != nil {
		return w, err
	}
	side := 96
	if w.Role == "background" {
		side = 480
	}
	w.W, w.H, w.Frames = cmp.Or(w.W, side), cmp.Or(w.H, w.W, side), cmp.Or(w.Frames, 1)
	switch {
	case w.Subject == "":
		return w, fmt.Errorf("subject says what is to be seen, in a few words")
	case min(w.W, w.H) < leastWished || max(w.W, w.H) > mostWished:
		return w, fmt.Errorf("w and h are %d to %d pixels", leastWished, mostWished)
	case w.Frames < 1 || w.Frames > mostFrames || w.Frames*w.W > mostSheet:
		return w, fmt.Errorf("frames are 1 to %d, and all together at most %d pixels wide", mostFrames, mostSheet)
	case w.Role == "background" && (w.Frames > 1 || min(w.W, w.H) < minSide):
		return w, fmt.Errorf("a background has one frame, and sides of at least %d pixels", minSide)
	}
	return w, nil
}

// Sound checks the order of a sound.
func (w Wish) Sound() (Wish, error) { return w.checked(SoundRoles) }

func (w Wish) checked(roles []string) (Wish, error) {
	w.Subject = strings.Join(strings.FieldsFunc(w.Subject, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	switch {
	case !wishName.MatchString(w.Name):
		return w, fmt.Errorf("name is a small letter and at most 31 more, digits and _ among them, without an ending")
	case !slices.Contains(roles, w.Role):
		return w, fmt.Errorf("role is one of %s", strings.Join(roles, ", "))
	case len([]rune(w.Subject)) > maxSubject:
		return w, fmt.Errorf("subject has at most %d characters", maxSubject)
	}
	return w, nil
}

// Order is what a model is asked for a picture. The words are ours but for the subject.
func (w Wish) Order(art string) Order {
	if w.Role == "background" {
		return Order{Name: w.Name, Kind: Background, W: w.W, H: w.H, Prompt: fmt.Sprintf(
			"Background of a browser game: %s. Style: %s. Calm and of little contrast, so that figures stand out. No figures, no text, no frame.", w.Subject, art)}
	}
	return Order{Name: w.Name, Kind: Figure, Prompt: fmt.Sprintf(
		"A single %s, the %s of a browser game. Style: %s. Whole, centred, alone, filling the picture, on a plain transparent background. No text, no frame, no shadow on the ground.",
		w.Subject, w.Role, art)}
}

// Recording is what an audio model is asked for a sound.
func (w Wish) Recording() Order {
	kind, what := Effect, "Sound effect of at most a second, without a voice"
	if w.Role == "music" {
		kind, what = Music, "Background music for a browser game: an instrumental loop of ten seconds, without a voice"
	}
	return Order{Name: w.Name, Kind: kind, Prompt: fmt.Sprintf("%s: %s.", what, cmp.Or(w.Subject, w.Role))}
}

// Sheet fits a figure into frames of an order's size, side by side: it breathes. The
// result is a PNG of ours.
func (w Wish) Sheet(file []byte) ([]byte, error) {
	img, err := decode(file)
	if err != nil {
		return nil, err
	}
	figure := nrgba(img)
	box := visible(figure)
	if box.Empty() {
		return nil, fmt.Errorf("%w: there is next to nothing in the picture", ErrUnusable)
	}
	sheet := image.NewNRGBA(image.Rect(0, 0, w.W*w.Frames, w.H))
	for i := range w.Frames {
		breath := 0.06 * math.Sin(2*math.Pi*float64(i)/float64(w.Frames))
		k := min(float64(w.W)/float64(box.Dx()), float64(w.H)/float64(box.Dy()))
		if w.Frames > 1 {
			k *= 0.94 // room for the breath
		}
		fw, fh := max(1, int(float64(box.Dx())*k*(1-breath))), max(1, int(float64(box.Dy())*k*(1+breath)))
		fw, fh = min(fw, w.W), min(fh, w.H)
		at := image.Pt(i*w.W+(w.W-fw)/2, (w.H-fh)/2)
		if w.Frames > 1 {
			at.Y = w.H - fh // it stands where it stood
		}
		draw.Draw(sheet, image.Rectangle{at, at.Add(image.Pt(fw, fh))}, scaled(figure, box, fw, fh), image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, sheet); err != nil {
		return nil, fmt.Errorf("encoding a figure: %w", err)
	}
	return out.Bytes(), nil
}
