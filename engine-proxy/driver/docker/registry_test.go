package docker

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
)

// Media types of an image in a registry.
const (
	typeManifest = "application/vnd.docker.distribution.manifest.v2+json"
	typeConfig   = "application/vnd.docker.container.image.v1+json"
	typeLayer    = "application/vnd.docker.image.rootfs.diff.tar.gzip"
)

// registry is a registry with one image.
type registry struct {
	Image string // name to pull it by; it stays valid after Close
	// Close ends the registry, which ends with the test at the latest.
	Close func()

	manifest []byte
	blobs    map[string][]byte // by digest
	gate     sync.RWMutex      // a blob passes it
	pulls    atomic.Int32
}

// hold keeps blobs back until release is called.
func (r *registry) hold() (release func()) {
	r.gate.Lock()
	return r.gate.Unlock
}

// pulled returns how many pulls have begun.
func (r *registry) pulled() int { return int(r.pulls.Load()) }

// newRegistry serves an image of files of this machine, as dockertest.Import makes one.
func newRegistry(t testing.TB, files map[string]string, entrypoint string) *registry {
	t.Helper()
	var layer, packed bytes.Buffer
	if err := dockertest.WriteTar(&layer, files); err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewWriterLevel(&packed, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zip.Write(layer.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	r := &registry{blobs: make(map[string][]byte)}
	descriptor := func(mediaType string, content []byte) map[string]any {
		r.blobs[digest(content)] = content
		return map[string]any{"mediaType": mediaType, "size": len(content), "digest": digest(content)}
	}
	config := encode(t, map[string]any{
		"architecture": runtime.GOARCH, "os": "linux",
		// What makes it another image than that of any other test.
		"config": map[string]any{"Entrypoint": []string{entrypoint}, "Labels": map[string]string{"test": rand.Text()}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{digest(layer.Bytes())}},
	})
	r.manifest = encode(t, map[string]any{
		"schemaVersion": 2, "mediaType": typeManifest, "config": descriptor(typeConfig, config),
		"layers": []any{descriptor(typeLayer, packed.Bytes())},
	})
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.Image, r.Close = strings.TrimPrefix(server.URL, "http://")+"/engine:1", server.Close
	return r
}

// ServeHTTP answers as much of a registry's API as a pull needs.
func (r *registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	path := request.URL.Path
	content := []byte(`{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}`)
	status, mediaType := http.StatusNotFound, "application/json"
	switch {
	case path == "/v2/":
		content, status = []byte("{}"), http.StatusOK
	case strings.HasPrefix(path, "/v2/engine/manifests/"):
		if request.Method == http.MethodHead { // with which every pull begins
			r.pulls.Add(1)
		}
		w.Header().Set("Docker-Content-Digest", digest(r.manifest))
		content, status, mediaType = r.manifest, http.StatusOK, typeManifest
	case strings.HasPrefix(path, "/v2/engine/blobs/"):
		r.gate.RLock()
		defer r.gate.RUnlock()
		if blob, ok := r.blobs[strings.TrimPrefix(path, "/v2/engine/blobs/")]; ok {
			content, status, mediaType = blob, http.StatusOK, "application/octet-stream"
		}
	}
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(status)
	_, _ = w.Write(content) // the daemon tells of what it did not get
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
