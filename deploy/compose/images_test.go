package compose

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// parts are the images of the service's own parts, and what they run.
var parts = map[string]string{"svc-gateway": "/caddy", "svc-sidecar": "/svc-sidecar", "svc-engine-proxy": "/svc-engine-proxy"}

// packed builds the images into a folder, as who has an umask of their own.
func packed(t *testing.T, umask string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", `umask "$1" && exec scripts/service-images --to "$2"`, "sh", umask, dir)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// files returns what a tar holds, with the headers.
func files(t *testing.T, r io.Reader) (map[string][]byte, []*tar.Header) {
	t.Helper()
	content, headers := make(map[string][]byte), []*tar.Header{}
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return content, headers
		}
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		content[strings.TrimPrefix(h.Name, "./")], headers = raw, append(headers, h)
	}
}

// TestImagesAreTheSameWhoeverBuildsThem from the same programs, and when.
func TestImagesAreTheSameWhoeverBuildsThem(t *testing.T) {
	one, two := packed(t, "022"), packed(t, "077")
	for name := range parts {
		var sums [2][sha256.Size]byte
		for i, dir := range []string{one, two} {
			raw, err := os.ReadFile(filepath.Join(dir, name+".tar"))
			if err != nil {
				t.Fatal(err)
			}
			sums[i] = sha256.Sum256(raw)
		}
		if sums[0] != sums[1] {
			t.Errorf("two builds of %s differ", name)
		}
	}
	for name, program := range parts {
		t.Run(name, func(t *testing.T) { holdsItsProgramAlone(t, filepath.Join(one, name+".tar"), program) })
	}
}

// holdsItsProgramAlone wants an image that runs a program as nobody, with a bill of what is in
// it, and without a shell.
func holdsItsProgramAlone(t *testing.T, path, program string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	image, _ := files(t, bytes.NewReader(raw))
	var manifest []struct {
		Config string
		Layers []string
	}
	if err := json.Unmarshal(image["manifest.json"], &manifest); err != nil || len(manifest) != 1 || len(manifest[0].Layers) != 1 {
		t.Fatalf("the manifest is %s: %v", image["manifest.json"], err)
	}
	var config struct {
		Config struct {
			User       string
			Env        []string
			Entrypoint []string
		}
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	if err := json.Unmarshal(image[manifest[0].Config], &config); err != nil {
		t.Fatal(err)
	}
	layer := image[manifest[0].Layers[0]]
	if c := config.Config; c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{program}) || !slices.Contains(c.Env, "SVC_DATA_DIR=/data") {
		t.Errorf("it runs %+v", c)
	}
	if want := fmt.Sprintf("sha256:%x", sha256.Sum256(layer)); !slices.Equal(config.RootFS.DiffIDs, []string{want}) {
		t.Errorf("its files are %q and must be %s", config.RootFS.DiffIDs, want)
	}
	inside, headers := files(t, bytes.NewReader(layer))
	if len(inside[strings.TrimPrefix(program, "/")]) == 0 || inside["bin/sh"] != nil {
		t.Errorf("there is no %s, or a shell", program)
	}
	for _, h := range headers {
		if data := strings.TrimSuffix(h.Name, "/") == "./data"; h.ModTime.Unix() != 0 || (h.Uid == 65532) != data || data && h.Mode&0o777 != 0o700 {
			t.Errorf("%s is of %s, of %d, %o", h.Name, h.ModTime, h.Uid, h.Mode)
		}
	}
	var bill struct {
		Format     string `json:"bomFormat"`
		Components []struct{ Name string }
	}
	if err := json.Unmarshal(inside["sbom.cdx.json"], &bill); err != nil || bill.Format != "CycloneDX" || len(bill.Components) < 10 {
		t.Errorf("its bill is of %q, with %d parts: %v", bill.Format, len(bill.Components), err)
	}
}
