package audit

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
)

// rewrite is a fix that needs to know the file's name, or the other files. It
// returns the text as it was when there is nothing to do.
type rewrite struct {
	rule, message string
	do            func(files compile.Files, name, text string) string
}

var rewrites = []rewrite{
	{"A09", "what is kept goes through the kit's store, which a sandboxed frame has too", keepInStore},
	{"A30", "an import names its whole file", completeImports},
}

var (
	keptPattern   = regexp.MustCompile(`\b(?:(?:window|self|globalThis)\s*\.\s*)?(?:local|session)Storage\b`)
	importPattern = regexp.MustCompile(`(\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.{1,2}/[^'"\n]*)(['"])`)
)

// keepInStore replaces the browser's storage by the kit's.
func keepInStore(files compile.Files, name, text string) string {
	if _, ok := files[storeFile]; !ok || name == storeFile || !strings.HasPrefix(name, "src/") {
		return text
	}
	if strings.Contains(text, "svcStore") || !storagePattern.may(text) || !storagePattern.in(build.Uncommented(name, text)) {
		return text
	}
	from, err := filepath.Rel(path.Dir(name), storeFile)
	if err != nil {
		return text
	}
	if from = filepath.ToSlash(from); !strings.HasPrefix(from, ".") {
		from = "./" + from
	}
	return "import { store as svcStore } from '" + from + "';\n" + keptPattern.ReplaceAllString(text, "svcStore")
}

// completeImports adds what an import leaves to a bundler's guess: the
// extension, or the index of a folder. One that no file answers stays.
func completeImports(files compile.Files, name, text string) string {
	return importPattern.ReplaceAllStringFunc(text, func(statement string) string {
		m := importPattern.FindStringSubmatch(statement)
		target := path.Join(path.Dir(name), m[3])
		if _, ok := files[target]; ok {
			return statement
		}
		base := strings.TrimSuffix(target, ".js") // TypeScript calls a.ts a.js
		for _, ending := range []string{".js", ".ts", ".json", "/index.js", "/index.ts"} {
			if _, ok := files[base+ending]; ok {
				return m[1] + m[2] + strings.TrimSuffix(strings.TrimSuffix(m[3], ".js"), "/") + ending + m[4]
			}
		}
		return statement
	})
}
