package caddymodule_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/caddymodule/embedded"
	"github.com/svc-games/svc/caddymodule/remote"
	"github.com/svc-games/svc/engine-proxy/host"
)

// table is one of docs/caddyfile.md: the options of blocks, those of nested ones
// with the name of the option that has them.
type table []struct {
	of      string
	options block.Options
}

// tables are those of docs/caddyfile.md, by the name in the mark before each.
func tables() map[string]table {
	sidecar := new(embedded.Sidecar)
	return map[string]table{
		"svc": {
			{"", caddymodule.AppOptions()},
			{"", sidecar.Caddyfile()},
			{"policy", new(embedded.Policy).Caddyfile()},
			{"decision_log", new(embedded.DecisionLog).Caddyfile()},
		},
		"engines":           {{"", new(embedded.Engines).Caddyfile()}},
		"driver process":    {{"", new(host.Process).Caddyfile()}},
		"driver docker":     {{"", new(host.Docker).Caddyfile()}},
		"driver kubernetes": {{"", new(host.Kubernetes).Caddyfile()}},
		"egress":            {{"", new(embedded.Egress).Caddyfile()}, {"endpoint", new(embedded.EgressEndpoint).Caddyfile()}, {"model", new(embedded.EgressModel).Caddyfile()}},
		"sidecar":           {{"", new(remote.Sidecar).Caddyfile()}},
		"svc_auth":          {{"", new(caddymodule.Auth).Caddyfile()}},
		"svc_access":        {{"", new(caddymodule.Access).Caddyfile()}},
		"svc_engine":        {{"", new(caddymodule.Engine).Caddyfile()}},
		"svc_quota":         {{"", new(caddymodule.Quota).Caddyfile()}},
		"svc_play":          {{"", new(caddymodule.Play).Caddyfile()}},
		"svc_console":       {{"", new(caddymodule.Console).Caddyfile()}, {"oidc", new(caddymodule.ConsoleOIDC).Caddyfile()}},
	}
}

func (t table) String() string {
	var text strings.Builder
	text.WriteString("| option | default | |\n|---|---|---|\n")
	for _, part := range t {
		of := ""
		if part.of != "" {
			of = " of `" + part.of + "`"
		}
		for _, o := range part.options {
			fmt.Fprintf(&text, "| `%s`%s | %s | %s |\n", o.Name, of, o.Default, o.Meaning)
		}
	}
	return text.String()
}

// marked is a table in the documentation, with the marks around it.
var marked = regexp.MustCompile(`(?s)<!-- options of ([a-z_ ]+) -->\n(.*?)<!-- end -->\n`)

// TestReferenceIsWhatTheParsersKnow: -update writes the tables anew.
func TestReferenceIsWhatTheParsersKnow(t *testing.T) {
	const path = "../docs/caddyfile.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	missing := tables()
	text := marked.ReplaceAllStringFunc(string(raw), func(old string) string {
		name := marked.FindStringSubmatch(old)[1]
		want, ok := missing[name]
		if !ok {
			t.Errorf("%s has a table of %q, which there is not, or twice", path, name)
			return old
		}
		delete(missing, name)
		return "<!-- options of " + name + " -->\n" + want.String() + "<!-- end -->\n"
	})
	for name := range missing {
		t.Errorf("%s has no table of %q", path, name)
	}
	if text == string(raw) {
		return
	}
	if !*update {
		t.Fatalf("%s does not say what the parsers know: go test ./caddymodule -run Reference -update", path)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSyntaxInCommentsIsComplete wants each option in the syntax above its table.
func TestSyntaxInCommentsIsComplete(t *testing.T) {
	lines := make(map[string]bool)
	for _, folder := range []string{".", "embedded", "remote", "../engine-proxy/host"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", folder, err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(raw)) {
				if comment, ok := strings.CutPrefix(line, "//\t"); ok {
					lines[strings.TrimSuffix(strings.Join(strings.Fields(comment), " "), " {")] = true
				}
			}
		}
	}
	for name, table := range tables() {
		for _, part := range table {
			for _, o := range part.options {
				if syntax := strings.TrimSpace(o.Name + " " + o.Form); !lines[syntax] {
					t.Errorf("%s: no comment has the syntax %q", name, syntax)
				}
			}
		}
	}
}
