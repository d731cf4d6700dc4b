package studio

import (
	"bytes"
	"fmt"
)

// frame is what the header of a frame of MPEG layer III says.
type frame struct {
	bytes   int // of the frame, header included
	samples int // of a channel
	rate    int // hertz
	version byte
	mono    bool
}

// Tables of layer III, by the bits of the header.
var (
	// Thousands of bits a second, of MPEG 1 and of MPEG 2 and 2.5. The first is the
	// free format, which has no length.
	bitrates = [2][15]int{
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
	}
	mpegRates = [3]int{44100, 48000, 32000} // of MPEG 1; half of MPEG 2, a quarter of 2.5
)

// readFrame reads a frame's header; false when it is none.
func readFrame(b []byte) (f frame, ok bool) {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 || b[1]>>1&3 != 1 {
		return f, false
	}
	version, index, rate := b[1]>>3&3, b[2]>>4, b[2]>>2&3
	if version == 1 || index == 0 || index == 15 || rate == 3 {
		return f, false
	}
	f = frame{version: version, samples: 1152, rate: mpegRates[rate], mono: b[3]>>6 == 3}
	kilobits := bitrates[0][index]
	if version != 3 { // not MPEG 1
		f.samples, f.rate, kilobits = 576, f.rate/2, bitrates[1][index]
	}
	if version == 0 {
		f.rate /= 2
	}
	f.bytes = f.samples/8*kilobits*1000/f.rate + int(b[2]>>1&1)
	return f, true
}

// minFrames is how many frames in a row make an MP3: two bytes of noise may look
// like the beginning of one.
const minFrames = 3

// cutMP3 returns the frames of an MP3 that last at most so many seconds and take
// at most so many bytes. Tags, and what follows the frames, are left out.
func cutMP3(file []byte, seconds, most int) ([]byte, error) {
	file = file[tagSize(file):]
	first, _ := readFrame(file)
	var out []byte
	frames, samples := 0, 0
	for {
		f, ok := readFrame(file)
		if !ok || f.bytes > len(file) {
			break
		}
		if f.rate != first.rate || f.version != first.version {
			return nil, fmt.Errorf("%w: its rate changes", ErrUnusable)
		}
		if frames++; frames > 1 || !isIndex(file[:f.bytes], f) {
			if samples += f.samples; samples > seconds*f.rate || len(out)+f.bytes > most {
				break
			}
			out = append(out, file[:f.bytes]...)
		}
		file = file[f.bytes:]
	}
	if frames < minFrames || len(out) == 0 {
		return nil, fmt.Errorf("%w: it holds no frames of MPEG layer III", ErrUnusable)
	}
	return out, nil
}

// tagSize is the length of the ID3 tag that a file begins with; 0 without one.
func tagSize(file []byte) int {
	if len(file) <= 10 || string(file[:3]) != "ID3" {
		return 0
	}
	// Seven bits of each byte are the tag's length.
	size := 10 + int(file[6]&0x7f)<<21 + int(file[7]&0x7f)<<14 + int(file[8]&0x7f)<<7 + int(file[9]&0x7f)
	return min(size, len(file))
}

// isIndex reports whether a frame is silent and says how long the file is, which
// is no longer true of a part of it.
func isIndex(b []byte, f frame) bool {
	at := 4 + 32 // the side information
	switch mpeg1 := f.version == 3; {
	case mpeg1 && f.mono, !mpeg1 && !f.mono:
		at = 4 + 17
	case f.mono:
		at = 4 + 9
	}
	b = b[min(at, len(b)):]
	return bytes.HasPrefix(b, []byte("Xing")) || bytes.HasPrefix(b, []byte("Info"))
}
