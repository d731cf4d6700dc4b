// Command collect makes the folder of game frameworks that svc-engine reads
// out of what npm installed: one script, package.json and LICENSE each.
//
//	go run ./engine/web/collect engine/web/node_modules bin/frameworks
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/svc-games/svc/engine/gen/build"
)

// framework says how one script comes about.
type framework struct {
	name, module string
	scripts      []string // classic scripts, joined in this order
	entry        string   // or the module to bundle as one, under global
	global       string
	// bundled are the modules that the script contains; their licences go
	// with it.
	bundled []string
}

var frameworks = []framework{
	{name: "phaser", module: "phaser", scripts: []string{"dist/phaser.min.js"}, bundled: []string{"eventemitter3"}},
	// Pixi makes functions of text unless its second script is there, which
	// a page's security policy may forbid.
	{name: "pixi", module: "pixi.js", scripts: []string{"dist/pixi.min.js", "dist/packages/unsafe-eval.min.js"},
		bundled: []string{"@pixi/colord", "earcut", "eventemitter3", "gifuct-js", "ismobilejs", "parse-svg-path", "tiny-lru"}},
	{name: "three", module: "three", entry: "build/three.module.js", global: "THREE"},
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: collect NODE_MODULES FRAMEWORKS")
		os.Exit(2)
	}
	if err := collect(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "collect: "+err.Error())
		os.Exit(1)
	}
}

func collect(from, to string) error {
	for _, f := range frameworks {
		if err := f.collect(from, filepath.Join(to, f.name)); err != nil {
			return fmt.Errorf("collecting %s: %w", f.name, err)
		}
	}
	return nil
}

func (f framework) collect(from, to string) error {
	root, err := os.OpenRoot(filepath.Join(from, filepath.FromSlash(f.module)))
	if err != nil {
		return err
	}
	script, err := f.script(root)
	err = errors.Join(err, root.Close())
	if err != nil {
		return err
	}
	license, err := licenses(from, append([]string{f.module}, f.bundled...))
	if err != nil {
		return err
	}
	about, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(f.module), "package.json"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for name, data := range map[string][]byte{f.name + ".min.js": script, "LICENSE": license, "package.json": about} {
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (f framework) script(root *os.Root) ([]byte, error) {
	if f.entry != "" {
		out, err := build.Bundle(context.Background(), build.Options{Read: root.ReadFile, Entry: f.entry, GlobalName: f.global, Minify: true})
		return out.Script, err
	}
	var all bytes.Buffer
	for _, name := range f.scripts {
		data, err := root.ReadFile(name)
		if err != nil {
			return nil, err
		}
		// The source map does not come along.
		if i := bytes.LastIndex(data, []byte("//# sourceMappingURL=")); i >= 0 {
			data = data[:i]
		}
		all.Write(bytes.TrimSpace(data))
		all.WriteString("\n")
	}
	return all.Bytes(), nil
}

// licenses joins the licences of modules.
func licenses(from string, modules []string) ([]byte, error) {
	var all bytes.Buffer
	for _, module := range modules {
		found, err := filepath.Glob(filepath.Join(from, filepath.FromSlash(module), "[Ll][Ii][Cc][Ee][Nn][Ss][Ee]*"))
		if err != nil {
			return nil, err
		}
		slices.Sort(found)
		var text []byte
		if len(found) > 0 {
			text, err = os.ReadFile(found[0])
		} else {
			text, err = declared(filepath.Join(from, filepath.FromSlash(module)))
		}
		if err != nil {
			return nil, fmt.Errorf("looking for the licence of %s: %w", module, err)
		}
		fmt.Fprintf(&all, "%s\n\n%s\n\n", module, bytes.TrimSpace(text))
	}
	return all.Bytes(), nil
}

// declared is what the package.json of a module without a licence file says.
func declared(dir string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return nil, err
	}
	var manifest struct{ License, Author string }
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, err
	}
	if manifest.License == "" {
		return nil, errors.New("it has none")
	}
	return fmt.Appendf(nil, "%s licence, by %s", manifest.License, manifest.Author), nil
}
