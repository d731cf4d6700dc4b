package synth

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/svc-games/svc/engine/gen/spec"
)

func TestSoundsAreWholeFilesThatCanBeHeard(t *testing.T) {
	sounds := Sounds(spec.Spec{Seed: 42})
	for _, name := range []string{"score", "hurt", "move", "hit", "power", "boss", "over", "win", "music"} {
		data := sounds[name]
		if len(data) < 100 || !bytes.HasPrefix(data, []byte("RIFF")) || string(data[8:16]) != "WAVEfmt " || string(data[36:40]) != "data" {
			t.Errorf("%s is no sound: %.16q", name, data)
			continue
		}
		if n := binary.LittleEndian.Uint32(data[40:]); int(n) != len(data)-44 {
			t.Errorf("%s: %d samples said, %d there", name, n, len(data)-44)
		}
		low, high := byte(128), byte(128)
		for _, v := range data[44:] {
			low, high = min(low, v), max(high, v)
		}
		if high-low < 60 {
			t.Errorf("%s is hardly heard: %d to %d", name, low, high)
		}
	}
}

func TestSoundsFollowFromTheSeed(t *testing.T) {
	a, b, c := Sounds(spec.Spec{Seed: 1}), Sounds(spec.Spec{Seed: 1}), Sounds(spec.Spec{Seed: 2})
	if !bytes.Equal(a["music"], b["music"]) || bytes.Equal(a["music"], c["music"]) {
		t.Error("the music does not follow from the seed")
	}
}

func TestSoundsOfEachRoleAreWholeFiles(t *testing.T) {
	for _, role := range []string{"score", "hit", "jump", "move", "power", "lose", "win", "music"} {
		if data, ok := Role(role, 3); !ok || len(data) < 100 || !bytes.HasPrefix(data, []byte("RIFF")) {
			t.Errorf("%s is no sound: %.16q", role, data)
		}
	}
	if _, ok := Role("hero", 3); ok {
		t.Error("there is a sound of a hero")
	}
}
