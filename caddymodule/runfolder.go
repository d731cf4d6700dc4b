package caddymodule

import (
	"cmp"
	"os"
	"path/filepath"
)

// makeRunFolder makes the folder of the sockets for "caddy run". Caddy opens its admin
// socket, which the shipped Caddyfile has in there, before any module can; cmd/caddy makes
// the folder too, and a build by xcaddy has Caddy's own main. What fails here Caddy says
// when it listens.
func makeRunFolder(args []string, dataDir string) {
	if len(args) > 1 && args[1] == "run" {
		_ = os.MkdirAll(filepath.Join(cmp.Or(dataDir, os.Getenv("SVC_DATA_DIR"), "data"), "run"), 0o700)
	}
}
