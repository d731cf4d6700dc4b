package fakeprovider

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"
)

// Picture is a PNG of a figure before a white background, 256 pixels wide and
// high.
func Picture(t testing.TB) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 256, 256))
	for y := range 256 {
		for x := range 256 {
			img.Set(x, y, color.White)
			if dx, dy := x-128, y-128; dx*dx+dy*dy < 90*90 {
				img.Set(x, y, color.NRGBA{uint8(200 + dx/2), uint8(160 + dy/2), 40, 255})
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// ToneHeader is how many bytes of Tone come before its samples.
const ToneHeader = 44

// Tone is a WAV of half a second: 16 kHz, one channel, 16 bits.
func Tone() []byte {
	const rate = 16000
	le := binary.LittleEndian
	out := le.AppendUint32([]byte("RIFF"), 36+rate)
	out = le.AppendUint32(append(out, "WAVEfmt "...), 16)
	out = le.AppendUint16(le.AppendUint16(out, 1), 1)
	out = le.AppendUint32(le.AppendUint32(out, rate), rate*2)
	out = le.AppendUint16(le.AppendUint16(out, 2), 16)
	out = le.AppendUint32(append(out, "data"...), rate)
	for i := range rate / 2 {
		out = le.AppendUint16(out, uint16(int16(9000*math.Sin(float64(i)/6))))
	}
	return out
}
