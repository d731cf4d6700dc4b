package kit_test

import (
	"bytes"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/kit"
)

const (
	mostScript = 12_000 // bytes of JavaScript that a game has of the kit
	mostPage   = 6_000
	widest     = 120
)

func kitFiles(t *testing.T, renderer string) map[string][]byte {
	t.Helper()
	files, err := kit.Files(renderer)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestKitIsSlim(t *testing.T) {
	for _, renderer := range kit.Renderers {
		size := 0
		for name, data := range kitFiles(t, renderer) {
			if path.Ext(name) != ".js" {
				continue
			}
			size += len(data)
			for i, line := range bytes.Split(data, []byte("\n")) {
				if len(line) > widest {
					t.Errorf("%s:%d is %d wide", name, i+1, len(line))
				}
			}
		}
		t.Logf("%s: %d bytes", renderer, size)
		if size > mostScript {
			t.Errorf("with %s the kit is %d bytes, want at most %d", renderer, size, mostScript)
		}
	}
	if len(kit.Page) > mostPage {
		t.Errorf("KIT.md is %d bytes, want at most %d", len(kit.Page), mostPage)
	}
	if _, err := kit.Files("svg"); err == nil {
		t.Error("there is a kit for a renderer that there is not")
	}
}

// exports are what the kit gives to a game, as an engine without a page sees it.
func exports(t *testing.T) []string {
	t.Helper()
	files := kitFiles(t, "canvas")
	out, err := build.Bundle(t.Context(), build.Options{Entry: kit.Folder + "/kit.js", GlobalName: "kit", Target: build.Sim, Read: reader(files)})
	if err != nil {
		t.Fatal(err)
	}
	vm := goja.New()
	if _, err := vm.RunString(string(out.Script)); err != nil {
		t.Fatal(err)
	}
	return vm.Get("kit").ToObject(vm).Keys()
}

func TestEveryExportIsDescribedAndTyped(t *testing.T) {
	types := kitFiles(t, "canvas")[kit.Folder+"/kit.d.ts"]
	typed := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^export (?:function|const) (\w+)`).FindAllStringSubmatch(string(types), -1) {
		typed[m[1]] = true
	}
	names := exports(t)
	for _, name := range names {
		if !regexp.MustCompile("`(?:[^`]*\\W)?" + name + `\b`).MatchString(kit.Page) {
			t.Errorf("KIT.md does not name %s", name)
		}
		if !typed[name] {
			t.Errorf("kit.d.ts has no type of %s", name)
		}
	}
	for name := range maps.Keys(typed) {
		if !slices.Contains(names, name) {
			t.Errorf("kit.d.ts has %s, which the kit has not", name)
		}
	}
}

func TestCopySaysItsVersion(t *testing.T) {
	if head, _, _ := strings.Cut(string(kitFiles(t, "three")[kit.Folder+"/kit.js"]), "\n"); !strings.Contains(head, "Kit "+kit.Version+" ") {
		t.Errorf("the copy begins with %q", head)
	}
}

func TestEachRendererHasASheetOfOnePage(t *testing.T) {
	for _, renderer := range kit.Renderers {
		if n := len(kit.Sheet(renderer)); n == 0 || n > 4<<10 {
			t.Errorf("that of %s has %d bytes", renderer, n)
		}
	}
	if kit.Sheet("../js/kit") != "" {
		t.Error("there is a sheet of no renderer")
	}
}
