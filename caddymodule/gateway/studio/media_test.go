package studio

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

// samples are files that can be uploaded, by what they end with.
func samples(t *testing.T, w, h int) map[string][]byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})
	var p, j, g bytes.Buffer
	for _, err := range []error{png.Encode(&p, img), jpeg.Encode(&j, img, nil), gif.Encode(&g, img, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string][]byte{
		".png": p.Bytes(), ".jpg": j.Bytes(), ".gif": g.Bytes(), ".wav": wav("LIST", "fmt ", "data"),
		".mp3": append([]byte("ID3\x04\x00\x00\x00\x00\x00\x06secret"), "\xff\xfb\x90\x00sound"...),
		".ogg": []byte("OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00 \x01vorbis"),
	}
}

func wav(parts ...string) []byte {
	out := append([]byte{}, "RIFF\x00\x00\x00\x00WAVE"...)
	for _, name := range parts {
		data := []byte("secret, 17 bytes!")
		out = binary.LittleEndian.AppendUint32(append(out, name...), uint32(len(data)))
		out = append(append(out, data...), 0)
	}
	return out
}

func TestAnUploadIsStoredWithoutWhatIsNoPictureOrSound(t *testing.T) {
	for end, file := range samples(t, 9, 7) {
		kind, ok := kindOf(file)
		if !ok || !kind.named("assets/A"+end) || kind.named("assets/a.html") {
			t.Errorf("%s is taken for %q", end, kind.what)
			continue
		}
		out, err := kind.clean(append(bytes.Clone(file), "<script>trailing"...))
		if err != nil || len(out) == 0 {
			t.Errorf("%s: %v", end, err)
		}
		if again, ok := kindOf(out); !ok || again.what != kind.what {
			t.Errorf("%s became %q", end, out)
		}
		if picture := end == ".png" || end == ".jpg" || end == ".gif" || end == ".wav"; picture && bytes.Contains(out, []byte("<script>")) {
			t.Errorf("%s keeps what is behind its end", end)
		}
		if bytes.Contains(out, []byte("LIST")) || end == ".mp3" && bytes.Contains(out, []byte("secret")) {
			t.Errorf("%s keeps its tags", end)
		}
	}
}

func TestWhatIsNoPictureOrSoundIsRefused(t *testing.T) {
	large := samples(t, maxSide+1, 1)
	wide := samples(t, maxSide, maxPixels/maxSide+1)
	small := samples(t, 9, 7)
	for name, file := range map[string][]byte{
		"png too long": large[".png"], "jpeg too long": large[".jpg"], "gif too long": large[".gif"], "png too large": wide[".png"],
		"cut png": small[".png"][:40], "cut jpeg": small[".jpg"][:40], "cut gif": small[".gif"][:20], "cut wav": small[".wav"][:40], "wav without sound": wav("fmt "),
		"tags alone": []byte("ID3\x04\x00\x00\x00\x00\x00\x06secret"), "no tags": []byte("ID3"), "tags of no mp3": []byte("ID3\x04\x00\x00\x00\x00\x00\x00<svg>"),
	} {
		kind, ok := kindOf(file)
		if !ok {
			t.Errorf("%s begins like nothing", name)
			continue
		}
		if out, err := kind.clean(file); err == nil {
			t.Errorf("%s is taken: %d bytes", name, len(out))
		}
	}
	for _, text := range []string{"", "<svg xmlns='http://www.w3.org/2000/svg'>", "<!doctype html>", "RIFF\x00\x00\x00\x00WEBPVP8 ", "OggS without a codec", "\x7fELF"} {
		if kind, ok := kindOf([]byte(text)); ok {
			t.Errorf("%q is taken for %s", text, kind.what)
		}
	}
}
