package policy

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
)

//go:embed svc capabilities.json cost.json mutants.allow testdata/decisions.golden.tsv
var embedded embed.FS

// Embedded returns the policy that is part of the program: *.rego files, the
// tests among them, and what "svc policy verify" holds them against.
func Embedded() fs.FS { return embedded }

// Capabilities returns what a policy may call: every builtin of the language
// but those whose result is not a function of their arguments (the clock,
// random numbers, the network, the environment). A decision is therefore a
// pure function of its input, and a policy can't open a connection. The value
// is shared and must not be changed.
func Capabilities() (*ast.Capabilities, error) { return readCapabilities() }

var readCapabilities = sync.OnceValues(func() (*ast.Capabilities, error) {
	f, err := embedded.Open("capabilities.json")
	if err != nil {
		return nil, fmt.Errorf("opening capabilities: %w", err)
	}
	defer f.Close()
	caps, err := ast.LoadCapabilitiesJSON(f)
	if err != nil {
		return nil, fmt.Errorf("reading capabilities: %w", err)
	}
	return caps, nil
})

// Modules holds the parsed files of a policy by path.
type Modules map[string]*ast.Module

// examplesDir holds policies of their own within the directory of a policy.
const examplesDir = "examples"

// Walk calls each with the path of each file of a policy's directory: of those below
// "examples" and in hidden folders none is part of the policy.
func Walk(src fs.FS, each func(path string) error) error {
	return fs.WalkDir(src, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("reading policy: %w", err)
		case d.IsDir() && (path == examplesDir || path != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		return each(path)
	})
}

// CheckNoData refuses data beside the rules: a decision depends on its input
// alone. OPA's own tools write an empty data.json.
func CheckNoData(src fs.FS) error {
	return Walk(src, func(name string) error {
		if !slices.Contains([]string{"data.json", "data.yaml", "data.yml"}, path.Base(name)) {
			return nil
		}
		text, err := fs.ReadFile(src, name)
		if err != nil {
			return fmt.Errorf("reading policy: %w", err)
		}
		if trimmed := strings.TrimSpace(string(text)); trimmed != "{}" && trimmed != "" {
			return fmt.Errorf("%s: a policy has no data but its rules; facts come in input", name)
		}
		return nil
	})
}

// Files returns the paths of the *.rego files of src. Those ending in _test.rego
// are left out unless tests is set.
func Files(src fs.FS, tests bool) ([]string, error) {
	var paths []string
	err := Walk(src, func(path string) error {
		if strings.HasSuffix(path, ".rego") && (tests || !strings.HasSuffix(path, "_test.rego")) {
			paths = append(paths, path)
		}
		return nil
	})
	if err == nil && len(paths) == 0 {
		return nil, errors.New("reading policy: there is no .rego file")
	}
	return paths, err
}

// ReadModules parses the files that Files returns. An error names file and
// line.
func ReadModules(src fs.FS, tests bool) (Modules, error) {
	texts, err := readTexts(src, tests)
	if err != nil {
		return nil, err
	}
	return parse(texts)
}

// readTexts reads the files that Files returns.
func readTexts(src fs.FS, tests bool) (map[string]string, error) {
	paths, err := Files(src, tests)
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string, len(paths))
	for _, path := range paths {
		text, err := fs.ReadFile(src, path)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		texts[path] = string(text)
	}
	return texts, nil
}

// parse parses files, in the order of their names.
func parse(texts map[string]string) (Modules, error) {
	caps, err := Capabilities()
	if err != nil {
		return nil, err
	}
	modules := Modules{}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		modules[path], err = ast.ParseModuleWithOpts(path, texts[path], ast.ParserOptions{
			Capabilities: caps, ProcessAnnotation: true, RegoVersion: ast.RegoV1,
		})
		if err != nil {
			return nil, fmt.Errorf("parsing policy: %w", err)
		}
	}
	return modules, nil
}

// revision hashes the texts of a policy, so that equal policies have equal
// revisions wherever they came from.
func revision(texts map[string]string) string {
	sum := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		// The lengths keep two files from reading like one.
		fmt.Fprintf(sum, "%d %s %d\n%s", len(path), path, len(texts[path]), texts[path])
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
