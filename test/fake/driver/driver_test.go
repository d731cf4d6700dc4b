package fakedriver_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	fakedriver "github.com/svc-games/svc/test/fake/driver"
)

func newSpec(t *testing.T) driver.Spec {
	t.Helper()
	dir := t.TempDir()
	s := driver.Spec{
		Incarnation: driver.Incarnation{ProjectID: "project", Generation: 1, InstanceID: "instance"},
		Volume:      dir, Socket: filepath.Join(dir, "e.sock"), TokenFile: filepath.Join(dir, "token"),
	}
	if err := os.WriteFile(s.TokenFile, []byte("token"), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFakeDriverKeepsTheDriversContract(t *testing.T) {
	d, s := fakedriver.NewLocal(), newSpec(t)
	defer d.Close()
	first, err := d.Start(t.Context(), s, nil)
	if err != nil || len(d.Breaches()) > 0 {
		t.Fatalf("start: %v, %q", err, d.Breaches())
	}
	if again, err := d.Start(t.Context(), s, nil); err != nil || string(again.Data) != string(first.Data) || d.Starts()["project"] != 1 {
		t.Errorf("started again as %s, %v, want %s", again.Data, err, first.Data)
	}
	if err := d.Remove(t.Context(), first); err == nil {
		t.Error("what runs was removed")
	}
	if len(d.Breaches()) != 3 { // an old generation, two on a volume, a removal
		t.Errorf("noted: %q", d.Breaches())
	}
	d.SetDown(true)
	if _, err := d.Inspect(t.Context(), first); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("inspect without the backend: %v", err)
	}
	d.SetDown(false)
	if err := d.Stop(t.Context(), first, time.Second); err != nil {
		t.Fatal(err)
	}
	if obs, err := d.Inspect(t.Context(), first); err != nil || obs.Running || obs.Exit == nil || obs.Exit.Reason != driver.ReasonExited {
		t.Errorf("after its stop: %+v, %v", obs, err)
	}
	if _, err := d.Adopt(t.Context(), first); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("adopting what has ended: %v", err)
	}
	if err := errors.Join(d.Remove(t.Context(), first), d.Remove(t.Context(), first)); err != nil {
		t.Errorf("remove: %v", err)
	}
	if _, err := d.Inspect(t.Context(), first); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("after its removal: %v", err)
	}
}
