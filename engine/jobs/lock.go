package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/swap"
)

// locksFile has the paths of the game's files that jobs leave as they are.
const locksFile = "locks.json"

// maxLocks bounds how many those may be.
const maxLocks = 200

// ErrLocks: no more files can be locked.
var ErrLocks = errors.New("there are too many locked files")

// lockedError is a job that would change a locked file. Its text is for the user.
type lockedError struct{ file string }

func (e *lockedError) Error() string {
	return e.file + " is locked, and this would change it: unlock it, or ask for something else. Nothing was changed."
}

// Locks returns the paths of the game's files that jobs leave as they are, sorted.
func (m *Manager) Locks() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.locks // replaced, never changed
}

// SetLock has jobs leave a file of the game as it is, or no longer, on disk before it
// returns. A job that runs heeds it when it delivers. People save the file as any other.
// Locks of files that are gone end.
func (m *Manager) SetLock(name string, on bool) error {
	if !api.CleanPath(name) || len(name) > api.MaxPath {
		return ErrPath
	}
	m.saving.Lock()
	defer m.saving.Unlock()
	game, err := m.present()
	if err != nil {
		return err
	}
	_, there := game[name]
	switch {
	case on && !there:
		return ErrNoFile
	case on && gen.Made(game, name):
		return ErrMade
	}
	locks := slices.DeleteFunc(slices.Clone(m.Locks()), func(other string) bool {
		_, there := game[other]
		return other == name || !there
	})
	if on {
		locks = append(locks, name)
		slices.Sort(locks)
	}
	return m.storeLocks(locks, on)
}

// storeLocks makes these the locks; more tells that they take more of the volume than before.
// A change of a job's that has been allowed is made by its return. Who calls it holds saving.
func (m *Manager) storeLocks(locks []string, more bool) error {
	if len(locks) > maxLocks {
		return ErrLocks
	}
	data, err := json.Marshal(locks)
	if err == nil && more {
		err = m.room(int64(len(data)), 1)
	}
	if err == nil {
		err = disk.WriteFile(m.locksPath(), data)
	}
	if isFull(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	if err != nil {
		return fmt.Errorf("storing locks: %w", err)
	}
	return m.space.Read(func(*os.Root) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.locks = locks
		return nil
	})
}

// endLocks ends the locks of files that a person has deleted: a job may make them anew.
func (m *Manager) endLocks(changes []swap.Change) {
	locks := slices.DeleteFunc(slices.Clone(m.Locks()), func(name string) bool {
		return slices.ContainsFunc(changes, func(c swap.Change) bool { return c.Delete && c.Name == path.Join(gen.Deliverable, name) })
	})
	if len(locks) == len(m.Locks()) {
		return
	}
	if err := m.storeLocks(locks, false); err != nil {
		m.cfg.Log.Warn("locks not ended", zap.Error(err))
	}
}

// openLocks reads them. Where they can't be read no job may change anything: the error says
// so at the start.
func (m *Manager) openLocks() error {
	data, err := os.ReadFile(m.locksPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, &m.locks)
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", locksFile, err)
	}
	return nil
}

// changeUnlocked is change for a job's work: it refuses to change what is locked.
func (m *Manager) changeUnlocked(changes []swap.Change, more int64) error {
	return m.space.Change(changes, func(bytes int64, files int) error {
		if err := m.checkUnlocked(changes); err != nil {
			return err
		}
		return m.room(bytes+more, files+1)
	})
}

func (m *Manager) checkUnlocked(changes []swap.Change) error {
	for _, c := range changes {
		for _, name := range m.Locks() {
			if c.Name != path.Join(gen.Deliverable, name) {
				continue
			}
			was, err := m.space.Root().ReadFile(c.Name)
			switch {
			case errors.Is(err, fs.ErrNotExist): // there is nothing to keep
			case err != nil:
				return err
			case c.Delete || !bytes.Equal(was, c.Data):
				return &lockedError{name}
			}
		}
	}
	return nil
}

func (m *Manager) locksPath() string { return filepath.Join(m.cfg.Dir, locksFile) }
