package audit

import (
	"strings"
	"testing"
)

func TestFixesLeaveNothingToFind(t *testing.T) {
	files := clean()
	files["index.html"] = []byte("\ufeff" + `<html><head><link href="https://fonts.example/x.css" rel="stylesheet"><script src="https://cdn.example/npm/phaser@3/dist/phaser.min.js"></script></head><script src="lib/svc.js"></script><script type="module" crossorigin integrity="sha384-x" src="game.js"></script>`)
	files["src/main.js"] = []byte("import { Game } from 'phaser';\nimport * as P from \"https://cdn.example/phaser@4/phaser.esm.js\";\nimport * as T from '//cdn.example/three.module.js';\nimport * as X from 'https://cdn.example/pixi.min.mjs';\n  debugger;\n")
	fixed := Fix(files)
	if len(fixed) < 11 {
		t.Errorf("fixed %+v", fixed)
	}
	page := string(files["index.html"])
	for _, want := range []string{`src="lib/phaser.min.js"`, `name="viewport"`, `rel="icon"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s: %s", want, page)
		}
	}
	if !strings.Contains(string(files["src/main.js"]), "import Phaser from 'phaser'") || strings.Contains(page, "module") {
		t.Errorf("%s\n%s", page, files["src/main.js"])
	}
	for _, want := range []string{`from "phaser"`, `from 'three'`, `from 'pixi.js'`} {
		if !strings.Contains(string(files["src/main.js"]), want) {
			t.Errorf("%s is not there: %s", want, files["src/main.js"])
		}
	}
	for _, bad := range []string{"\ufeff", "crossorigin", "integrity", "debugger", "cdn.example"} {
		if strings.Contains(page+string(files["src/main.js"]), bad) {
			t.Errorf("%q is still there: %s\n%s", bad, page, files["src/main.js"])
		}
	}
	if !strings.Contains(page, `lang="en"`) || !strings.Contains(page, `charset="utf-8"`) {
		t.Errorf("the page lacks language or encoding: %s", page)
	}
	if found := Check(files, short); len(found) != 0 {
		t.Errorf("after fixing, found %+v", found)
	}
}

func TestFixesLeaveAGoodGameAlone(t *testing.T) {
	files := clean()
	if fixed := Fix(files); len(fixed) != 0 {
		t.Errorf("fixed %+v", fixed)
	}
	if string(files["lib/phaser.min.js"]) != string(clean()["lib/phaser.min.js"]) {
		t.Error("a library was rewritten")
	}
}
