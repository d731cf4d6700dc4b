package gateway

import (
	"context"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"net/http"
)

const (
	// pictureFile is what the playtest saw of a game in the middle of a run.
	pictureFile = "playtest/mid.jpg"
	// maxPicture bounds it, in bytes.
	maxPicture = 256 << 10
)

// Picture returns what the playtest of a job saw of its game, a JPEG, and whether there
// is such a picture. A game is hostile input: what is none is not returned.
func (p *Previews) Picture(ctx context.Context, files Files, jobID string) ([]byte, bool) {
	data, err := p.Read(ctx, files, jobID, pictureFile, maxPicture)
	return data, err == nil && http.DetectContentType(data) == "image/jpeg"
}

// ServePicture answers with the picture of a published job's game, and for one that no
// browser played with a pattern that is always the same.
func (p *Previews) ServePicture(w http.ResponseWriter, r *http.Request, files Files, jobID string) {
	data, there := p.Picture(r.Context(), files, jobID)
	h := w.Header()
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("Content-Type", "image/jpeg")
	if !there {
		h.Set("Content-Type", "image/png")
	}
	w.WriteHeader(http.StatusOK)
	switch {
	case r.Method == http.MethodHead:
	case there:
		_, _ = w.Write(data) // a browser that went away is no error of ours
	default:
		_ = png.Encode(w, pattern(jobID)) // nor is this
	}
}

// Size of a pattern, and of the squares that it is made of.
const (
	patternWidth, patternHeight = 1200, 630
	patternSquare               = 90
)

// pattern draws a symmetrical picture of a name.
func pattern(name string) image.Image {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // never fails
	bits := hash.Sum64()
	shade := func(n uint64) uint8 { return uint8(40 + bits>>n&0x3f) }
	back := color.RGBA{shade(40), shade(46), shade(52), 0xff}
	front := color.RGBA{back.R + 120, back.G + 120, back.B + 120, 0xff}
	out := image.NewPaletted(image.Rect(0, 0, patternWidth, patternHeight), color.Palette{back, front})
	for y := range patternHeight {
		for x := range patternWidth {
			column, row := min(x, patternWidth-1-x)/patternSquare, y/patternSquare
			if column > 1 && row > 0 && row < 6 && bits>>(column*5+row)&1 == 1 {
				out.SetColorIndex(x, y, 1)
			}
		}
	}
	return out
}
