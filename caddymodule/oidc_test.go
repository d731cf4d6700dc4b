package caddymodule

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSecretOfAProviderOfLoginsIsReadAgainByAReload: each configuration reads the file that
// its text names.
func TestSecretOfAProviderOfLoginsIsReadAgainByAReload(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	for _, secret := range []string{"one", "two"} {
		if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c := Console{OIDC: &ConsoleOIDC{ClientSecret: "{file." + file + "}"}}
		if err := c.OIDC.provision(); err != nil {
			t.Fatal(err)
		}
		if got := c.options(nil).OIDC.ClientSecret; got != secret {
			t.Errorf("with %q in the file the provider is shown %q", secret, got)
		}
	}
}
