package gen

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/gamezip"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/swap"
)

// projectFile says whose a project's sources are.
const projectFile = ".svc/project.json"

// editsFile named the sources that a model had edited, in versions before projectFile.
const editsFile = ".svc/edits.json"

// The modes of a project. The sources of a generated one are made of its spec at
// each change; those of an authored one, of which a person or a model wrote some,
// are the truth.
const (
	modeGenerated = "generated"
	modeAuthored  = "authored"
)

// projectRecord is the form of projectFile.
type projectRecord struct {
	Mode string `json:"mode"`
	// Sources is the sum of the sources as they were delivered: other ones were
	// edited since. Versions before it left it out.
	Sources string `json:"sources,omitempty"`
	// Assets is that of pictures and sounds, which versions before it left out.
	Assets string `json:"assets,omitempty"`
}

// delivered reports whether a game is as it was delivered, as far as the record says.
func (r projectRecord) delivered(game compile.Files) bool {
	return sumOf(game, ownFile) == r.Sources && (r.Assets == "" || sumOf(game, isAsset) == r.Assets)
}

// kept are the generator's files beside the game that belong to a revision of it.
var kept = []string{specFile, styleFile, assetsFile, editsFile, projectFile}

// OfProject reports whether a file of this name is among those that Project returns.
func OfProject(name string) bool {
	return strings.HasPrefix(name, Deliverable+"/") || slices.Contains(kept, name)
}

// Authored reports whether a project's sources are the truth about its game: a model
// has edited it, or a person has since it was delivered, a picture or a sound as well.
// One that does not say, or can't be read, is when a model has edited it: no edit may be
// lost for a file that someone spoilt.
func Authored(root *os.Root) (bool, error) {
	data, err := readOptional(root, projectFile)
	if err != nil {
		return false, err
	}
	if data == nil {
		edits, err := readOptional(root, editsFile) // of a version before projectFile
		return edits != nil, err
	}
	var record projectRecord
	if json.Unmarshal(data, &record) != nil || record.Mode != modeGenerated {
		return true, nil
	}
	if record.Sources == "" {
		return false, nil
	}
	game, err := readGame(root)
	return err != nil || hasSources(game) && !record.delivered(game), nil // not what was delivered, if it can't be read
}

// Edited reports whether someone has edited a project's sources or assets since they
// were delivered. Where the project does not note what was, as in former versions, former
// says it, by paths in the project; without that, it is what this version makes of the
// spec. claim is then what to change so that Authored knows too.
func Edited(root *os.Root, former map[string][]byte) (edited bool, claim []swap.Change, err error) {
	game, err := readGame(root)
	if err != nil || !hasSources(game) {
		return false, nil, err
	}
	data, err := readOptional(root, projectFile)
	if err != nil {
		return false, nil, err
	}
	var record projectRecord
	if json.Unmarshal(data, &record) == nil && record.Sources != "" {
		return !record.delivered(game), nil, nil
	}
	made := compile.Files{}
	for name, content := range former {
		if inGame, ok := strings.CutPrefix(name, Deliverable+"/"); ok {
			made[inGame] = content
		}
	}
	if former == nil {
		made = recompiled(root, game)
	}
	if sumOf(game, ownFile) == sumOf(made, ownFile) {
		return false, nil, nil
	}
	if authored, err := Authored(root); authored || err != nil {
		return true, nil, err
	}
	data, err = recordOf(modeAuthored, game)
	return true, []swap.Change{{Name: projectFile, Data: data}}, err
}

// recompiled returns what this version makes of a project's spec, with the assets and
// libraries that its game has; nothing when that can't be made.
func recompiled(root *os.Root, game compile.Files) compile.Files {
	data, err := readOptional(root, specFile)
	if err != nil || data == nil {
		return nil
	}
	s, err := spec.Unmarshal(data)
	if err != nil {
		return nil
	}
	assets := compile.Files{}
	for name, content := range game {
		if inFolder, ok := strings.CutPrefix(name, compile.AssetsFolder+"/"); ok {
			assets[inFolder] = content
		}
	}
	files, err := compile.Compile(s, assets)
	if err != nil {
		return nil
	}
	for name, content := range game {
		if library := strings.HasPrefix(name, "lib/") || strings.HasPrefix(name, "licenses/"); library && files[name] == nil {
			files[name] = content
		}
	}
	return files
}

// ownFile reports whether a file of the game is a source, which the generator writes
// anew at each change.
func ownFile(name string) bool {
	folder, _, inFolder := strings.Cut(name, "/")
	if inFolder {
		return folder != compile.AssetsFolder && slices.Contains(generatedFolders, folder)
	}
	// not the bundle, a plan
	return name == compile.Page || name == compile.Readme || name == compile.Manifest || name == compile.Builder || name == compile.Types
}

// isAsset reports whether a file of the game is a picture or a sound.
func isAsset(name string) bool { return strings.HasPrefix(name, compile.AssetsFolder+"/") }

func hasSources(game compile.Files) bool {
	for name := range game {
		if ownFile(name) {
			return true
		}
	}
	return false
}

// sumOf is a sum of those files of a game that a filter takes, names and contents.
func sumOf(game compile.Files, taken func(name string) bool) string {
	sum := sha256.New()
	for _, name := range game.Names() {
		if !taken(name) {
			continue
		}
		fmt.Fprintf(sum, "%q %x\n", name, sha256.Sum256(lasting(name, game[name])))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// lasting is a source without what a job had not, which is no source.
func lasting(name string, content []byte) []byte {
	switch name {
	case compile.Readme:
		content, _, _ = bytes.Cut(content, []byte(lacks))
	case compile.Manifest:
		if bare, err := stamped(content, nil); err == nil {
			return bare
		}
	}
	return content
}

// saveMode records whose the sources are of a game that is delivered.
func saveMode(w *delivery, authored bool, game compile.Files) error {
	mode := modeGenerated
	if authored {
		mode = modeAuthored
	}
	data, err := recordOf(mode, game)
	if err != nil {
		return err
	}
	return errors.Join(w.put(projectFile, data), w.remove(editsFile))
}

func recordOf(mode string, game compile.Files) ([]byte, error) {
	data, err := json.MarshalIndent(projectRecord{Mode: mode, Sources: sumOf(game, ownFile), Assets: sumOf(game, isAsset)}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", projectFile, err)
	}
	return append(data, '\n'), nil
}

// Project returns the files of a project that make a revision of it: the game, and
// what the generator keeps with it.
func Project(root *os.Root) (map[string][]byte, error) {
	files := map[string][]byte{}
	game, err := readGame(root)
	if err != nil {
		return nil, err
	}
	for name, data := range game {
		files[path.Join(Deliverable, name)] = data
	}
	for _, name := range kept {
		data, err := readOptional(root, name)
		if err != nil {
			return nil, err
		}
		if data != nil {
			files[name] = data
		}
	}
	return files, nil
}

// Drafted returns the files of a project as the draft that a job left would make
// them; nil when it left none.
func Drafted(root *os.Root, jobID string) (map[string][]byte, error) {
	draft, there := loadDraft(root, jobID)
	if !there {
		return nil, nil
	}
	files, err := Project(root)
	if err != nil {
		return nil, err
	}
	for _, c := range draft.Changes {
		switch {
		case c.Delete:
			delete(files, c.Name)
		case !isShot(c.Name):
			files[c.Name] = c.Data
		}
	}
	return files, nil
}

// GameFile returns one of the files of the project's game, or fs.ErrNotExist, wrapped:
// Project has all of them, and no other.
func GameFile(root *os.Root, name string) ([]byte, error) {
	at := path.Join(Deliverable, name)
	missing := fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	if !api.CleanPath(name) || isShot(at) {
		return nil, missing
	}
	for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
		info, err := root.Lstat(dir)
		if disk.Gone(err) || err == nil && !info.IsDir() {
			return nil, missing // no link leads out of the game
		}
		if err != nil {
			return nil, fmt.Errorf("reading the game: %w", err)
		}
	}
	info, err := root.Lstat(at)
	if disk.Gone(err) || err == nil && !info.Mode().IsRegular() {
		return nil, missing
	}
	if err != nil {
		return nil, fmt.Errorf("reading the game: %w", err)
	}
	return disk.Read(root, at, gamezip.MaxBytes)
}

// readGame returns the regular files of the project's game, without the pictures of
// its playtest, which must be no more than a game may be.
func readGame(root *os.Root) (compile.Files, error) {
	files, left := compile.Files{}, int64(gamezip.MaxBytes)
	err := fs.WalkDir(root.FS(), Deliverable, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == Deliverable {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() || isShot(name) {
			return err
		}
		if len(files) == gamezip.MaxFiles {
			return fmt.Errorf("the game has more than %d files", gamezip.MaxFiles)
		}
		data, err := disk.Read(root, name, left)
		files[name[len(Deliverable)+1:]] = data
		left -= int64(len(data))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the game: %w", err)
	}
	return files, nil
}
