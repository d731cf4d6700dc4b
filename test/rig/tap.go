package rig

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
)

// tap puts the rig's forms of parts in the place of the embedded ones.
func (g *Gateway) tap(parts ...string) {
	g.t.Helper()
	config := g.Args[len(g.Args)-1]
	adapt := exec.Command(g.Args[0], "adapt", "--config", config)
	adapt.Env = append(os.Environ(), g.Env...)
	out, err := adapt.Output()
	if err != nil {
		g.t.Fatalf("adapting the configuration: %v", err)
	}
	var parsed map[string]any
	g.Decode(out, &parsed)
	app := parsed["apps"].(map[string]any)["svc"].(map[string]any)
	for _, part := range parts {
		options, _ := app[part].(map[string]any)
		if options == nil {
			options = make(map[string]any)
		}
		options["form"] = "rig"
		app[part] = options
	}
	if out, err = json.Marshal(parsed); err != nil {
		g.t.Fatal(err)
	}
	path := strings.TrimSuffix(config, "Caddyfile") + "caddy.json"
	if err := os.WriteFile(path, out, 0o600); err != nil {
		g.t.Fatal(err)
	}
	g.Args[len(g.Args)-1] = path
}
