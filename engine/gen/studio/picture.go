package studio

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
)

// ErrUnusable is returned, wrapped, for a file that is no use to a game.
var ErrUnusable = errors.New("the file can't be used")

// Bounds of a picture that a model sends.
const (
	minSide   = 32
	maxSide   = 4096
	maxPixels = 8 << 20
)

// figureSide is the longer side, in pixels, of a figure that is shipped.
const figureSide = 256

// quality of a background's JPEG.
const quality = 84

// decode reads a picture within bounds, by what its file says of itself.
func decode(file []byte) (image.Image, error) {
	var config func(*bytes.Reader) (image.Config, error)
	var read func(*bytes.Reader) (image.Image, error)
	switch {
	case bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")):
		config = func(r *bytes.Reader) (image.Config, error) { return png.DecodeConfig(r) }
		read = func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) }
	case bytes.HasPrefix(file, []byte("\xff\xd8\xff")):
		config = func(r *bytes.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) }
		read = func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) }
	case len(file) > 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WEBP":
		return nil, fmt.Errorf("%w: it is a WebP, PNG was asked for", ErrUnusable)
	default:
		return nil, fmt.Errorf("%w: it is neither PNG nor JPEG", ErrUnusable)
	}
	c, err := config(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	if c.Width < minSide || c.Height < minSide || c.Width > maxSide || c.Height > maxSide || c.Width*c.Height > maxPixels {
		return nil, fmt.Errorf("%w: it is %dx%d pixels", ErrUnusable, c.Width, c.Height)
	}
	img, err := read(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return img, nil
}

// CutOut makes a figure of a picture: its background is taken away, and what is
// left is trimmed and scaled. The result is a PNG.
func CutOut(file []byte) ([]byte, error) {
	img, err := decode(file)
	if err != nil {
		return nil, err
	}
	figure := nrgba(img)
	if figure.Opaque() {
		if err := keyOut(figure); err != nil {
			return nil, err
		}
	}
	box := visible(figure)
	if box.Dx() < minSide/2 || box.Dy() < minSide/2 {
		return nil, fmt.Errorf("%w: there is next to nothing in the picture", ErrUnusable)
	}
	return figurePNG(figure, box)
}

// Emblem makes a picture to be shown as it is of one that a user sent. The result is
// a PNG of ours: nothing of the file but its pixels is left.
func Emblem(file []byte) ([]byte, error) {
	img, err := decode(file)
	if err != nil {
		return nil, err
	}
	picture := nrgba(img)
	box := visible(picture)
	if box.Dx() < minSide/2 || box.Dy() < minSide/2 {
		return nil, fmt.Errorf("%w: there is next to nothing in the picture", ErrUnusable)
	}
	return figurePNG(picture, box)
}

// figurePNG encodes a part of a picture, no larger than a figure may be.
func figurePNG(figure *image.NRGBA, box image.Rectangle) ([]byte, error) {
	side := max(box.Dx(), box.Dy())
	w, h := box.Dx(), box.Dy()
	if side > figureSide {
		w, h = max(1, w*figureSide/side), max(1, h*figureSide/side)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, scaled(figure, box, w, h)); err != nil {
		return nil, fmt.Errorf("encoding a figure: %w", err)
	}
	return out.Bytes(), nil
}

// Cover makes a background of w by h pixels of a picture, cutting off what is
// too much of it. The result is a JPEG.
func Cover(file []byte, w, h int) ([]byte, error) {
	img, err := decode(file)
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	box := image.Rect(0, 0, b.Dx(), b.Dx()*h/w)
	if box.Dy() > b.Dy() {
		box = image.Rect(0, 0, b.Dy()*w/h, b.Dy())
	}
	if box.Dx() < minSide || box.Dy() < minSide {
		return nil, fmt.Errorf("%w: it is too narrow", ErrUnusable)
	}
	box = box.Add(image.Pt((b.Dx()-box.Dx())/2, (b.Dy()-box.Dy())/2))
	flat := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy())) // a JPEG shows no transparency
	draw.Draw(flat, flat.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Rect, img, b.Min, draw.Over)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, scaled(flat, box, w, h), &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("encoding a background: %w", err)
	}
	return out.Bytes(), nil
}

// nrgba copies a picture to one whose corner is at 0, 0.
func nrgba(img image.Image) *image.NRGBA {
	b := img.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			out.SetNRGBA(x, y, color.NRGBAModel.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA))
		}
	}
	return out
}

// Bounds of a background that can be taken away.
const (
	sameCorner = 30   // by how much the corners may differ, in each channel
	nearColour = 42   // and what is connected with them
	minShare   = 0.02 // of the picture that must be left
	maxShare   = 0.95
)

// keyOut makes the plain background of an opaque picture transparent: all that
// is connected with its edge and of its corners' colour.
func keyOut(img *image.NRGBA) error {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	key := img.NRGBAAt(0, 0)
	for _, corner := range []image.Point{{w - 1, 0}, {0, h - 1}, {w - 1, h - 1}} {
		if !near(img.NRGBAAt(corner.X, corner.Y), key, sameCorner) {
			return fmt.Errorf("%w: the figure has no plain background", ErrUnusable)
		}
	}
	var edge []image.Point
	for x := range w {
		edge = append(edge, image.Pt(x, 0), image.Pt(x, h-1))
	}
	for y := range h {
		edge = append(edge, image.Pt(0, y), image.Pt(w-1, y))
	}
	left := w * h
	for len(edge) > 0 {
		p := edge[len(edge)-1]
		edge = edge[:len(edge)-1]
		if !p.In(img.Rect) {
			continue
		}
		c := img.NRGBAAt(p.X, p.Y)
		if c.A == 0 || !near(c, key, nearColour) {
			continue
		}
		img.SetNRGBA(p.X, p.Y, color.NRGBA{})
		left--
		edge = append(edge, p.Add(image.Pt(1, 0)), p.Add(image.Pt(-1, 0)), p.Add(image.Pt(0, 1)), p.Add(image.Pt(0, -1)))
	}
	if share := float64(left) / float64(w*h); share < minShare || share > maxShare {
		return fmt.Errorf("%w: no figure stands out of its background", ErrUnusable)
	}
	return nil
}

func near(a, b color.NRGBA, within int) bool {
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
		if d > within || d < -within {
			return false
		}
	}
	return true
}

// visible is the smallest box around what can be seen.
func visible(img *image.NRGBA) image.Rectangle {
	const faint = 16
	var box image.Rectangle
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if img.NRGBAAt(x, y).A > faint {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box
}

// scaled returns a part of a picture in another size: each pixel is the mean of
// those that it stands for.
func scaled(img *image.NRGBA, from image.Rectangle, w, h int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		y0 := from.Min.Y + y*from.Dy()/h
		y1 := max(y0+1, from.Min.Y+(y+1)*from.Dy()/h)
		for x := range w {
			x0 := from.Min.X + x*from.Dx()/w
			x1 := max(x0+1, from.Min.X+(x+1)*from.Dx()/w)
			out.SetNRGBA(x, y, mean(img, image.Rect(x0, y0, x1, y1)))
		}
	}
	return out
}

// mean is the average colour of an area, in which what is transparent has none.
func mean(img *image.NRGBA, area image.Rectangle) color.NRGBA {
	var r, g, b, a, n uint64
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := img.NRGBAAt(x, y)
			alpha := uint64(c.A)
			r, g, b, a, n = r+uint64(c.R)*alpha, g+uint64(c.G)*alpha, b+uint64(c.B)*alpha, a+alpha, n+1
		}
	}
	if a == 0 {
		return color.NRGBA{}
	}
	return color.NRGBA{uint8(r / a), uint8(g / a), uint8(b / a), uint8(a / n)}
}
