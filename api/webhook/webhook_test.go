package webhook_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/webhook"
)

// TestSignatureIsThatOfTheScheme compares with a vector of the scheme's own libraries.
func TestSignatureIsThatOfTheScheme(t *testing.T) {
	const secret, want = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	at := time.Unix(1614265330, 0)
	h, err := webhook.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", at, []byte(`{"test": 2432232314}`), secret)
	if err != nil || h.Get("webhook-signature") != want || h.Get("webhook-timestamp") != "1614265330" {
		t.Errorf("%v, %v", h, err)
	}
}

func TestVerifyTakesOneRightSignatureOfItsTime(t *testing.T) {
	former, secret := webhook.NewSecret(), webhook.NewSecret()
	now, body := time.Unix(1_800_000_000, 0), []byte(`{"type":"job.completed"}`)
	signed, err := webhook.Sign("msg_1", now, body, secret, former)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{secret, former} {
		for _, off := range []time.Duration{0, -webhook.Tolerance, webhook.Tolerance} {
			if err := webhook.Verify(signed, body, s, now.Add(off)); err != nil {
				t.Errorf("%s off: %v", off, err)
			}
		}
	}
	changed := func(name, value string) http.Header {
		h := signed.Clone()
		h.Set(name, value)
		return h
	}
	for name, test := range map[string]struct {
		h      http.Header
		body   string
		secret string
		at     time.Time
		want   error
	}{
		"another body":       {signed, string(body) + " ", secret, now, webhook.ErrSignature},
		"another id":         {changed(webhook.HeaderID, "msg_2"), string(body), secret, now, webhook.ErrSignature},
		"another time":       {changed(webhook.HeaderTimestamp, "1800000001"), string(body), secret, now, webhook.ErrSignature},
		"another secret":     {signed, string(body), webhook.NewSecret(), now, webhook.ErrSignature},
		"another version":    {changed(webhook.HeaderSignature, strings.ReplaceAll(signed.Get(webhook.HeaderSignature), "v1,", "v2,")), string(body), secret, now, webhook.ErrSignature},
		"no signature":       {changed(webhook.HeaderSignature, ""), string(body), secret, now, webhook.ErrHeaders},
		"no id":              {changed(webhook.HeaderID, ""), string(body), secret, now, webhook.ErrHeaders},
		"no time":            {changed(webhook.HeaderTimestamp, "soon"), string(body), secret, now, webhook.ErrHeaders},
		"too old":            {signed, string(body), secret, now.Add(webhook.Tolerance + time.Second), webhook.ErrTime},
		"of the future":      {signed, string(body), secret, now.Add(-webhook.Tolerance - time.Second), webhook.ErrTime},
		"no secret":          {signed, string(body), "", now, webhook.ErrSecret},
		"an empty key":       {signed, string(body), "whsec_", now, webhook.ErrSecret},
		"without its prefix": {signed, string(body), strings.TrimPrefix(secret, "whsec_"), now, webhook.ErrSecret},
	} {
		if err := webhook.Verify(test.h, []byte(test.body), test.secret, test.at); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}
