package games

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"

	"github.com/svc-games/svc/engine/gen"
)

// sizes are those that every game is looked at in: a desktop's and a phone's.
var sizes = []image.Point{{1280, 720}, {390, 844}}

// look opens a delivered game at both sizes, plays for some seconds, and keeps a
// picture of what is to be seen, whole and small.
func (s *studio) look(name, dir string) {
	if os.Getenv("SVC_GAMES") == "" {
		return
	}
	b, release, err := chromium.Get()
	if err != nil {
		s.t.Fatal(err)
	}
	defer release(false)
	const seconds = 6
	url := "file://" + filepath.ToSlash(filepath.Join(dir, gen.Deliverable, "index.html"))
	var shots []image.Image
	for i, size := range sizes {
		page, err := b.Open(s.t.Context(), url, size.X, size.Y)
		if err != nil {
			s.t.Errorf("%s: %v", name, err)
			return
		}
		_, err = page.Run("idle", 20)
		err = errors.Join(err, s.shoot(page.Screenshot, name, i, "ready", nil))
		err = errors.Join(err, page.Tap(float64(size.X)/2, float64(size.Y)/2))
		_, ran := page.Run("skilled", 60*seconds)
		err = errors.Join(err, ran, s.shoot(page.Screenshot, name, i, "play", &shots))
		if said := page.Console(); err != nil || len(said) > 0 {
			s.t.Errorf("%s at %v: the console says %q (%v)", name, size, said, err)
		}
		page.Close()
	}
	if len(shots) == len(sizes) {
		small, err := sideBySide(shots)
		if err == nil {
			err = os.WriteFile(filepath.Join(kept, name+".jpg"), small, 0o644)
		}
		if err != nil {
			s.t.Errorf("%s: %v", name, err)
		}
	}
}

// shoot keeps a whole picture.
func (s *studio) shoot(take func() ([]byte, error), name string, size int, moment string, shots *[]image.Image) error {
	data, err := take()
	if err != nil {
		return err
	}
	file := filepath.Join(kept, "whole", name+[]string{"-desktop-", "-phone-"}[size]+moment+".jpg")
	err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, 0o644))
	if shots == nil || err != nil {
		return err
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	*shots = append(*shots, img)
	return err
}

// sideBySide makes one small picture of some.
func sideBySide(shots []image.Image) ([]byte, error) {
	const height, gap, quality = 160, 4, 62
	widths := make([]int, len(shots))
	total := -gap
	for i, img := range shots {
		widths[i] = img.Bounds().Dx() * height / img.Bounds().Dy()
		total += widths[i] + gap
	}
	sheet := image.NewRGBA(image.Rect(0, 0, total, height))
	x := 0
	for i, img := range shots {
		shrinkInto(sheet, img, x, widths[i])
		x += widths[i] + gap
	}
	var out bytes.Buffer
	err := jpeg.Encode(&out, sheet, &jpeg.Options{Quality: quality})
	return out.Bytes(), err
}

// shrinkInto draws a picture as high as the sheet, by averaging.
func shrinkInto(sheet *image.RGBA, img image.Image, left, width int) {
	kx := float64(img.Bounds().Dx()) / float64(width)
	ky := float64(img.Bounds().Dy()) / float64(sheet.Bounds().Dy())
	for y := range sheet.Bounds().Dy() {
		for x := range width {
			var sum [3]uint32
			var n uint32
			for sy := int(float64(y) * ky); sy < int(float64(y+1)*ky); sy++ {
				for sx := int(float64(x) * kx); sx < int(float64(x+1)*kx); sx++ {
					r, g, b, _ := img.At(sx, sy).RGBA()
					sum[0], sum[1], sum[2], n = sum[0]+r>>8, sum[1]+g>>8, sum[2]+b>>8, n+1
				}
			}
			sheet.SetRGBA(left+x, y, color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255})
		}
	}
}
