package docker

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/moby/moby/client"

	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/wait"
)

// TestChromiumOfTheFullImageRunsConfined needs the image, which only the long
// run's set-up makes: it lies with the machine's own daemon.
func TestChromiumOfTheFullImageRunsConfined(t *testing.T) {
	long.Only(t)
	dockertest.Need(t)
	dir, err := os.MkdirTemp("", "engd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	d, err := New(Options{DataDir: dir, Image: "svc-engine:full", Command: []string{"/bin/sh", "-c",
		"exec chromium --headless=new --no-sandbox --no-zygote --disable-gpu --user-data-dir=/tmp/chromium " +
			"--window-size=480,720 --screenshot=/volume/shot.png 'data:text/html,<body bgcolor=red>'"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if _, err := d.api.ImageInspect(t.Context(), "svc-engine:full"); err != nil {
		t.Fatalf("%v: run make setup-long", err)
	}
	b := &bed{Driver: d, dir: dir}
	s := b.spec(t)
	h := b.start(t, s)
	t.Cleanup(func() {
		ctx, cancel := wait.Within(context.Background(), wait.Patience)
		defer cancel()
		if _, err := d.api.ContainerRemove(ctx, name(s.InstanceID), client.ContainerRemoveOptions{Force: true}); err != nil {
			t.Error(err)
		}
	})
	obs := b.ended(t, h)
	shot, err := os.ReadFile(filepath.Join(s.Volume, "shot.png"))
	if err != nil {
		log, _ := d.Logs(t.Context(), h, 4000)
		t.Fatalf("chromium %s: %v\n%s", obs.Exit, err, log)
	}
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := picture.At(10, 10).RGBA(); r != 0xffff || g != 0 || b != 0 {
		t.Errorf("the page is %v, want red", picture.At(10, 10))
	}
}
