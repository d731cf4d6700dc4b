// Package art paints pictures for a game without a model: they follow from the
// GameSpec's palette and seed alone.
package art

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/spec"
)

// Background paints the sky of a game as a PNG of its field's size: light,
// clouds and distance out of noise, in the palette's colours.
func Background(s spec.Spec) ([]byte, error) {
	w, h := catalog.Field(s)
	n := noise(s.Seed)
	top, bottom := parse(s.Palette.BG), parse(s.Palette.BG2)
	cloud, ridge := mix(bottom, rgb{255, 255, 255}, 0.75), mix(parse(s.Palette.Far), bottom, 0.35)
	night := top.light() < 70
	if night {
		cloud = mix(top, parse(s.Palette.Accent), 0.35)
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for x := range w {
		fx := float64(x)
		line := float64(h) * (0.58 + 0.16*n.layers(fx/190, 3.7, 4))
		for y := range h {
			fy := float64(y)
			c := mix(top, bottom, smooth(fy/float64(h)))
			veil := n.layers(fx/170, fy/95, 5)
			c = mix(c, cloud, 0.7*smooth((veil-0.48)*3.2)*(1-fy/float64(h)*0.6))
			if night && n.at(fx*0.83, fy*0.79) > 0.965 && fy < line {
				c = mix(c, rgb{255, 255, 255}, 0.75)
			}
			if fy > line {
				depth := (fy - line) / (float64(h) - line + 1)
				grain := n.layers(fx/34, fy/20, 3)
				c = mix(mix(ridge, c, 0.25), mix(ridge, rgb{20, 14, 34}, 0.35), depth*0.5+grain*0.35)
				if fy-line < 5 {
					c = mix(c, cloud, 0.45)
				}
			}
			img.SetRGBA(x, y, c.rgba())
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, quantised(img)); err != nil {
		return nil, fmt.Errorf("encoding the background: %w", err)
	}
	return out.Bytes(), nil
}

// quantised drops the lowest bits of each channel, which no one sees and a PNG
// can't compress.
func quantised(img *image.RGBA) image.Image {
	for i := range img.Pix {
		if i%4 != 3 {
			img.Pix[i] &= 0xfc
		}
	}
	return img
}

type rgb [3]float64

func parse(hex string) rgb {
	var r, g, b uint8
	// The palette was checked; a colour that can't be read stays black.
	_, _ = fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b)
	return rgb{float64(r), float64(g), float64(b)}
}

func (c rgb) rgba() color.RGBA {
	return color.RGBA{uint8(c[0]), uint8(c[1]), uint8(c[2]), 255}
}

func (c rgb) light() float64 { return 0.3*c[0] + 0.59*c[1] + 0.11*c[2] }

func mix(a, b rgb, k float64) rgb {
	k = max(0, min(1, k))
	return rgb{a[0] + (b[0]-a[0])*k, a[1] + (b[1]-a[1])*k, a[2] + (b[2]-a[2])*k}
}

func smooth(v float64) float64 {
	v = max(0, min(1, v))
	return v * v * (3 - 2*v)
}

// noise is smooth value noise from a seed.
type noise uint32

func (n noise) lattice(x, y int) float64 {
	h := uint32(n) ^ uint32(x)*0x9e3779b1 ^ uint32(y)*0x85ebca77
	h = (h ^ h>>15) * 0x2c1b3c6d
	h = (h ^ h>>12) * 0x297a2d39
	return float64(h^h>>15) / math.MaxUint32
}

// at returns the noise at a place, 0 to 1.
func (n noise) at(x, y float64) float64 {
	ix, iy := math.Floor(x), math.Floor(y)
	fx, fy := smooth(x-ix), smooth(y-iy)
	a := n.lattice(int(ix), int(iy))*(1-fx) + n.lattice(int(ix)+1, int(iy))*fx
	b := n.lattice(int(ix), int(iy)+1)*(1-fx) + n.lattice(int(ix)+1, int(iy)+1)*fx
	return a*(1-fy) + b*fy
}

// layers adds up finer and fainter noise, 0 to 1.
func (n noise) layers(x, y float64, count int) float64 {
	sum, weight, k := 0.0, 0.0, 1.0
	for range count {
		sum += n.at(x, y) * k
		weight += k
		x, y, k = x*2.03+11, y*2.03+7, k/2
	}
	return sum / weight
}
