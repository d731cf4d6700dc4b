package mint

import (
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
)

func TestNewKeyIsRecognisedAndMasked(t *testing.T) {
	secret := NewKey()
	if _, ok := ParseKey(secret); !ok {
		t.Fatalf("a new key is not recognised")
	}
	masked := MaskKey(secret)
	if want := secret[:5] + "****" + secret[len(secret)-4:]; masked != want {
		t.Errorf("masked form is %q, want %q", masked, want)
	}
	if other := NewKey(); other == secret {
		t.Error("two new keys are the same")
	}
}

func TestJunkKeyIsRefusedWithoutALookUp(t *testing.T) {
	secret := NewKey()
	flipped := []byte(secret)
	flipped[10] ^= 1
	for name, junk := range map[string]string{
		"empty":          "",
		"other prefix":   "pk" + secret[2:],
		"cut":            secret[:len(secret)-1],
		"longer":         secret + "0",
		"one bit off":    string(flipped),
		"outside base62": secret[:10] + "-" + secret[11:],
	} {
		if _, ok := ParseKey(junk); ok {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzParseKeyAcceptsOnlyItsOwnChecksum(f *testing.F) {
	f.Add(NewKey())
	f.Add("sk-")
	f.Fuzz(func(t *testing.T, s string) {
		if _, ok := ParseKey(s); ok {
			body := len(keyPrefix) + keyRandom
			if sum := checksum([]byte(s[:body])); string(sum[:]) != s[body:] {
				t.Errorf("accepted %q", s)
			}
		}
	})
}

func TestIDsHaveTheirForm(t *testing.T) {
	now := time.Now()
	id := NewJobID(now)
	if made, err := JobTime(id); err != nil || !made.Equal(now.Truncate(time.Millisecond)) || !api.ValidJobID(id) {
		t.Errorf("job id %q of %s: %s, %v", id, now, made, err)
	}
	if id := NewProjectID(); !api.ValidProjectID(id) {
		t.Errorf("project id %q", id)
	}
	for _, bad := range []string{"", "job_", "job_../../x", "job_8ZZZZZZZZZZZZZZZZZZZZZZZZZ", strings.ToLower(NewJobID(now))} {
		if api.ValidJobID(bad) {
			t.Errorf("%q passes for a job id", bad)
		}
	}
}

func TestKeyOfAGameAndOfAUserAreNeverTakenForOneAnother(t *testing.T) {
	key := NewPlayKey()
	if _, ok := ParseKey(key); ok || !ValidPlayKey(key) {
		t.Errorf("%s: ParseKey %v, ValidPlayKey %v", key, ok, ValidPlayKey(key))
	}
	for _, junk := range []string{"", "pk-", NewKey(), "sk-" + key[3:], key[:len(key)-1] + "?", key + "0"} {
		if ValidPlayKey(junk) {
			t.Errorf("%q is taken for the key of a game", junk)
		}
	}
}
