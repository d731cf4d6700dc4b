package caddymodule_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// builder is the part of xcaddy's Builder that xcaddy.json uses, in its JSON
// form.
type builder struct {
	CaddyVersion string `json:"caddy_version"`
	Plugins      []struct {
		PackagePath string `json:"module_path"`
		Version     string `json:"version"`
	} `json:"plugins"`
	Replacements []struct {
		Old string `json:"old"`
		New string `json:"new"`
	} `json:"replacements"`
	BuildFlags string `json:"build_flags"`
}

func TestXcaddyFileBuildsWhatGoModAndCmdCaddyBuild(t *testing.T) {
	raw, err := os.ReadFile("../xcaddy.json")
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.DisallowUnknownFields()
	var b builder
	if err := dec.Decode(&b); err != nil {
		t.Fatalf("decoding xcaddy.json: %v", err)
	}
	if got := goList(t, "-m", "-f", "{{.Version}}", "github.com/caddyserver/caddy/v2"); b.CaddyVersion != got {
		t.Errorf("caddy_version is %s, go.mod has %s", b.CaddyVersion, got)
	}
	module := goList(t, "-m")
	if len(b.Replacements) != 1 || b.Replacements[0].Old != module || b.Replacements[0].New != "." {
		t.Errorf("replacements are %v, want %s => .", b.Replacements, module)
	}
	var plugins []string
	for _, p := range b.Plugins {
		plugins = append(plugins, p.PackagePath)
	}
	var imports []string
	for path := range strings.FieldsSeq(goList(t, "-f", `{{join .Imports "\n"}}`, "../cmd/caddy")) {
		if strings.HasPrefix(path, module+"/") {
			imports = append(imports, path)
		}
	}
	if got, want := strings.Join(plugins, " "), strings.Join(imports, " "); got != want {
		t.Errorf("plugins are %q, cmd/caddy imports %q", got, want)
	}
}

func goList(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}
