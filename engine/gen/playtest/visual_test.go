package playtest

import (
	"bytes"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"testing"
)

// Of all that is kept of a playtest, pictures weigh the most.
func TestPictureOfAnythingIsLight(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	crowded := image.NewRGBA(image.Rect(0, 0, 960, 540))
	for i := range crowded.Pix {
		crowded.Pix[i] = byte(chance.UintN(2) * 90) // hardly a picture has more in it
	}
	var shot bytes.Buffer
	if err := jpeg.Encode(&shot, crowded, &jpeg.Options{Quality: 82}); err != nil || shot.Len() <= maxShot {
		t.Fatalf("it has %d bytes (%v)", shot.Len(), err)
	}
	r := Report{Shots: []Shot{{Moment: "mid", JPEG: shot.Bytes()}, {Moment: "ready", JPEG: []byte("broken")}}}
	j := &judge{report: &r}
	j.look()
	for _, s := range r.Shots {
		if _, err := jpeg.Decode(bytes.NewReader(s.JPEG)); err != nil || len(s.JPEG) > maxShot {
			t.Errorf("%s has %d bytes (%v)", s.Moment, len(s.JPEG), err)
		}
	}
	if len(r.Shots) > 1 {
		t.Errorf("%d pictures are kept, of which one can't be read", len(r.Shots))
	}
}
