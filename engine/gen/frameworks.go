package gen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/svc-games/svc/engine/gen/compile"
)

// framework is a JavaScript library that games ship with.
type framework struct {
	name    string
	version string
	script  []byte
	license []byte
}

// addTo puts the framework and its licence into a game.
func (f framework) addTo(files compile.Files) {
	files["lib/"+f.name+".min.js"] = f.script
	files["licenses/"+f.name+"-"+f.version+".txt"] = f.license
}

// frameworks reads libraries from their folder when a game needs them first:
// most engines never show more than one.
type frameworks struct {
	dir string

	mu     sync.Mutex // guards loaded
	loaded map[string]framework
}

func newFrameworks(dir string) *frameworks {
	return &frameworks{dir: dir, loaded: map[string]framework{}}
}

// get returns a framework, or an error that says what to do about it.
func (s *frameworks) get(name string) (framework, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.loaded[name]; ok {
		return f, nil
	}
	f, err := loadFramework(s.dir, name)
	if err != nil {
		return framework{}, fmt.Errorf("the game framework %s is missing, run make build: %w", name, err)
	}
	s.loaded[name] = f
	return f, nil
}

func loadFramework(dir, name string) (framework, error) {
	f := framework{name: name}
	about, err := os.ReadFile(filepath.Join(dir, name, "package.json"))
	if err != nil {
		return framework{}, err
	}
	var manifest struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(about, &manifest); err != nil {
		return framework{}, fmt.Errorf("decoding package.json of %s: %w", name, err)
	}
	f.version = manifest.Version
	if f.script, err = os.ReadFile(filepath.Join(dir, name, name+".min.js")); err != nil {
		return framework{}, err
	}
	licenses, err := filepath.Glob(filepath.Join(dir, name, "LICENSE*"))
	if err != nil {
		return framework{}, err
	}
	if len(licenses) == 0 {
		return framework{}, fmt.Errorf("%s has no LICENSE file", filepath.Join(dir, name))
	}
	f.license, err = os.ReadFile(licenses[0])
	return f, err
}
