package process

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
)

// TestStartThatMeetsAFullDiskHasNoRoom: the shim, which may be the first to meet it, is
// another process.
func TestStartThatMeetsAFullDiskHasNoRoom(t *testing.T) {
	for _, full := range []bool{true, false} {
		from, to, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		defer to.Close()
		if err := json.NewEncoder(to).Encode(shim.Status{Refused: "noting instance: no space left on device", Full: full}); err != nil {
			t.Fatal(err)
		}
		if err := new(Driver).awaitStatus(t.Context(), from, nil); err == nil || errors.Is(err, driver.ErrCapacity) != full {
			t.Errorf("full %v: %v", full, err)
		}
	}
}
