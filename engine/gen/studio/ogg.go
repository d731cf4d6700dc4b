package studio

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// page is one of an Ogg stream.
type page struct {
	raw     []byte
	granule int64    // samples up to its end; -1 when no packet ends in it
	packets [][]byte // that begin in it, as far as they do
	whole   bool     // its last packet ends in it
	begun   bool     // its first bytes end a packet of the page before
}

// Places and flags in a page's header.
const (
	pageHeader = 27
	pageSum    = 22 // of the checksum
	flagBegun  = 1
	flagFirst  = 2
	flagLast   = 4
)

// readPage reads the page that a file begins with, number n of its stream.
func readPage(file []byte, serial, n uint32) (p page, ok bool) {
	le := binary.LittleEndian
	if len(file) < pageHeader || string(file[:5]) != "OggS\x00" || len(file) < pageHeader+int(file[26]) {
		return p, false
	}
	lacing := file[pageHeader : pageHeader+int(file[26])]
	size := pageHeader + len(lacing)
	for _, n := range lacing {
		size += int(n)
	}
	if len(file) < size || len(lacing) == 0 || le.Uint32(file[14:]) != serial || le.Uint32(file[18:]) != n {
		return p, false
	}
	p = page{raw: file[:size], granule: int64(le.Uint64(file[6:])), whole: lacing[len(lacing)-1] < 255, begun: file[5]&flagBegun != 0}
	if (file[5]&flagFirst != 0) != (n == 0) || le.Uint32(file[pageSum:]) != oggSum(p.raw) {
		return p, false
	}
	at, goesOn := pageHeader+len(lacing), p.begun
	begin := at
	for i, n := range lacing {
		at += int(n)
		if n == 255 && i+1 < len(lacing) {
			continue
		}
		if !goesOn {
			p.packets = append(p.packets, file[begin:at])
		}
		begin, goesOn = at, false
	}
	return p, true
}

// oggSum is the checksum of a page, whose own place counts as zeros.
func oggSum(raw []byte) (sum uint32) {
	for i, b := range raw {
		if i >= pageSum && i < pageSum+4 {
			b = 0
		}
		sum ^= uint32(b) << 24
		for range 8 {
			if sum&(1<<31) != 0 {
				sum = sum<<1 ^ 0x04c11db7
			} else {
				sum <<= 1
			}
		}
	}
	return sum
}

// codec is what an Ogg stream holds.
type codec struct {
	rate    int // of granules, hertz
	skip    int64
	headers int // packets before the first one with sound
	// longest returns how many granules a packet can be at most.
	longest func(packet []byte) int
	// spare is how often as long as by its granules a stream may be by longest: it
	// is exact for Opus, and what all blocks of a Vorbis stream would be if they
	// were long ones.
	spare int
}

func codecOf(first []byte) (c codec, ok bool) {
	le := binary.LittleEndian
	switch {
	case len(first) >= 30 && string(first[:11]) == "\x01vorbis\x00\x00\x00\x00":
		channels, hertz, long := first[11], le.Uint32(first[12:]), first[28]>>4
		if channels < 1 || channels > 2 || hertz < 8000 || hertz > 192_000 || long < 6 || long > 13 {
			return c, false
		}
		return codec{rate: int(hertz), headers: 3, spare: 8, longest: func([]byte) int { return 1 << long / 2 }}, true
	case len(first) >= 19 && string(first[:8]) == "OpusHead":
		if channels, family := first[9], first[18]; first[8]>>4 != 0 || channels < 1 || channels > 2 || family != 0 {
			return c, false
		}
		return codec{rate: 48000, skip: int64(le.Uint16(first[10:])), headers: 2, spare: 1, longest: opusLength}, true
	}
	return c, false
}

// opusLength is how long a packet of Opus is, at 48,000 hertz.
func opusLength(packet []byte) int {
	if len(packet) == 0 {
		return 0
	}
	config, count := packet[0]>>3, 1
	one := [4]int{120, 240, 480, 960}[config&3] // 2.5 to 20 ms
	switch {
	case config < 12:
		one = [4]int{480, 960, 1920, 2880}[config&3] // 10 to 60 ms
	case config < 16:
		one = [2]int{480, 960}[config&1]
	}
	switch packet[0] & 3 {
	case 1, 2:
		count = 2
	case 3:
		if len(packet) > 1 {
			count = int(packet[1] & 0x3f)
		}
	}
	return one * count
}

// cutOgg returns the pages of an Ogg stream of Vorbis or Opus that last at most
// so many seconds and take at most so many bytes. What follows them is left out.
func cutOgg(file []byte, seconds, most int) ([]byte, error) {
	if len(file) < pageHeader {
		return nil, errNoOgg
	}
	serial := binary.LittleEndian.Uint32(file[14:])
	var c codec
	var out []byte
	end, last := 0, 0 // of the pages that are kept, and where the last one begins
	packets, longest := 0, 0
	for n := uint32(0); ; n++ {
		p, ok := readPage(file, serial, n)
		if !ok {
			break
		}
		if n == 0 {
			if c, ok = codecOf(first(p.packets)); !ok {
				return nil, errNoOgg
			}
		}
		for _, packet := range p.packets {
			if packets++; packets > c.headers {
				longest += c.longest(packet)
			}
		}
		bound := int64(seconds) * int64(c.rate)
		if p.granule-c.skip > bound || longest > c.spare*int(bound)+c.rate || len(out)+len(p.raw) > most {
			break
		}
		out = append(out, p.raw...)
		if p.whole && packets > c.headers {
			end, last = len(out), len(out)-len(p.raw)
		}
		file = file[len(p.raw):]
	}
	if end == 0 {
		return nil, fmt.Errorf("%w: no part of it can be kept", errNoOgg)
	}
	out = bytes.Clone(out[:end])
	out[last+5] |= flagLast
	binary.LittleEndian.PutUint32(out[last+pageSum:], oggSum(out[last:]))
	return out, nil
}

var errNoOgg = fmt.Errorf("%w: it is no sound stream of one or two channels in Ogg", ErrUnusable)

func first(packets [][]byte) []byte {
	if len(packets) == 0 {
		return nil
	}
	return packets[0]
}
