package gen

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/svc-games/svc/api/gamezip"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/gen/compile"
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
}

// kept are the generator's files beside the game that belong to a revision of it.
var kept = []string{specFile, styleFile, assetsFile, editsFile, projectFile}

// Authored reports whether a project's sources are the truth about its game. One
// that does not say, or can't be read, is when a model has edited it: no edit may be
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
	return json.Unmarshal(data, &record) != nil || record.Mode != modeGenerated, nil
}

// saveMode records whose the sources are.
func saveMode(w *delivery, authored bool) error {
	record := projectRecord{Mode: modeGenerated}
	if authored {
		record.Mode = modeAuthored
	}
	data, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding %s: %w", projectFile, err)
	}
	return errors.Join(w.put(projectFile, append(data, '\n')), w.remove(editsFile))
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
		case !strings.HasPrefix(c.Name, shotsFolder):
			files[c.Name] = c.Data
		}
	}
	return files, nil
}

// readGame returns the regular files of the project's game, which must be no more
// than a game may be.
func readGame(root *os.Root) (compile.Files, error) {
	files, left := compile.Files{}, int64(gamezip.MaxBytes)
	err := fs.WalkDir(root.FS(), Deliverable, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == Deliverable {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
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
