package embedded

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/api"
)

func TestAConfigurationKeepsThePricesThatItBeganWith(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prices.json")
	s := Sidecar{PricesFile: path}
	for _, text := range []string{`{"generator.job": 2}`, `{"generator.job": 3}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := s.prices()
		if err != nil || list["generator.job"] != 2*api.MicroPerTIK {
			t.Errorf("with %s in the file: %v, %v", text, list, err)
		}
	}
}
