package activation_test

import (
	"bytes"
	"testing"

	"github.com/svc-games/svc/sidecar/activation"
)

// TestAPolicyOfTheStoreNeedsItsSignatureAfterARestartToo: that it calls itself the program's
// own makes it neither active nor approved.
func TestAPolicyOfTheStoreNeedsItsSignatureAfterARestartToo(t *testing.T) {
	_, public := keyPair(t)
	m := newMemory()
	other := join(t, m, "other", activation.Options{})
	if _, err := other.activate(t, readers(t)); err != nil {
		t.Fatal(err)
	}
	o := activation.Options{DataDir: t.TempDir(), KeyFile: public}
	decides := func(when string) {
		t.Helper()
		f := open(t, o)
		stop, err := f.Share(t.Context(), m, "own")
		if f.mayRead(t) {
			t.Errorf("%s: it decides by a policy without a signature", when)
		}
		if err == nil {
			err = stop()
		}
		t.Logf("%s: %v", when, err)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	m.mu.Lock() // the other one follows
	m.state = bytes.ReplaceAll(m.state, []byte(`"source":"upload"`), []byte(`"source":"`+activation.Embedded+`"`))
	state := m.state
	m.mu.Unlock()
	if n := bytes.Count(state, []byte(`"source":"embedded"`)); n < 2 {
		t.Fatalf("the store holds %s", state)
	}
	decides("at first")
	decides("after a restart")
}
