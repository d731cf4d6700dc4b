package studio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

// mp3 is so many silent frames of 128 kbit/s at 44,100 hertz, of 26 ms each.
func mp3(frames int) []byte {
	one := append([]byte{0xff, 0xfb, 0x90, 0xc4}, make([]byte, 413)...)
	return bytes.Repeat(one, frames)
}

// tag is an ID3 tag with something in it.
func tag(content string) []byte {
	return append([]byte{'I', 'D', '3', 4, 0, 0, 0, 0, byte(len(content) >> 7), byte(len(content) & 0x7f)}, content...)
}

// index is a frame that says that the file is long.
func index() []byte {
	frame := mp3(1)
	copy(frame[4+17:], "Info\x00\x00\x00\x01\x7f\xff\xff\xff")
	return frame
}

func TestMP3IsCutToItsFrames(t *testing.T) {
	for what, tc := range map[string]struct {
		file []byte
		want int // frames
	}{
		"short":                    {mp3(10), 10},
		"between tags":             {slices.Concat(tag("<script>alert(1)</script>"), mp3(10), []byte("TAGa title")), 10},
		"with a page behind":       {append(mp3(10), "<html>"...), 10},
		"with an index":            {append(index(), mp3(10)...), 10},
		"cut off in its last":      {mp3(10)[:4000], 9},
		"of an hour":               {mp3(3600 * 44100 / 1152), effectLength * 44100 / 1152},
		"of a low rate in no time": {bytes.Repeat(append([]byte{0xff, 0xe3, 0x18, 0xc4}, make([]byte, 68)...), 5000), -1},
	} {
		ext, data, err := Mastered(tc.file, false)
		if err != nil || ext != ".mp3" || tc.want >= 0 && !bytes.Equal(data, mp3(tc.want)) {
			t.Errorf("%s: %d bytes, %s, %v", what, len(data), ext, err)
		}
		if tc.want < 0 && len(data) != 72*(effectLength*8000/576) {
			t.Errorf("%s: %d bytes", what, len(data))
		}
	}
	loud := bytes.Repeat(append([]byte{0xff, 0xfb, 0xe0, 0xc4}, make([]byte, 1040)...), 1000) // 320 kbit/s
	if _, data, err := Mastered(loud, true); err != nil || len(data) > musicBytes || len(data) < musicBytes-1044 {
		t.Errorf("music of a high rate: %d bytes, %v", len(data), err)
	}
}

// ogg is a stream of pages with these packets each, and a granule position.
func ogg(pages ...oggPage) []byte {
	var out []byte
	for n, p := range pages {
		raw := append([]byte("OggS\x00\x00"), make([]byte, 21)...)
		if n == 0 {
			raw[5] = flagFirst
		}
		le := binary.LittleEndian
		le.PutUint64(raw[6:], uint64(p.granule))
		le.PutUint32(raw[14:], 7)
		le.PutUint32(raw[18:], uint32(n))
		var body []byte
		for _, packet := range p.packets {
			for left := len(packet); ; left -= 255 {
				raw = append(raw, byte(min(left, 255)))
				if left < 255 {
					break
				}
			}
			body = append(body, packet...)
		}
		raw[26] = byte(len(raw) - pageHeader)
		raw = append(raw, body...)
		le.PutUint32(raw[pageSum:], oggSum(raw))
		out = append(out, raw...)
	}
	return out
}

type oggPage struct {
	granule int64
	packets [][]byte
}

// opus are the pages of a stream of so many seconds, in packets of 20 ms.
func opus(seconds int) []oggPage {
	head := []byte("OpusHead\x01\x01\x00\x00\x80\xbb\x00\x00\x00\x00\x00")
	pages := []oggPage{{0, [][]byte{head}}, {0, [][]byte{[]byte("OpusTags\x00\x00\x00\x00\x00\x00\x00\x00")}}}
	for s := range seconds {
		pages = append(pages, oggPage{int64(s+1) * 48000, slices.Repeat([][]byte{{0xf8, 0xff, 0xfe}}, 50)}) // CELT, one frame of 20 ms
	}
	return pages
}

// vorbis are the pages of a stream of so many seconds at 44,100 hertz.
func vorbis(seconds int) []oggPage {
	head := append([]byte("\x01vorbis\x00\x00\x00\x00\x02\x44\xac\x00\x00"), make([]byte, 12)...)
	pages := []oggPage{{0, [][]byte{append(head, 0xb8, 1)}}, {0, [][]byte{[]byte("\x03vorbis"), bytes.Repeat([]byte("\x05vorbis"), 100)}}}
	for s := range seconds {
		pages = append(pages, oggPage{int64(s+1) * 44100, slices.Repeat([][]byte{make([]byte, 300)}, 43)})
	}
	return pages
}

func TestOggIsCutToItsPages(t *testing.T) {
	for what, pages := range map[string]func(seconds int) []oggPage{"Opus": opus, "Vorbis": vorbis} {
		whole := ogg(pages(2)...)
		_, kept, err := Mastered(append(whole, "<html>"...), false)
		if err != nil || len(kept) != len(whole) {
			t.Fatalf("%s: %d bytes of %d, %v", what, len(kept), len(whole), err)
		}
		for _, seconds := range []int{3, 5} {
			ext, cut, err := Mastered(ogg(pages(seconds)...), false)
			if err != nil || ext != ".ogg" || !bytes.Equal(cut, kept) {
				t.Errorf("%s of %d seconds: %d bytes, %s, %v", what, seconds, len(cut), ext, err)
			}
		}
		again, ok := readPage(lastPage(kept), 7, uint32(len(pages(2))-1))
		if !ok || again.raw[5]&flagLast == 0 {
			t.Errorf("%s: the last page is %x", what, again.raw[:6])
		}
	}
}

func lastPage(stream []byte) []byte { return stream[bytes.LastIndex(stream, []byte("OggS")):] }

func TestPackedSoundThatIsNoUseIsRefused(t *testing.T) {
	lying := opus(1)
	lying[2].packets = slices.Repeat([][]byte{{0x1b, 48}}, 250) // 48 frames of 60 ms in a packet, as if they were a second
	for i := range 5 {
		lying = append(lying, oggPage{int64(i), lying[2].packets})
	}
	long := vorbis(1)
	long[2].packets = slices.Repeat([][]byte{{}}, 250) // packets of no byte, of which a decoder makes blocks
	for range 100 {
		long = append(long, oggPage{44100, long[2].packets})
	}
	spoilt := ogg(opus(1)...)
	spoilt[40] ^= 1
	three := opus(1)
	three[0].packets[0] = bytes.Replace(three[0].packets[0], []byte("\x01\x01"), []byte("\x01\x03"), 1)
	for what, file := range map[string][]byte{
		"MP3 of one frame":            mp3(1),
		"MP3 of a tag alone":          tag("no more"),
		"MP3 with a tag of its own":   {'I', 'D', '3', 4, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f, 0xff, 0xfb, 0x90, 0},
		"MP3 whose rate changes":      append(mp3(4), bytes.Repeat(append([]byte{0xff, 0xfb, 0x94, 0xc4}, make([]byte, 380)...), 4)...),
		"JPEG":                        []byte("\xff\xd8\xff\xe0 and so on"),
		"Ogg of headers alone":        ogg(opus(0)...),
		"Ogg with a wrong sum":        spoilt,
		"Ogg of three channels":       ogg(three...),
		"Ogg of pictures":             ogg(oggPage{0, [][]byte{[]byte("\x80theora and so on, and so on, and on")}}),
		"Ogg that begins in a packet": ogg(opus(1)...)[47:],
		"Opus that lies of its time":  ogg(lying...),
	} {
		if _, data, err := Mastered(file, false); !errors.Is(err, ErrUnusable) {
			t.Errorf("%s: %d bytes, %v", what, len(data), err)
		}
	}
	// Here the granules say a second, and the packets may be eight times as much.
	_, data, err := Mastered(ogg(long...), false)
	if most := 9 * effectLength * 44100 / 1024; err != nil || bytes.Count(data, []byte("OggS")) > most/250+3 {
		t.Errorf("Vorbis that lies of its time: %d pages, %v", bytes.Count(data, []byte("OggS")), err)
	}
}

func FuzzPackedSound(f *testing.F) {
	f.Add(append(tag("x"), mp3(5)...))
	f.Add(ogg(opus(3)...))
	f.Add(ogg(vorbis(3)...))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, out, err := Mastered(file, true)
		if err == nil && (len(out) == 0 || len(out) > max(musicBytes, 44+musicLength*rate*2)) {
			t.Errorf("%d bytes of %d", len(out), len(file))
		}
		if err != nil && !errors.Is(err, ErrUnusable) {
			t.Errorf("the error is %v", err)
		}
	})
}
