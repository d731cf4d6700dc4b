package studio

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/model"
)

// canvasOf paints a disc in the middle of a picture.
func canvasOf(w, h int, ground, disc color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, ground)
			if dx, dy := x-w/2, y-h/2; dx*dx+dy*dy < w*h/16 {
				img.Set(x, y, disc)
			}
		}
	}
	return img
}

func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var (
	white = color.NRGBA{250, 250, 250, 255}
	red   = color.NRGBA{200, 30, 30, 255}
)

func TestFigureIsCutOutTrimmedAndScaled(t *testing.T) {
	for name, file := range map[string][]byte{
		"transparent": pngOf(t, canvasOf(800, 800, color.NRGBA{}, red)), "on white": pngOf(t, canvasOf(800, 800, white, red)), "JPEG": jpegOf(t, canvasOf(800, 800, white, red)),
	} {
		out, err := CutOut(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		img, err := png.Decode(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() < figureSide-2 || b.Dy() < figureSide-2 || max(b.Dx(), b.Dy()) != figureSide {
			t.Errorf("%s: it is %v", name, b)
		}
		if _, _, _, a := img.At(0, 0).RGBA(); a != 0 {
			t.Errorf("%s: its corner is not transparent", name)
		}
		if r, g, _, a := img.At(figureSide/2, figureSide/2).RGBA(); a != 0xffff || r < 3*g {
			t.Errorf("%s: its middle is %v", name, img.At(figureSide/2, figureSide/2))
		}
		again, err := CutOut(file)
		if err != nil || !bytes.Equal(out, again) {
			t.Errorf("%s: the same file gives another figure", name)
		}
	}
}

func TestBackgroundCoversTheField(t *testing.T) {
	for _, size := range [][4]int{{1024, 1536, 480, 720}, {1536, 1024, 480, 720}, {64, 64, 960, 540}} {
		out, err := Cover(pngOf(t, canvasOf(size[0], size[1], red, red)), size[2], size[3])
		if err != nil {
			t.Fatal(err)
		}
		c, err := jpeg.DecodeConfig(bytes.NewReader(out))
		if err != nil || c.Width != size[2] || c.Height != size[3] {
			t.Errorf("%v: %+v, %v", size, c, err)
		}
	}
}

func TestTransparentBackgroundIsWhite(t *testing.T) {
	out, err := Cover(pngOf(t, canvasOf(200, 200, color.NRGBA{}, red)), 100, 100)
	if err != nil {
		t.Fatal(err)
	}
	img, err := jpeg.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, _, _ := img.At(2, 2).RGBA(); r < 0xf000 || g < 0xf000 {
		t.Errorf("its corner is %v", img.At(2, 2))
	}
}

// huge is a PNG that says it is larger than it is.
func huge(w, h uint32) []byte {
	chunk := func(name string, body []byte) []byte {
		out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
		out = append(append(out, name...), body...)
		return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, 8, 6, 0, 0, 0))...)
}

func TestPictureThatIsNoUseIsRefused(t *testing.T) {
	cut := pngOf(t, canvasOf(200, 200, white, red))
	for name, file := range map[string][]byte{
		"empty": nil, "a page": []byte("<html>"), "SVG": []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), "GIF": []byte("GIF89a........"),
		"WebP": []byte("RIFF\x00\x00\x00\x00WEBPVP8 "), "cut off": cut[:len(cut)/2], "too large": huge(100_000, 100_000), "too many pixels": huge(4000, 4000),
		"too small": pngOf(t, canvasOf(8, 8, white, red)), "one colour": pngOf(t, canvasOf(200, 200, red, red)), "nothing": pngOf(t, image.NewNRGBA(image.Rect(0, 0, 200, 200))),
	} {
		if _, err := CutOut(file); !errors.Is(err, ErrUnusable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	scene := canvasOf(200, 200, white, red)
	scene.Set(199, 199, red)
	if _, err := CutOut(pngOf(t, scene)); !errors.Is(err, ErrUnusable) {
		t.Errorf("a scene: %v", err)
	}
	if _, err := Cover([]byte("x"), 480, 720); !errors.Is(err, ErrUnusable) {
		t.Errorf("a background: %v", err)
	}
}

// wavOf is a tone as a file of one kind.
func wavOf(tag, channels, bits uint16, hertz uint32, seconds float64) []byte {
	var data []byte
	le := binary.LittleEndian
	for i := range int(seconds * float64(hertz)) {
		v := 0.4 * math.Sin(2*math.Pi*440*float64(i)/float64(hertz))
		for range channels {
			switch {
			case tag == tagFloat:
				data = le.AppendUint32(data, math.Float32bits(float32(v)))
			case bits == 8:
				data = append(data, byte(128+127*v))
			default:
				data = append(data, le.AppendUint32(nil, uint32(int32(v*(1<<31-1))))[4-bits/8:]...)
			}
		}
	}
	out := append([]byte("RIFF\xff\xff\xff\xffWAVE"), "LIST\x03\x00\x00\x00abc\x00fmt "...)
	out = le.AppendUint32(out, 16)
	out = le.AppendUint16(le.AppendUint16(out, tag), channels)
	out = le.AppendUint32(le.AppendUint32(out, hertz), hertz*uint32(channels*bits/8))
	out = le.AppendUint16(le.AppendUint16(out, channels*bits/8), bits)
	return append(append(out, "data\xff\xff\xff\xff"...), data...) // as a stream ends
}

func TestSoundOfEveryKindIsMastered(t *testing.T) {
	for _, c := range []struct {
		tag, channels, bits uint16
		hertz               uint32
	}{{1, 1, 16, 24000}, {1, 2, 16, 44100}, {1, 1, 8, 8000}, {1, 2, 24, 48000}, {1, 1, 32, 22050}, {3, 2, 32, 48000}} {
		ext, out, err := Mastered(wavOf(c.tag, c.channels, c.bits, c.hertz, 0.5), false)
		if err != nil || ext != ".wav" {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		samples, err := readWAV(out)
		if err != nil {
			t.Fatal(err)
		}
		peak, crossings := 0.0, 0
		for i, v := range samples {
			peak = max(peak, math.Abs(v))
			if i > 0 && (v < 0) != (samples[i-1] < 0) {
				crossings++
			}
		}
		if seconds := float64(len(samples)) / rate; seconds < 0.48 || seconds > 0.52 || peak < 0.78 || peak > 0.82 || crossings < 420 || crossings > 450 {
			t.Errorf("%+v: %.2f s, peak %.2f, %d crossings of a tone of 440 hertz", c, seconds, peak, crossings)
		}
	}
	for music, most := range map[bool]int{false: effectLength, true: musicLength} {
		if _, out, err := Mastered(wavOf(1, 1, 16, 24000, 30), music); err != nil || len(out) != 44+most*rate*2 {
			t.Errorf("30 seconds, music %v: %d bytes, %v", music, len(out), err)
		}
	}
}

func TestSoundThatIsNoUseIsRefused(t *testing.T) {
	tone := wavOf(1, 1, 16, 24000, 0.5)
	for name, file := range map[string][]byte{
		"empty": nil, "a page": []byte("<html>not a sound</html>"), "no chunks": []byte("RIFF\x00\x00\x00\x00WAVE"), "only a header": tone[:60],
		"silence": wavOf(1, 1, 16, 24000, 0), "three channels": wavOf(1, 3, 16, 24000, 0.2), "too slow": wavOf(1, 1, 16, 100, 1), "no format": append(tone[:12:12], tone[48:]...),
		"not a number": append(wavOf(3, 1, 32, 24000, 0.1), bytes.Repeat([]byte{0, 0, 0xc0, 0x7f}, 8)...),
		"MP3 in name":  []byte("ID3\x04\x00\x00\x00\x00\x00\x04abcd<html>"), "Ogg in name": []byte("OggS\x00 something else that is none"),
	} {
		if _, _, err := Mastered(file, false); !errors.Is(err, ErrUnusable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzSound(f *testing.F) {
	f.Add(wavOf(1, 2, 16, 44100, 0.1))
	f.Add([]byte("ID3\x04\x00\x00\x7f\x7f\x7f\x7f\xff\xfb\x90\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if _, out, err := Mastered(file, true); err == nil && len(out) == 0 {
			t.Error("a sound without a byte")
		}
	})
}

// shop sells what it is told to.
type shop struct {
	mu       sync.Mutex // guards asked
	asked    []string
	picture  []byte
	sound    []byte
	fails    map[string]error // by a word of the prompt
	offers   []model.Offer
	offersOf error
}

func (s *shop) Offers(context.Context) ([]model.Offer, error) { return s.offers, s.offersOf }

func (s *shop) Paint(_ context.Context, p model.Picture) ([]byte, error) {
	return s.picture, s.note(p.Prompt)
}

func (s *shop) Record(_ context.Context, r model.Sound) ([]byte, error) {
	return s.sound, s.note(r.Prompt)
}

func (s *shop) note(prompt string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, prompt)
	for word, err := range s.fails {
		if strings.Contains(prompt, word) {
			return err
		}
	}
	return nil
}

func duck() spec.Spec {
	o := brief.Order{ProjectID: "p", Seed: 7, Format: spec.Short, Art: spec.Procedural, Sound: true}
	return brief.Read("a duck that flaps through gaps in the forest").Write(o)
}

func TestStudioMakesWhatAGameNeeds(t *testing.T) {
	s := &shop{
		picture: pngOf(t, canvasOf(200, 300, white, red)), sound: wavOf(1, 1, 16, 24000, 0.5),
		offers: []model.Offer{{Name: "writer", Use: "chat"}, {Name: "painter", Use: "images"}, {Name: "other", Use: "images"}, {Name: "speaker", Use: "speech"}},
	}
	studio, err := Open(t.Context(), s)
	if err != nil || studio.Images != "painter" || studio.Sounds != "speaker" {
		t.Fatalf("%+v, %v", studio, err)
	}
	orders := append(Pictures(duck(), "a style of its own"), Sounds(duck())...)
	made, err := studio.Make(t.Context(), orders)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range made {
		want := map[Kind]string{Figure: ".png", Background: ".jpg", Effect: ".wav", Music: ".wav"}[orders[i].Kind]
		if m.Err != nil || m.Ext != want || len(m.Data) == 0 {
			t.Errorf("%s: %q, %d bytes, %v", orders[i].Name, m.Ext, len(m.Data), m.Err)
		}
	}
	all := strings.Join(s.asked, "\n")
	if strings.Count(all, "a style of its own") != 4 || !strings.Contains(all, "A single duck") || !strings.Contains(all, duck().Palette.Hero) {
		t.Errorf("asked for %s", all)
	}
}

func TestWhatFailsIsNamedAndTheRestIsMade(t *testing.T) {
	s := &shop{picture: pngOf(t, canvasOf(200, 300, white, red)), offers: []model.Offer{{Name: "painter", Use: "images"}},
		fails: map[string]error{"the hero": &model.Refusal{Status: http.StatusBadRequest, Reason: "content_policy_violation"}}}
	studio, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	orders := Pictures(duck(), "")
	made, err := studio.Make(t.Context(), orders)
	for i, m := range made {
		if (m.Err != nil) != (orders[i].Name == "hero") {
			t.Errorf("%s: %v", orders[i].Name, m.Err)
		}
	}
	if err != nil {
		t.Error(err)
	}
	// A model that is down is not asked for everything.
	s.fails, s.asked = map[string]error{"": &model.Refusal{Status: http.StatusBadGateway}}, nil
	made, err = studio.Make(t.Context(), append(orders, orders...))
	if err != nil || len(s.asked) > atOnce || made[7].Err == nil {
		t.Errorf("%v after %d requests", err, len(s.asked))
	}
	s.fails = map[string]error{"": &model.Refusal{Status: http.StatusPaymentRequired}}
	if _, err := studio.Make(t.Context(), orders); !errors.Is(err, model.ErrExhausted) {
		t.Errorf("a used up balance: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := studio.Make(ctx, orders); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestViewsAreThoseOfTheKit(t *testing.T) {
	for _, name := range kit.Mechanics() {
		source, err := kit.Source("mechanics/" + name + ".js")
		if err != nil {
			t.Fatal(err)
		}
		above, behind := strings.Contains(string(source), "above: true"), strings.Contains(string(source), "behind: true")
		view := views[name]
		if above != strings.Contains(view, "above") || behind != strings.Contains(view, "behind") {
			t.Errorf("%s is seen %q", name, view)
		}
	}
}
