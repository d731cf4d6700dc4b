package studio

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"testing"
)

func TestWishIsCheckedBeforeAnythingIsMade(t *testing.T) {
	good := Wish{Name: "hero", Role: "hero", Subject: "a  red\nfox"}
	if w, err := good.Picture(); err != nil || w.Subject != "a red fox" || w.W != 96 || w.H != 96 || w.Frames != 1 {
		t.Errorf("%+v (%v)", w, err)
	}
	for name, w := range map[string]Wish{
		"path":           {Name: "../x", Role: "hero", Subject: "x"},
		"ending":         {Name: "x.png", Role: "hero", Subject: "x"},
		"role":           {Name: "x", Role: "system", Subject: "x"},
		"no subject":     {Name: "x", Role: "hero", Subject: " \n"},
		"long subject":   {Name: "x", Role: "hero", Subject: strings.Repeat("é", 81)},
		"large":          {Name: "x", Role: "hero", Subject: "x", W: 5000, H: 5},
		"negative":       {Name: "x", Role: "hero", Subject: "x", W: -5, H: 50},
		"wide sheet":     {Name: "x", Role: "hero", Subject: "x", W: 1000, H: 100, Frames: 8},
		"many frames":    {Name: "x", Role: "hero", Subject: "x", W: 10, H: 10, Frames: 100},
		"moving ground":  {Name: "x", Role: "background", Subject: "x", W: 480, H: 720, Frames: 2},
		"ground of dots": {Name: "x", Role: "background", Subject: "x", W: 480, H: 8},
	} {
		if _, err := w.Picture(); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	if _, err := (Wish{Name: "tune", Role: "music"}).Sound(); err != nil {
		t.Error(err)
	}
	if _, err := (Wish{Name: "tune", Role: "hero"}).Sound(); err == nil {
		t.Error("a sound of a hero is taken")
	}
}

func TestSheetHasFramesOfTheOrderedSize(t *testing.T) {
	w, err := Wish{Name: "hero", Role: "hero", Subject: "fox", W: 60, H: 40, Frames: 4}.Picture()
	if err != nil {
		t.Fatal(err)
	}
	data, err := w.Sheet(pngOf(t, canvasOf(200, 200, color.NRGBA{}, color.NRGBA{200, 30, 30, 255})))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil || img.Bounds().Dx() != 240 || img.Bounds().Dy() != 40 {
		t.Fatalf("%v (%v)", img.Bounds(), err)
	}
	heights := map[int]bool{}
	for i := range w.Frames {
		frame := image.NewNRGBA(image.Rect(0, 0, 60, 40))
		draw.Draw(frame, frame.Rect, img, image.Pt(i*60, 0), draw.Src)
		heights[visible(frame).Dy()] = true
	}
	if len(heights) < 3 {
		t.Errorf("its frames have %d heights", len(heights))
	}
	if _, err := w.Sheet([]byte("<svg onload=alert(1)>")); err == nil {
		t.Error("what is no picture is one")
	}
}
