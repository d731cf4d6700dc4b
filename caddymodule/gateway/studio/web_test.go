package studio

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTheEditorsPackagesAreThoseThatWereChosen: each by its version and its sum. The package
// that is called codemirror is the editor's former version, of the same name for npm.
func TestTheEditorsPackagesAreThoseThatWereChosen(t *testing.T) {
	read := func(name string, into any) {
		t.Helper()
		data, err := os.ReadFile("web/" + name)
		if err == nil {
			err = json.Unmarshal(data, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var wanted struct{ Dependencies map[string]string }
	var lock struct {
		Packages map[string]struct{ Version, Integrity string }
	}
	read("package.json", &wanted)
	read("package-lock.json", &lock)
	exact := regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	for name, version := range wanted.Dependencies {
		if got := lock.Packages["node_modules/"+name]; !exact.MatchString(version) || got.Version != version {
			t.Errorf("%s is asked for as %s, and locked as %q", name, version, got.Version)
		}
	}
	for name, is := range lock.Packages {
		if name != "" && (!strings.HasPrefix(is.Integrity, "sha512-") || is.Version == "") {
			t.Errorf("%s is locked without a sum: %+v", name, is)
		}
		if strings.HasSuffix(name, "node_modules/codemirror") {
			t.Errorf("%s is the former editor", name)
		}
	}
	if len(lock.Packages) <= len(wanted.Dependencies) {
		t.Errorf("only %d packages are locked", len(lock.Packages))
	}
}
