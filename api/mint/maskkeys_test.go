package mint

import (
	"net/url"
	"strings"
	"testing"
)

// TestAKeyIsMaskedHoweverItIsEncoded: the log has addresses as clients wrote them.
func TestAKeyIsMaskedHoweverItIsEncoded(t *testing.T) {
	key := NewKey()
	secret := strings.TrimPrefix(key, "sk-")
	var all strings.Builder
	const digits = "0123456789ABCDEF"
	for _, c := range []byte(key) {
		all.WriteString("%" + digits[c>>4:c>>4+1] + digits[c&15:c&15+1])
	}
	for name, text := range map[string]string{
		"as it is":         "?key=" + key,
		"after an escape":  "?q=key%3D" + key,
		"its dash":         "?key=sk%2D" + secret,
		"its dash, small":  "?key=sk%2d" + secret,
		"its letters":      "?key=%73%6B-" + secret,
		"all of it":        "?key=" + all.String(),
		"all of it, twice": "?key=" + url.QueryEscape(all.String()),
		"after a sign":     "100%" + key,
		"after a likeness": "sk-" + key,
		"at the end, cut":  "?key=" + key[:30],
	} {
		line := []byte(text + "&next=%41sk-")
		MaskKeys(line)
		decoded := string(line)
		for range 3 {
			if once, err := url.PathUnescape(decoded); err == nil {
				decoded = once
			}
		}
		if strings.Contains(decoded, secret[:8]) || !strings.HasSuffix(string(line), "&next=%41sk-") || len(line) != len(text)+len("&next=%41sk-") {
			t.Errorf("%s: the log has %q", name, line)
		}
	}
	for _, text := range []string{"task-force", "sk-short", "%", "%s", "100%2", "s", "desk-3", "%zz%73"} {
		line := []byte(text)
		if MaskKeys(line); string(line) != text {
			t.Errorf("%q became %q", text, line)
		}
	}
}
