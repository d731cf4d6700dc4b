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
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/skills"
	"github.com/svc-games/svc/engine/swap"
)

const (
	// maxAlike is how many stored skills a job gets.
	maxAlike = 3
	// maxLearned is how many skills made from successful runs are kept; the
	// oldest go first.
	maxLearned = 32
	// maxSkillFile bounds what is read of one stored file, in bytes.
	maxSkillFile = 1 << 20
)

// alike returns the stored skills that are like a request and did not come
// with it.
func (w *Workspace) alike(req api.GenerateRequest, settings api.Settings) ([]api.Skill, error) {
	stored, err := w.storedSkills()
	if err != nil {
		return nil, err
	}
	stored = slices.DeleteFunc(stored, func(s api.Skill) bool {
		return slices.ContainsFunc(req.Skills, func(sent api.Skill) bool { return sent.Key == s.Key })
	})
	found := skills.Rank(req.Prompt, engineOf(settings), stored, maxAlike)
	for i := range found {
		if found[i].Files, err = w.skillFiles(found[i].Key); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// engineOf returns the engine that skills must be for: a 3D game's is three; a
// 2D game may use several, which all can be learned from.
func engineOf(s api.Settings) string {
	if s.DimensionMode == api.Dimension3D {
		return "three"
	}
	return ""
}

// storedSkills returns all stored skills without their files. A folder that
// holds none is passed over: a model's tools may have written there.
func (w *Workspace) storedSkills() ([]api.Skill, error) {
	entries, err := fs.ReadDir(w.root.FS(), skillsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []api.Skill
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		data, err := disk.Read(w.root, path.Join(skillsDir, entry.Name(), "skill.json"), maxSkillFile)
		if err != nil {
			continue
		}
		var skill api.Skill
		if json.Unmarshal(data, &skill) == nil && skill.Key == entry.Name() {
			list = append(list, skill)
		}
	}
	return list, nil
}

// skillFiles reads the files of a stored skill.
func (w *Workspace) skillFiles(key string) ([]api.SkillFile, error) {
	root := path.Join(skillsDir, key, "files")
	var files []api.SkillFile
	err := fs.WalkDir(w.root.FS(), root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil || info.Size() > maxSkillFile {
			return err
		}
		data, err := disk.Read(w.root, name, maxSkillFile)
		files = append(files, api.SkillFile{Path: strings.TrimPrefix(name, root+"/"), Content: string(data)})
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the files of skill %s: %w", key, err)
	}
	return files, nil
}

// Learn stores a skill that a successful run made. Those that users sent are
// never replaced.
func (w *Workspace) Learn(skill api.Skill, room swap.Room) error {
	skill.Key = skills.LearnedPrefix + skill.Key
	changes, err := w.skillChanges(skill)
	if err == nil {
		err = w.Change(changes, room)
	}
	if err != nil {
		return fmt.Errorf("storing skill %s: %w", skill.Key, err)
	}
	return w.forgetOldest()
}

// forgetOldest keeps the learned skills within their bound.
func (w *Workspace) forgetOldest() error {
	entries, err := fs.ReadDir(w.root.FS(), skillsDir)
	if err != nil {
		return err
	}
	var learned []fs.FileInfo
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), skills.LearnedPrefix) {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		learned = append(learned, info)
	}
	slices.SortFunc(learned, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range learned[min(len(learned), maxLearned):] {
		if err := w.root.RemoveAll(path.Join(skillsDir, info.Name())); err != nil {
			return err
		}
	}
	return nil
}
