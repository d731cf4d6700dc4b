package studio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/gif"
	"image/jpeg"
	"image/png"
	"path"
	"slices"
	"strings"
)

// media is a kind of files that can be uploaded.
type media struct {
	what  string   // in a sentence
	names []string // that its files may end with
	is    func(file []byte) bool
	// clean reads a file and returns what of it belongs into a game: nothing that says where
	// or by whom it was made, and nothing behind its end.
	clean func(file []byte) ([]byte, error)
}

// Bounds of a picture that is uploaded: what it takes in memory is 4 bytes a pixel.
const (
	maxSide   = 4096
	maxPixels = 8 << 20
)

// jpegQuality is that of a JPEG which is written anew.
const jpegQuality = 90

var (
	errMedia  = errors.New("it can't be read")
	errPixels = errors.New("it has too many pixels: 4096 a side and 8 million in all are the most")
	errFrames = errors.New("it has too many pictures one after another")
)

// kinds are what can be uploaded.
var kinds = []media{
	{"a PNG", []string{".png"}, begins("\x89PNG\r\n\x1a\n"), cleanPNG},
	{"a JPEG", []string{".jpg", ".jpeg"}, begins("\xff\xd8\xff"), cleanJPEG},
	{"a GIF", []string{".gif"}, begins("GIF8"), cleanGIF},
	{"a WAV", []string{".wav"}, isWAV, cleanWAV},
	{"an MP3", []string{".mp3"}, isMP3, cleanMP3},
	{"an Ogg", []string{".ogg"}, isOgg, func(file []byte) ([]byte, error) { return file, nil }},
}

// kindOf returns what a file is by its first bytes, false for what can't be uploaded.
func kindOf(file []byte) (media, bool) {
	i := slices.IndexFunc(kinds, func(m media) bool { return m.is(file) })
	if i < 0 {
		return media{}, false
	}
	return kinds[i], true
}

// named reports whether a file of this kind may have a name.
func (m media) named(name string) bool {
	return slices.Contains(m.names, strings.ToLower(path.Ext(name)))
}

func begins(with string) func([]byte) bool {
	return func(file []byte) bool { return bytes.HasPrefix(file, []byte(with)) }
}

func cleanPNG(file []byte) ([]byte, error) {
	config, err := png.DecodeConfig(bytes.NewReader(file))
	if err == nil {
		err = sized(config.Width, config.Height)
	}
	if err != nil {
		return nil, err
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, img)
	return out.Bytes(), err
}

func cleanJPEG(file []byte) ([]byte, error) {
	config, err := jpeg.DecodeConfig(bytes.NewReader(file))
	if err == nil {
		err = sized(config.Width, config.Height)
	}
	if err != nil {
		return nil, err
	}
	img, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = jpeg.Encode(&out, img, &jpeg.Options{Quality: jpegQuality})
	return out.Bytes(), err
}

// cleanGIF takes one picture alone: how many more there are shows only when all of them
// are unpacked.
func cleanGIF(file []byte) ([]byte, error) {
	config, err := gif.DecodeConfig(bytes.NewReader(file))
	if err == nil {
		err = sized(config.Width, config.Height)
	}
	if err != nil {
		return nil, err
	}
	img, err := gif.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	if bytes.Count(file, []byte("\x00\x21\xf9\x04")) > 1 {
		return nil, errFrames
	}
	var out bytes.Buffer
	err = gif.Encode(&out, img, nil)
	return out.Bytes(), err
}

func sized(w, h int) error {
	if w < 1 || h < 1 || w > maxSide || h > maxSide || w*h > maxPixels {
		return errPixels
	}
	return nil
}

func isWAV(file []byte) bool {
	return len(file) > 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WAVE"
}

// cleanWAV keeps the two parts of a file that are its sound: how it is coded, and the data.
func cleanWAV(file []byte) ([]byte, error) {
	out := append([]byte{}, "RIFF\x00\x00\x00\x00WAVE"...)
	var format, data bool
	for rest := file[12:]; len(rest) >= 8 && !data; {
		size := int64(binary.LittleEndian.Uint32(rest[4:8]))
		if size > int64(len(rest)-8) {
			return nil, errMedia
		}
		switch string(rest[:4]) {
		case "fmt ":
			format = size >= 16
		case "data":
			data = size > 0
		default:
			rest = rest[min(8+size+size%2, int64(len(rest))):]
			continue
		}
		out = append(out, rest[:8+size]...)
		if size%2 == 1 {
			out = append(out, 0)
		}
		rest = rest[min(8+size+size%2, int64(len(rest))):]
	}
	if !format || !data {
		return nil, errMedia
	}
	binary.LittleEndian.PutUint32(out[4:8], uint32(len(out)-8))
	return out, nil
}

// isMP3 reports whether a file begins with tags or with a frame of MPEG layer 3.
func isMP3(file []byte) bool {
	return begins("ID3")(file) || len(file) > 4 && file[0] == 0xff && file[1]&0xe6 == 0xe2
}

// cleanMP3 takes the tags before a sound away: they can hold texts and pictures.
func cleanMP3(file []byte) ([]byte, error) {
	for begins("ID3")(file) {
		if len(file) < 10 {
			return nil, errMedia
		}
		size := 10
		for i, b := range file[6:10] {
			size += int(b&0x7f) << (7 * (3 - i))
		}
		if size >= len(file) {
			return nil, errMedia
		}
		file = file[size:]
	}
	if !isMP3(file) {
		return nil, errMedia
	}
	return file, nil
}

func isOgg(file []byte) bool {
	head := file[:min(len(file), 64)]
	return begins("OggS")(file) && (bytes.Contains(head, []byte("vorbis")) || bytes.Contains(head, []byte("OpusHead")))
}
