// Command collect bundles the studio's editor out of what npm installed, with the
// licences of all that is in it.
//
//	go run ./caddymodule/gateway/studio/web/collect caddymodule/gateway/studio/web bin/studio
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// What collect writes.
const (
	script   = "codemirror.js"
	licences = "codemirror.LICENSE.txt"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: collect WEB FOLDER")
		os.Exit(2)
	}
	if err := collect(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "collect: "+err.Error())
		os.Exit(1)
	}
}

func collect(from, to string) error {
	from, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(from, "editor.js")}, AbsWorkingDir: from, Bundle: true, Write: false, Metafile: true,
		Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8, TsconfigRaw: "{}", LegalComments: api.LegalCommentsNone,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		return fmt.Errorf("bundling the editor: %s", result.Errors[0].Text)
	}
	text, err := licencesOf(from, result.Metafile)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, licences), text, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, script), result.OutputFiles[0].Contents, 0o644)
}

// licencesOf joins the licences of the packages that are in a bundle.
func licencesOf(from, metafile string) ([]byte, error) {
	var meta struct{ Inputs map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}
	packages := map[string]bool{}
	for name := range maps.Keys(meta.Inputs) {
		rest, ok := strings.CutPrefix(name, "node_modules/")
		if !ok {
			continue
		}
		parts := strings.SplitN(rest, "/", 3)
		pkg := parts[0]
		if strings.HasPrefix(pkg, "@") {
			pkg += "/" + parts[1]
		}
		packages[pkg] = true
	}
	var all bytes.Buffer
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		text, err := os.ReadFile(filepath.Join(from, "node_modules", filepath.FromSlash(pkg), "LICENSE"))
		if err != nil {
			return nil, fmt.Errorf("looking for the licence of %s: %w", pkg, err)
		}
		fmt.Fprintf(&all, "%s\n\n%s\n\n", pkg, bytes.TrimSpace(text))
	}
	return all.Bytes(), nil
}
