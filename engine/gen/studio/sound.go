package studio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// Bounds of a sound that is shipped.
const (
	rate         = 22050 // hertz, of a WAV
	effectLength = 2     // seconds
	musicLength  = 15
	effectBytes  = 96 << 10 // of an MP3 or Ogg
	musicBytes   = 512 << 10
)

// Mastered makes of a sound file what a game ships, and says what it is. A WAV
// is cut, brought to one rate, one channel and one loudness, and written anew.
// What only a browser can decode, MP3 and Ogg, is taken apart into its frames or
// pages, of which those at the beginning are kept: no browser gets more of it,
// in bytes or in seconds, than of a WAV.
func Mastered(file []byte, music bool) (ext string, data []byte, err error) {
	seconds, most := effectLength, effectBytes
	if music {
		seconds, most = musicLength, musicBytes
	}
	switch {
	case len(file) > 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WAVE":
		samples, err := readWAV(file)
		if err != nil {
			return "", nil, err
		}
		samples, err = levelled(samples, seconds)
		if err != nil {
			return "", nil, err
		}
		return ".wav", writeWAV(samples), nil
	case bytes.HasPrefix(file, []byte("OggS")):
		data, err = cutOgg(file, seconds, most)
		return ".ogg", data, err
	case bytes.HasPrefix(file, []byte("ID3")), len(file) > 1 && file[0] == 0xff:
		data, err = cutMP3(file, seconds, most)
		return ".mp3", data, err
	}
	return "", nil, fmt.Errorf("%w: it is neither WAV nor MP3 nor Ogg", ErrUnusable)
}

// format is the part of a WAV's "fmt " chunk that matters.
type format struct {
	Tag      uint16
	Channels uint16
	Rate     uint32
	_        uint32 // bytes a second
	_        uint16 // bytes of all channels' samples
	Bits     uint16
}

// Tags of formats.
const (
	tagPCM        = 1
	tagFloat      = 3
	tagExtensible = 0xfffe
)

// readWAV returns the samples of a file, -1 to 1, in mono at rate.
func readWAV(file []byte) ([]float64, error) {
	var f format
	known := false
	for rest := file[12:]; len(rest) >= 8; {
		name, size := string(rest[:4]), int64(binary.LittleEndian.Uint32(rest[4:8]))
		rest = rest[8:]
		body := rest[:min(size, int64(len(rest)))] // a stream's last size may be anything
		switch name {
		case "fmt ":
			if _, err := binary.Decode(body, binary.LittleEndian, &f); err != nil {
				return nil, fmt.Errorf("%w: its format is cut off", ErrUnusable)
			}
			if f.Tag == tagExtensible && len(body) >= 26 {
				f.Tag = binary.LittleEndian.Uint16(body[24:])
			}
			known = true
		case "data":
			if !known {
				return nil, fmt.Errorf("%w: its format is missing", ErrUnusable)
			}
			return f.samples(body)
		}
		rest = rest[min(size+size&1, int64(len(rest))):]
	}
	return nil, fmt.Errorf("%w: it holds no sound", ErrUnusable)
}

// samples decodes what a data chunk holds.
func (f format) samples(data []byte) ([]float64, error) {
	value := map[[2]uint16]func([]byte) float64{
		{tagPCM, 8}:  func(b []byte) float64 { return float64(b[0])/128 - 1 },
		{tagPCM, 16}: func(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) / (1 << 15) },
		{tagPCM, 24}: func(b []byte) float64 {
			return float64(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) / (1 << 31)
		},
		{tagPCM, 32}:   func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) / (1 << 31) },
		{tagFloat, 32}: func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) },
	}[[2]uint16{f.Tag, f.Bits}]
	if value == nil || f.Channels < 1 || f.Channels > 2 || f.Rate < 8000 || f.Rate > 192_000 {
		return nil, fmt.Errorf("%w: %d channels of %d bits at %d hertz in format %d", ErrUnusable, f.Channels, f.Bits, f.Rate, f.Tag)
	}
	width, channels := int(f.Bits/8), int(f.Channels)
	frames := len(data) / (width * channels)
	at := func(i int) float64 {
		sum := 0.0
		for c := range channels {
			sum += value(data[(i*channels+c)*width:])
		}
		return sum / float64(channels)
	}
	out := make([]float64, int64(frames)*rate/int64(f.Rate))
	for i := range out {
		place := float64(i) * float64(f.Rate) / rate
		low := min(int(place), frames-1)
		high, k := min(low+1, frames-1), place-float64(low)
		out[i] = at(low)*(1-k) + at(high)*k
	}
	return out, nil
}

// levelled cuts silence off the beginning, what is too long off the end, and
// makes what is left as loud as other sounds.
func levelled(samples []float64, seconds int) ([]float64, error) {
	const (
		silence = 0.01
		loud    = 0.8
		fade    = rate / 20 // samples
	)
	begin := 0
	for begin < len(samples) && !(math.Abs(samples[begin]) > silence) {
		begin++
	}
	samples = samples[begin:]
	cut := len(samples) > seconds*rate
	samples = samples[:min(len(samples), seconds*rate)]
	peak := 0.0
	for _, v := range samples {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%w: it holds what is no sound", ErrUnusable)
		}
		peak = max(peak, math.Abs(v))
	}
	if len(samples) < rate/50 || peak <= silence {
		return nil, fmt.Errorf("%w: it is silent", ErrUnusable)
	}
	for i := range samples {
		samples[i] *= loud / peak
		if left := len(samples) - i; cut && left < fade {
			samples[i] *= float64(left) / fade
		}
	}
	return samples, nil
}

// writeWAV wraps samples into a file of 16 bits.
func writeWAV(samples []float64) []byte {
	size := uint32(len(samples) * 2)
	out := []byte("RIFF")
	le := binary.LittleEndian
	out = le.AppendUint32(out, 36+size)
	out = append(out, "WAVEfmt "...)
	out = le.AppendUint32(out, 16)
	out = le.AppendUint16(out, tagPCM)
	out = le.AppendUint16(out, 1)
	out = le.AppendUint32(out, rate)
	out = le.AppendUint32(out, rate*2)
	out = le.AppendUint16(out, 2)
	out = le.AppendUint16(out, 16)
	out = append(out, "data"...)
	out = le.AppendUint32(out, size)
	for _, v := range samples {
		out = le.AppendUint16(out, uint16(int16(v*math.MaxInt16)))
	}
	return out
}
