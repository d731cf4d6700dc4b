package embedded

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig"

	"github.com/svc-games/svc/engine-proxy/driver/docker"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/sidecar/store"
)

// written is what a configuration says of that without which the service can't
// start. What it leaves out is empty.
type written struct {
	ours bool // that it has anything of the service

	Apps struct {
		HTTP struct {
			Servers map[string]struct {
				Listen []string `json:"listen"`
			} `json:"servers"`
		} `json:"http"`
		Svc struct {
			DataDir string `json:"data_dir"`
			Sidecar struct {
				Form  string `json:"form"`
				Store string `json:"store"`
			} `json:"sidecar"`
			Engines struct {
				Form       string `json:"form"`
				Address    string `json:"address"`
				Driver     string `json:"driver"`
				Frameworks string `json:"frameworks"`
			} `json:"engines"`
		} `json:"svc"`
	} `json:"apps"`
}

// readConfig reads the configuration that Caddy will load, as Caddy reads it.
// ok is false for one that can't be read, which is Caddy's to report, and where the
// variables in it are not known before Caddy has read a file of them.
func readConfig(args []string) (w written, ok bool) {
	if flagOf(args, "--envfile") != "" {
		return written{}, false
	}
	path := cmp.Or(flagOf(args, "--config", "-c"), "Caddyfile")
	config, err := os.ReadFile(path)
	if err != nil {
		return written{}, false
	}
	name, base := flagOf(args, "--adapter", "-a"), strings.ToLower(filepath.Base(path))
	if name == "" && (strings.HasPrefix(base, "caddyfile") && !strings.HasSuffix(base, ".json") || strings.HasSuffix(base, ".caddyfile")) {
		name = "caddyfile"
	}
	if name != "" {
		adapter := caddyconfig.GetAdapter(name)
		if adapter == nil {
			return written{}, false
		}
		if config, _, err = adapter.Adapt(config, map[string]any{"filename": path}); err != nil {
			return written{}, false
		}
	}
	var whole any
	if json.Unmarshal(config, &w) != nil || json.Unmarshal(config, &whole) != nil {
		return written{}, false
	}
	w.ours = asksService(whole)
	return w, true
}

// asksService says whether a part of a configuration has Caddy start the service: its
// app, or a handler that asks it. A balancer before gateways has neither.
func asksService(config any) bool {
	switch part := config.(type) {
	case map[string]any:
		for name, value := range part {
			if text, _ := value.(string); name == "handler" && strings.HasPrefix(text, "svc_") && !slices.Contains(alone, text) {
				return true
			}
			apps, _ := value.(map[string]any)
			if _, there := apps["svc"]; name == "apps" && there || asksService(value) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(part, asksService)
	}
	return false
}

// alone are the handlers that need nothing of the service.
var alone = []string{"svc_error", "svc_openapi"}

// flagOf returns the value that one of a flag's names has, "" for none.
func flagOf(args []string, names ...string) string {
	for i, a := range args {
		for _, name := range names {
			if value, ok := strings.CutPrefix(a, name+"="); ok {
				return value
			}
			if a == name && i+1 < len(args) {
				return args[i+1]
			}
		}
	}
	return ""
}

// dataDir returns the data directory.
func (w written) dataDir() string {
	return cmp.Or(w.Apps.Svc.DataDir, os.Getenv("SVC_DATA_DIR"), "data")
}

// sidecarHere says whether the sidecar is in this process.
func (w written) sidecarHere() bool { return here(w.Apps.Svc.Sidecar.Form) }

// enginesElsewhere returns where another process has the engines, "" for none.
func (w written) enginesElsewhere() string {
	if here(w.Apps.Svc.Engines.Form) {
		return ""
	}
	return w.Apps.Svc.Engines.Address
}

// here says whether a part of a form is in this process.
func here(form string) bool { return form == "" || form == "embedded" }

// store returns the SQLite file of a sidecar in this process, "" for none.
func (w written) store() string {
	if !w.sidecarHere() || store.IsPostgresURL(cmp.Or(w.Apps.Svc.Sidecar.Store, os.Getenv("SVC_STORE"))) {
		return ""
	}
	return filepath.Join(w.dataDir(), store.SQLiteFile)
}

// frameworks returns where the game frameworks are said to be, "" for the usual
// place, and whether engines of this process need them: those that run from images
// bring them.
func (w written) frameworks() (dir string, needed bool) {
	engines := w.Apps.Svc.Engines
	if !here(engines.Form) {
		return "", false
	}
	switch cmp.Or(engines.Driver, os.Getenv("SVC_ENGINE_DRIVER"), process.Name) {
	case docker.Name, kubernetes.Name:
		return "", false
	}
	return engines.Frameworks, true
}

// addresses returns where the service will listen, in Caddy's notation.
func (w written) addresses() (all []string) {
	for _, server := range w.Apps.HTTP.Servers {
		all = append(all, server.Listen...)
	}
	return all
}
