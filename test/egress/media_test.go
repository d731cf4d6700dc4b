package egress

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/model"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// claims is a PNG that says that it is of this size.
func claims(t *testing.T, w, h uint32) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	binary.BigEndian.PutUint32(file[16:], w)
	binary.BigEndian.PutUint32(file[20:], h)
	return file
}

// quickMedia gives a picture or a sound up soon.
var quickMedia = model.Options{Media: 4 * time.Second}

// mediaFaults are what may be wrong with any answer that comes whole.
func mediaFaults(good fakeprovider.Answer) map[string]mediaCase {
	return map[string]mediaCase{
		"good":                         {answer: good, model: true},
		"429 once":                     {answer: fakeprovider.InTurn(fakeprovider.RateLimited(7), good), model: true, waits: 7 * time.Second},
		"429 for ever":                 {answer: fakeprovider.RateLimited(7), waits: 7 * time.Second},
		"500 once":                     {answer: fakeprovider.InTurn(fakeprovider.Status(500, "overloaded"), good), model: true},
		"500 for ever":                 {answer: fakeprovider.Status(500, "overloaded")},
		"silent for ever":              {answer: fakeprovider.Stalls(false), limits: quickMedia},
		"hangs up":                     {answer: fakeprovider.HangsUp()},
		"an endless answer":            {answer: fakeprovider.Endless(), limits: quickMedia},
		"elsewhere":                    {answer: fakeprovider.Redirects("http://127.0.0.1:1/")},
		"nothing":                      {answer: fakeprovider.Body("application/json", "")},
		"a page in place of an answer": {answer: fakeprovider.Body("text/html", "<html>Bad gateway</html>")},
		"refused for what it shows":    {answer: fakeprovider.Status(400, "content_policy_violation")},
	}
}

// mediaCase is an answer of a model of pictures or sounds.
type mediaCase struct {
	answer fakeprovider.Answer
	limits model.Options
	waits  time.Duration // that the client must make
	model  bool          // what it made is in the game
}

func TestJobEndsWithItsPicturesWhateverTheImageModelDoes(t *testing.T) {
	t.Parallel()
	good := fakeprovider.Pictures(fakeprovider.Picture(t))
	cases := mediaFaults(good)
	json := string(pictureJSON(fakeprovider.Picture(t)))
	cases["cut off in JSON"] = mediaCase{answer: fakeprovider.Body("application/json", json[:len(json)/2])}
	cases["an address in place of a picture"] = mediaCase{answer: fakeprovider.PictureLinks()}
	cases["no picture"] = mediaCase{answer: fakeprovider.Pictures([]byte("<svg onload='alert(1)'/>"))}
	cases["half a picture"] = mediaCase{answer: fakeprovider.Pictures(fakeprovider.Picture(t)[:300])}
	cases["a bomb"] = mediaCase{answer: fakeprovider.Pictures(claims(t, 60_000, 60_000))}
	cases["a narrow bomb"] = mediaCase{answer: fakeprovider.Pictures(claims(t, 1<<31-1, 32))}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := tc.work(t, "/images/generations", api.Settings{AIImages: new(true)})
			says := "The models made nothing of use for background, hero, hazard, pickup"
			if tc.model {
				says = ""
			}
			o.checkGame(says)
			for _, file := range []string{"assets/hero.png", "assets/background.jpg"} {
				if _, made := o.files[file]; made != tc.model {
					t.Errorf("%s is a model's: %v", file, made)
				}
			}
			if _, own := o.files["assets/background.png"]; own == tc.model {
				t.Errorf("the background is the generator's: %v", own)
			}
		})
	}
}

func pictureJSON(file []byte) []byte {
	return []byte(`{"created":1,"data":[{"b64_json":"` + base64.StdEncoding.EncodeToString(file) + `"}]}`)
}

func TestJobEndsWithItsSoundsWhateverTheAudioModelDoes(t *testing.T) {
	t.Parallel()
	cases := mediaFaults(fakeprovider.Speech(fakeprovider.Tone()))
	hour := bytes.Repeat(append([]byte{0xff, 0xfb, 0x90, 0xc4}, make([]byte, 413)...), 12_000)
	cases["five minutes of MP3"] = mediaCase{answer: fakeprovider.Speech(hour), model: true}
	cases["cut off in its format"] = mediaCase{answer: fakeprovider.Speech(fakeprovider.Tone()[:20])}
	cases["no sound"] = mediaCase{answer: fakeprovider.Speech([]byte("RIFF, but no WAVE"))}
	cases["silence"] = mediaCase{answer: fakeprovider.Speech(append(fakeprovider.Tone()[:fakeprovider.ToneHeader], make([]byte, 16000)...))}
	cases["too much"] = mediaCase{answer: fakeprovider.Speech(append(fakeprovider.Tone()[:fakeprovider.ToneHeader], make([]byte, 9<<20)...))}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := tc.work(t, "/audio/speech", api.Settings{AIAudio: new(true)})
			says := "The models made nothing of use for "
			if tc.model {
				says = ""
			}
			o.checkGame(says)
			sounds, bytes := 0, 0
			for file, data := range o.files {
				if strings.HasPrefix(file, "assets/") && (strings.HasSuffix(file, ".wav") || strings.HasSuffix(file, ".mp3")) {
					sounds++
					bytes += len(data)
				}
			}
			if sounds != 9 || bytes > 2<<20 {
				t.Errorf("%d sounds of %d bytes", sounds, bytes)
			}
			models := 0
			for _, e := range o.events {
				if e.Type == api.EventAssetCreated && e.Members["kind"] == "audio" && e.Members["source"] == "model" {
					models++
				}
			}
			if (models == 5) != tc.model || models != 0 && models != 5 {
				t.Errorf("%d sounds are a model's", models)
			}
		})
	}
}

// work has a job make what it needs with the answers at one path.
func (tc mediaCase) work(t *testing.T, path string, settings api.Settings) outcome {
	t.Helper()
	r := newRig(t, fakeprovider.ByPath(map[string]fakeprovider.Answer{path: tc.answer}))
	w := r.engine(tc.limits)
	settings.Model, settings.ReasoningLevel = api.ModelEmbedded, api.ReasoningLow
	o := w.work("a yellow duck that flaps through gaps", settings)
	waited := false
	for _, pause := range w.paused() {
		waited = waited || pause >= tc.waits
	}
	if tc.waits > 0 && !waited {
		t.Errorf("asked for %s the client waited %v", tc.waits, w.paused())
	}
	return o
}
