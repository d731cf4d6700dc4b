package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/swap"
)

// skillChanges put a skill into its folder, named by its key, in place of what
// was there, under the same key or one that differs in capitals alone:
// skill.json describes it, files/ holds its code.
func (w *Workspace) skillChanges(skill api.Skill) ([]swap.Change, error) {
	dir := path.Join(skillsDir, skill.Key)
	var changes []swap.Change
	for _, f := range skill.Files {
		changes = append(changes, swap.Change{Name: path.Join(dir, "files", f.Path), Data: []byte(f.Content)})
	}
	skill.Files = nil
	data, err := json.MarshalIndent(skill, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding skill: %w", err)
	}
	changes = append(changes, swap.Change{Name: path.Join(dir, "skill.json"), Data: append(data, '\n')})
	folders, err := fs.ReadDir(w.root.FS(), skillsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for former skills: %w", err)
	}
	for _, folder := range folders {
		if !strings.EqualFold(folder.Name(), skill.Key) {
			continue
		}
		stale, err := w.stale(path.Join(skillsDir, folder.Name()), changes)
		if err != nil {
			return nil, err
		}
		changes = append(changes, stale...)
	}
	return changes, nil
}

// stale returns the deletion of the files in dir that changes leave out.
func (w *Workspace) stale(dir string, changes []swap.Change) ([]swap.Change, error) {
	var stale []swap.Change
	err := fs.WalkDir(w.root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if !slices.ContainsFunc(changes, func(c swap.Change) bool { return c.Name == name }) {
			stale = append(stale, swap.Change{Name: name, Delete: true})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for the files of the former skill: %w", err)
	}
	return stale, nil
}
