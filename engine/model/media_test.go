package model

import (
	"bytes"
	"errors"
	"net/http"
	"testing"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// unknownMember refuses what the egress passes on of a server's 400.
func unknownMember(_ *fakeprovider.Provider, w http.ResponseWriter, _ *http.Request, _ fakeprovider.Request) {
	w.WriteHeader(http.StatusBadRequest)
	w.Write([]byte(`{"error":"no","reason":"provider_refused"}`))
}

func TestPictureIsAskedForInTheFormThatTheServerTakes(t *testing.T) {
	picture := Picture{Model: "painter", Prompt: "a duck", Size: "1024x1024", Transparent: true}
	for refusals := range len(pictureForms) {
		var answers []fakeprovider.Answer
		for range refusals {
			answers = append(answers, unknownMember)
		}
		d := open(t, append(answers, fakeprovider.Pictures([]byte("a file")))...)
		for range 2 {
			file, err := d.Paint(t.Context(), picture)
			if err != nil || string(file) != "a file" {
				t.Fatalf("after %d refusals: %q, %v", refusals, file, err)
			}
		}
		// The form that was taken is the first the next time.
		if got := len(d.provider.Requests()); got != refusals+2 {
			t.Errorf("after %d refusals: %d requests", refusals, got)
		}
	}
	d := open(t, unknownMember)
	if _, err := d.Paint(t.Context(), picture); !errors.Is(err, ErrRefused) || len(d.provider.Requests()) != len(pictureForms) {
		t.Errorf("refused in every form: %v after %d requests", err, len(d.provider.Requests()))
	}
}

func TestPictureThatIsRefusedForWhatItShowsIsNotAskedForAgain(t *testing.T) {
	d := open(t, func(_ *fakeprovider.Provider, w http.ResponseWriter, _ *http.Request, _ fakeprovider.Request) {
		w.WriteHeader(http.StatusBadRequest)
		w.Write([]byte(`{"error":"no","reason":"content_policy_violation"}`))
	})
	if _, err := d.Paint(t.Context(), Picture{Model: "painter"}); !errors.Is(err, ErrRefused) || len(d.provider.Requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(d.provider.Requests()))
	}
}

func TestPictureThatIsOnlyNamedIsNone(t *testing.T) {
	for name, answer := range map[string]fakeprovider.Answer{
		"a link": fakeprovider.PictureLinks(), "no JSON": fakeprovider.Body("application/json", "<html>"), "none": fakeprovider.Body("application/json", `{"data":[]}`),
	} {
		d := open(t, answer)
		if file, err := d.Paint(t.Context(), Picture{Model: "painter"}); err == nil {
			t.Errorf("%s: %q", name, file)
		}
	}
}

func TestSoundIsTriedAgainAndBounded(t *testing.T) {
	d := open(t, fakeprovider.Status(http.StatusInternalServerError, "x"), fakeprovider.Speech([]byte("RIFF")))
	if file, err := d.Record(t.Context(), Sound{Model: "speaker", Prompt: "a bang"}); err != nil || string(file) != "RIFF" {
		t.Errorf("%q, %v", file, err)
	}
	d = open(t, fakeprovider.Speech(bytes.Repeat([]byte("x"), maxSound+1)))
	if _, err := d.Record(t.Context(), Sound{}); !errors.Is(err, errTooLong) || len(d.provider.Requests()) != 1 {
		t.Errorf("a sound that is too long: %v after %d requests", err, len(d.provider.Requests()))
	}
	d = open(t, unknownMember, fakeprovider.Speech([]byte("ID3")))
	if file, err := d.Record(t.Context(), Sound{}); err != nil || string(file) != "ID3" {
		t.Errorf("a server that has no WAV: %q, %v", file, err)
	}
	if _, has := d.provider.Requests()[1].Body["response_format"]; has {
		t.Error("the format was asked for again")
	}
}

// A picture or a sound that is paid is not asked for again, whether it comes or not.
func TestPictureOrSoundThatIsPaidIsAskedForOnce(t *testing.T) {
	for name, answer := range map[string]fakeprovider.Answer{
		"slow": refuses(http.StatusGatewayTimeout, `{"reason":"provider_timeout"}`), "broke": refuses(http.StatusBadGateway, `{"reason":"provider_broke"}`),
		"hangs up": fakeprovider.HangsUp(),
	} {
		d := open(t, answer)
		if _, err := d.Paint(t.Context(), Picture{Model: "painter"}); !errors.Is(err, ErrBroken) || len(d.provider.Requests()) != 1 {
			t.Errorf("%s, a picture: %v after %d requests", name, err, len(d.provider.Requests()))
		}
		d = open(t, answer)
		if _, err := d.Record(t.Context(), Sound{Model: "speaker"}); !errors.Is(err, ErrBroken) || len(d.provider.Requests()) != 1 {
			t.Errorf("%s, a sound: %v after %d requests", name, err, len(d.provider.Requests()))
		}
	}
}

func TestEmptyBalanceEndsPicturesAndSounds(t *testing.T) {
	d := open(t, fakeprovider.Status(http.StatusPaymentRequired, "x"))
	if _, err := d.Paint(t.Context(), Picture{}); !errors.Is(err, ErrExhausted) {
		t.Errorf("a picture: %v", err)
	}
	if _, err := d.Record(t.Context(), Sound{}); !errors.Is(err, ErrExhausted) {
		t.Errorf("a sound: %v", err)
	}
}
