package activation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrustOfAPolicyOutlivesARestart: it is that of the origin, whatever an upload is
// called.
func TestTrustOfAPolicyOutlivesARestart(t *testing.T) {
	own, err := (embedded{}).read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]Trust{
		Embedded: BuiltIn, "policy": Supplied, UploadOf + Embedded: Supplied, UploadOf + "policy.tar.gz": Supplied,
		"policy.tar.gz": Bundled, "policy.tgz": Bundled, "https://policies.example/policy": Bundled,
	} {
		if made, err := newSource(source); err == nil && !strings.HasPrefix(source, UploadOf) && made.trust() != want {
			t.Errorf("%s is trusted with %d at first, want %d", source, made.trust(), want)
		}
		text, err := json.Marshal(state{Active: 1, Last: 1, Generations: []Info{{Number: 1, Source: source, Digest: own.Digest()}}})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, stateFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		k, err := openKeeper(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.state.Generations[0].trust; got != want {
			t.Errorf("%s is trusted with %d after a restart, want %d", source, got, want)
		}
	}
}
