package art

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/spec"
)

func TestBackgroundFillsTheFieldAndFollowsTheSeed(t *testing.T) {
	for _, format := range []spec.Format{spec.Short, spec.Platform} {
		s := brief.Read("A maze game").Write(brief.Order{ProjectID: "p", Seed: 3, Format: format})
		first, err := Background(s)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := Background(s)
		s.Seed++
		other, _ := Background(s)
		if !bytes.Equal(first, again) || bytes.Equal(first, other) {
			t.Error("the picture does not follow from the seed")
		}
		img, err := png.Decode(bytes.NewReader(first))
		if err != nil {
			t.Fatal(err)
		}
		if got := img.Bounds().Size(); format == spec.Short && (got.X != 480 || got.Y != 720) || format == spec.Platform && (got.X != 960 || got.Y != 540) {
			t.Errorf("%s: the picture has %v", format, got)
		}
		if len(first) > 700<<10 {
			t.Errorf("%s: the picture has %d bytes", format, len(first))
		}
	}
}
