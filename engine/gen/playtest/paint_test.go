package playtest

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/svc-games/svc/engine/gen/brief"
)

func TestFiguresOfTheKitBecomePictures(t *testing.T) {
	b := testBrowser(t)
	for _, c := range []struct {
		phrase, role, noun string
		known              bool
	}{
		{"a red fox with a scarf", "hero", "fox", true}, {"ein roter Apfel", "pickup", "apple", true}, {"quantum foam", "hazard", "rock", false}, {"", "thing", "box", false},
	} {
		d, known := brief.DrawnAs(c.phrase, c.role)
		if d.Noun != c.noun || known != c.known {
			t.Errorf("%q is drawn as %+v, %v", c.phrase, d, known)
		}
		data, err := b.Paint(t.Context(), d)
		if err != nil {
			t.Errorf("%q: %v", c.phrase, err)
			continue
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := colours(img, texts{}); n < 8 {
			t.Errorf("%q has %d colours", c.phrase, n)
		}
	}
}
