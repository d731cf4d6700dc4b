// Package synth makes the sounds of a game out of a few oscillators: effects
// and a short loop of music, as WAV files. They follow from the GameSpec's seed
// alone.
package synth

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/svc-games/svc/engine/gen/spec"
)

// rate is the sample rate in hertz. Sounds are 8-bit mono: they become part of
// the game's script.
const rate = 11025

// effect is one sound: a tone that slides, with a bit of noise.
type effect struct {
	from, to float64 // hertz
	seconds  float64
	square   float64 // share of a square wave in a sine, 0 to 1
	noise    float64 // share of noise, 0 to 1
	steps    []float64
}

var effects = map[string]effect{
	"score": {from: 660, to: 880, seconds: 0.14, square: 0.3, steps: []float64{1, 1.335}},
	"hurt":  {from: 240, to: 70, seconds: 0.32, square: 0.7, noise: 0.35},
	"move":  {from: 320, to: 520, seconds: 0.07, square: 0.2},
	"hit":   {from: 420, to: 160, seconds: 0.1, square: 0.8, noise: 0.2},
	"power": {from: 440, to: 520, seconds: 0.42, square: 0.25, steps: []float64{1, 1.26, 1.5, 2}},
	"boss":  {from: 90, to: 60, seconds: 0.7, square: 1, noise: 0.15},
	"over":  {from: 392, to: 360, seconds: 0.7, square: 0.4, steps: []float64{1, 0.84, 0.75, 0.5}},
	"win":   {from: 523, to: 523, seconds: 0.8, square: 0.3, steps: []float64{1, 1.26, 1.5, 2, 1.5, 2}},
}

// Sounds returns WAV files by name, "music" among them.
func Sounds(s spec.Spec) map[string][]byte {
	out := map[string][]byte{}
	// Each game has its own pitch.
	pitch := math.Pow(2, float64(s.Seed%7)/12-0.25)
	for name, e := range effects {
		out[name] = wav(e.render(pitch))
	}
	out["music"] = wav(music(s.Seed, 96+float64(s.Seed>>8%5)*8))
	return out
}

// roles are the effects that stand for what an author calls a sound.
var roles = map[string]string{"score": "score", "hit": "hurt", "jump": "move", "move": "hit", "power": "power", "lose": "over", "win": "win"}

// Role returns the WAV of a sound by what it is for, in a pitch that follows from the
// seed; false when there is none for it.
func Role(role string, seed uint32) ([]byte, bool) {
	if role == "music" {
		return wav(music(seed, 96+float64(seed>>8%5)*8)), true
	}
	e, ok := effects[roles[role]]
	return wav(e.render(math.Pow(2, float64(seed%7)/12-0.25))), ok
}

func (e effect) render(pitch float64) []float64 {
	n := int(e.seconds * rate)
	out := make([]float64, n)
	steps := e.steps
	if steps == nil {
		steps = []float64{1}
	}
	phase, dice := 0.0, uint32(1)
	for i := range out {
		k := float64(i) / float64(n)
		f := (e.from + (e.to-e.from)*k) * pitch * steps[min(len(steps)-1, int(k*float64(len(steps))))]
		phase += f / rate
		dice = dice*1664525 + 1013904223
		v := tone(phase, e.square)*(1-e.noise) + (float64(dice>>8)/(1<<23)-1)*e.noise
		out[i] = v * envelope(k) * 0.8
	}
	return out
}

// tone mixes a sine and a square wave.
func tone(phase, square float64) float64 {
	v := math.Sin(2 * math.Pi * phase)
	return v*(1-square) + math.Copysign(0.5, v)*square
}

// envelope rises quickly and fades.
func envelope(k float64) float64 { return min(1, k*25) * (1 - k) * (1 - k) }

// pentatonic has no two notes that clash.
var pentatonic = []int{0, 3, 5, 7, 10, 12, 15}

const (
	bars  = 4
	beats = 8 // eighths in a bar
)

// music is a loop of a bass and a melody that wanders.
func music(seed uint32, tempo float64) []float64 {
	eighth := int(30 / tempo * rate)
	out := make([]float64, bars*beats*eighth)
	dice, at := seed|1, 2
	roots := []int{0, 0, -4, -2}
	for i := range bars * beats {
		dice = dice*1664525 + 1013904223
		root := 220 * math.Pow(2, float64(roots[i/beats])/12)
		if i%4 == 0 {
			play(out, i*eighth, eighth*3, root/2, 0.34, 0.15)
		}
		if dice>>30 == 0 {
			continue // a rest
		}
		at = max(0, min(len(pentatonic)-1, at+int(dice>>16%3)-1))
		play(out, i*eighth, eighth*3/2, 220*math.Pow(2, float64(pentatonic[at])/12)*2, 0.17, 0.45)
	}
	return out
}

// play adds a note; its end may ring over into the loop's beginning.
func play(out []float64, from, length int, hertz, loud, square float64) {
	for i := range length {
		k := float64(i) / float64(length)
		out[(from+i)%len(out)] += tone(float64(i)*hertz/rate, square) * envelope(k) * loud
	}
}

// wav wraps samples from -1 to 1 into a file.
func wav(samples []float64) []byte {
	var b bytes.Buffer
	write := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) } // a buffer takes everything
	b.WriteString("RIFF")
	write(uint32(36 + len(samples)))
	b.WriteString("WAVEfmt ")
	write(uint32(16))
	write([]uint16{1, 1})
	write([]uint32{rate, rate})
	write([]uint16{1, 8})
	b.WriteString("data")
	write(uint32(len(samples)))
	for _, v := range samples {
		b.WriteByte(byte(128 + 127*max(-1, min(1, v))))
	}
	return b.Bytes()
}
