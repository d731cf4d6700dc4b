package audit

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/compile"
)

// Sizes above which a source file is hard to read and to change.
const (
	maxSource = 64 << 10 // bytes
	maxLines  = 400
)

// storeFile is the core's module for what is to be kept, slimStore that of the slim
// kit, and both know a frame without storage.
const (
	storeFile = "src/core/store.js"
	slimStore = "src/kit/store.js"
)

var (
	storagePattern = newPattern(`\b(?:local|session)Storage\b`)
	// formerPattern is what Phaser 3 had and Phaser 4 has not, but for what has
	// an automatic fix.
	formerPattern = newPattern(`\.(?:preFX|postFX)\b|\bcreateBitmapMask\b|\bBitmapMask\b|\.setPipeline\s*\(|\.add\.(?:mesh|plane)\s*\(|\btextures\.generate\s*\(`)
)

// checkSource looks at a source file that is bundled: code is it without its
// comments.
func checkSource(add adder, name, code string, whole []byte) {
	if m := storagePattern.find(code); m != "" && name != storeFile && name != slimStore {
		add("A09", Block, name, "it uses %s, which a sandboxed frame refuses: import store from core/store.js, or from kit/kit.js", m)
	}
	if m := formerPattern.find(code); m != "" {
		add("A20", Block, name, "Phaser 4 has no %s", strings.TrimRight(m, " ("))
	}
	if m := fillerPattern.find(code); m != "" {
		add("A22", Warn, name, "a text was not written: %q", m)
	}
	if strings.HasPrefix(name, mechanics) && listenPattern.in(code) {
		add("A14", Warn, name, "a mechanic begins anew with each run, and its listeners would pile up")
	}
	if lines := bytes.Count(whole, []byte("\n")); len(whole) > maxSource || lines > maxLines {
		add("A19", Warn, name, "it is long: %d bytes, %d lines", len(whole), lines)
	}
}

// checkAssets finds pictures and sounds that no source imports. One that is
// imported and missing fails the build.
func checkAssets(add adder, files compile.Files) {
	for _, name := range files.Names() {
		if !strings.HasPrefix(name, compile.AssetsFolder+"/") {
			continue
		}
		used := slices.ContainsFunc(files.Names(), func(source string) bool {
			return strings.HasPrefix(source, "src/") && bytes.Contains(files[source], []byte(path.Base(name)))
		})
		if !used {
			add("A05", Warn, name, "no source uses it")
		}
	}
}
