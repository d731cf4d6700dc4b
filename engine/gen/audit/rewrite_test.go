package audit

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/engine/gen/compile"
)

func TestStorageIsReplacedByTheKitsStore(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"src/mechanics/a.js": {
			"export const best = localStorage.getItem('best'); // localStorage is the browser's\nwindow.localStorage.setItem('best', 3);",
			"import { store as svcStore } from '../core/store.js';\nexport const best = svcStore.getItem('best'); // svcStore is the browser's\nsvcStore.setItem('best', 3);",
		},
		"src/core/a.ts": {
			"sessionStorage.removeItem('a' as string);",
			"import { store as svcStore } from './store.js';\nsvcStore.removeItem('a' as string);",
		},
		"src/main.js": {
			"globalThis . localStorage.getItem(1)",
			"import { store as svcStore } from './core/store.js';\nsvcStore.getItem(1)",
		},
		"src/art/a.js": {"// localStorage is for others\nlet a = 1;", "// localStorage is for others\nlet a = 1;"},
	} {
		files := clean()
		files[storeFile] = []byte("export const store = window.localStorage;")
		files[name] = []byte(c.text)
		fixed := Fix(files)
		if string(files[name]) != c.want {
			t.Errorf("%s: %q", name, files[name])
		}
		if (len(fixed) == 1) != (c.text != c.want) {
			t.Errorf("%s: fixed %+v", name, fixed)
		}
		if again := Fix(files); len(again) != 0 {
			t.Errorf("%s: fixed again %+v", name, again)
		}
		if found := Check(files, short); len(found) != 0 {
			t.Errorf("%s: found %+v", name, found)
		}
		if string(files[storeFile]) != "export const store = window.localStorage;" {
			t.Error("the store was rewritten")
		}
	}
}

func TestImportsNameTheirWholeFile(t *testing.T) {
	files := clean()
	files["src/main.js"] = []byte(strings.Join([]string{
		"import { a } from './lib/a';", "import b from \"./b.js\";", "import './lib';", "export * from './c';",
		"import d from './d.js';", "const e = import('./lib/a');", "import g from './gone';", "import Phaser from 'phaser';", "import h from './lib/';",
	}, "\n"))
	for _, name := range []string{"src/lib/a.js", "src/b.js", "src/lib/index.js", "src/c.json", "src/d.ts"} {
		files[name] = []byte("export {};")
	}
	want := strings.Join([]string{
		"import { a } from './lib/a.js';", "import b from \"./b.js\";", "import './lib/index.js';", "export * from './c.json';",
		"import d from './d.ts';", "const e = import('./lib/a.js');", "import g from './gone';", "import Phaser from 'phaser';", "import h from './lib/index.js';",
	}, "\n")
	fixed := Fix(files)
	if string(files["src/main.js"]) != want || len(fixed) != 1 || fixed[0].Rule != "A30" {
		t.Errorf("%+v:\n%s", fixed, files["src/main.js"])
	}
	if again := Fix(files); len(again) != 0 {
		t.Errorf("fixed again %+v", again)
	}
}

func TestWhatPhaser4CallsOtherwiseIsRenamed(t *testing.T) {
	files := compile.Files{"src/a.js": []byte("const p = new Phaser.Geom.Point(1, Phaser.Math.PI2), s = new Phaser.Struct.Set();")}
	Fix(files)
	if got := string(files["src/a.js"]); got != "const p = new Phaser.Math.Vector2(1, Phaser.Math.TAU), s = new Set();" {
		t.Errorf("got %s", got)
	}
}
