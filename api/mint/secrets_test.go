package mint

import (
	"strings"
	"testing"
)

func TestSecretsAreMaskedByTheirKnownFormsAlone(t *testing.T) {
	const mask = "[secret]"
	for _, secret := range []string{
		"sk-" + strings.Repeat("a1", 24), "ghp_" + strings.Repeat("a1", 18), "AKIA" + strings.Repeat("A1", 8), "glpat-" + strings.Repeat("x", 20),
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc", "Bearer " + strings.Repeat("t", 32), "xoxb-" + strings.Repeat("1", 12),
		"-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----",
	} {
		if got := MaskSecrets("a frog, "+secret+" jumps", mask); strings.Contains(got, secret[4:]) || !strings.Contains(got, mask) || !strings.HasPrefix(got, "a frog, ") {
			t.Errorf("%q became %q", secret, got)
		}
	}
	for _, text := range []string{
		"Donaudampfschifffahrtsgesellschaftskapitän", "https://example.com/a/very/long/path/that/is/no/secret/at/all", strings.Repeat("ha", 40), "task-force", "a sk-8 board",
		"0123456789abcdef0123456789abcdef01234567",
	} {
		if got := MaskSecrets(text, mask); got != text {
			t.Errorf("%q became %q: what has no known form is verbatim", text, got)
		}
	}
}
