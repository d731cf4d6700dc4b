package activation_test

import (
	"bytes"
	"os"
	"path/filepath"
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

// TestARollbackToAFormerProgramsPolicyStandsAfterAnUpgrade: that policy has no signature,
// so that this program's own takes its place, and not what was withdrawn.
func TestARollbackToAFormerProgramsPolicyStandsAfterAnUpgrade(t *testing.T) {
	private, public := keyPair(t)
	dir, data := t.TempDir(), t.TempDir()
	write(t, dir, readers(t))
	former := open(t, activation.Options{DataDir: data})
	was, err := former.activate(t, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: Former\n"))
	if err == nil {
		err = former.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	o := activation.Options{DataDir: data, Source: dir, KeyFile: public}
	withdrawn := open(t, activation.Options{DataDir: data, Source: dir, Threshold: 1000})
	if !withdrawn.mayRead(t) {
		t.Fatalf("what the directory holds is not active: %+v", withdrawn.Status().Problem)
	}
	_, err = withdrawn.Rollback(t.Context(), "uid:7", was.Revision, nil)
	if err == nil {
		err = withdrawn.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, signed(t, readers(t), private))
	states, err := filepath.Glob(filepath.Join(data, "*", "state.json"))
	if err != nil || len(states) != 1 {
		t.Fatalf("%q, %v", states, err)
	}
	state, err := os.ReadFile(states[0])
	if err != nil {
		t.Fatal(err)
	}
	state = bytes.ReplaceAll(state, []byte(`"upload"`), []byte(`"`+activation.Embedded+`"`))
	if err := os.WriteFile(states[0], state, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"after the upgrade", "after another start"} {
		f := open(t, o)
		if f.mayRead(t) {
			t.Errorf("%s: what was withdrawn is active", when)
		}
		if _, err := f.Files(""); err != nil {
			t.Errorf("%s: the active policy can't be read: %v", when, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
