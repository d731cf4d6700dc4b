// Package workspace keeps a project's files and what its jobs inherit:
// AGENTS.md, the sticky settings and the stored skills. Everything goes through
// an os.Root, so that no path of a request leads out of the project.
package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/swap"
)

// Places in the workspace.
const (
	instructionsFile = "AGENTS.md"
	settingsFile     = ".svc/settings.json"
	skillsDir        = ".svc/skills"
)

// Workspace is a project's folder.
type Workspace struct {
	root *os.Root
	// whole is held while several files change, and by a reader of all of them.
	whole sync.Mutex
}

// Inherited is what a job takes from its project.
type Inherited struct {
	Instructions string
	Settings     api.Settings // every field set
	// Skills are those that the request sent, and then the stored ones that are
	// like it.
	Skills []api.Skill
}

// Open opens the workspace in the folder dir, creating it if need be, and
// finishes the changes that a crash interrupted.
func Open(dir string) (*Workspace, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating workspace: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening workspace: %w", err)
	}
	if err := swap.Finish(root); err != nil {
		return nil, fmt.Errorf("finishing interrupted changes: %w", errors.Join(err, root.Close()))
	}
	return &Workspace{root: root}, nil
}

// Root returns the project's files.
func (w *Workspace) Root() *os.Root { return w.root }

// Close gives the folder up.
func (w *Workspace) Close() error { return w.root.Close() }

// Apply stores what req changes for good, its instructions, settings and
// skills with files, all of it or nothing, and returns what holds for its job.
// When there is no room for it, the error is room's.
func (w *Workspace) Apply(req api.GenerateRequest, room swap.Room) (Inherited, error) {
	var changes []swap.Change
	if text := req.Instructions; text != nil { // an empty one removes them
		changes = append(changes, swap.Change{Name: instructionsFile, Data: []byte(*text), Delete: *text == ""})
	}
	settings, changed, err := w.mergeSettings(req.Settings)
	if err != nil {
		return Inherited{}, fmt.Errorf("merging settings: %w", err)
	}
	changes = append(changes, changed...)
	for i, skill := range req.Skills {
		again := slices.ContainsFunc(req.Skills[i+1:], func(s api.Skill) bool { return s.Key == skill.Key && len(s.Files) > 0 })
		if len(skill.Files) == 0 || again { // the last of a key counts
			continue
		}
		stored, err := w.skillChanges(skill)
		if err != nil {
			return Inherited{}, fmt.Errorf("storing skill %s: %w", skill.Key, err)
		}
		changes = append(changes, stored...)
	}
	if err := w.Change(changes, room); err != nil {
		return Inherited{}, fmt.Errorf("storing what the request changes: %w", err)
	}
	instructions, err := disk.Read(w.root, instructionsFile, api.MaxInstructions)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Inherited{}, fmt.Errorf("reading instructions: %w", err)
	}
	found, err := w.alike(req, settings)
	if err != nil {
		return Inherited{}, fmt.Errorf("looking for skills: %w", err)
	}
	return Inherited{Instructions: string(instructions), Settings: settings, Skills: append(slices.Clone(req.Skills), found...)}, nil
}

// Change makes changes of the project's files, all or none.
func (w *Workspace) Change(changes []swap.Change, room swap.Room) error {
	w.whole.Lock()
	defer w.whole.Unlock()
	return swap.Apply(w.root, changes, room)
}

// Read calls read while no file changes, which must not take long. Files of
// which only some were changed, since the disk failed, are not read.
func (w *Workspace) Read(read func(root *os.Root) error) error {
	w.whole.Lock()
	defer w.whole.Unlock()
	if err := swap.Resume(w.root); err != nil {
		return err
	}
	return read(w.root)
}

var _ io.Closer = (*Workspace)(nil)
