package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/merge"
	"github.com/svc-games/svc/engine/revs"
)

// laterFile keeps what a person saved while a job worked.
const laterFile = "edits.json"

// maxLater bounds how many files that may be.
const maxLater = 100

// laterEdit is a file that was saved while a job worked. It joins the game when the job
// has ended.
type laterEdit struct {
	Was    []byte `json:"was,omitempty"` // what was there when the job began
	New    bool   `json:"new,omitempty"` // nothing was
	Data   []byte `json:"data,omitempty"`
	Delete bool   `json:"delete,omitempty"`
}

func (m *Manager) laterPath() string { return filepath.Join(m.cfg.Dir, laterFile) }

// openLater reads what was saved while a job worked that a crash ended.
func (m *Manager) openLater() error {
	data, err := os.ReadFile(m.laterPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading edits: %w", err)
	}
	if err := json.Unmarshal(data, &m.later); err != nil {
		return fmt.Errorf("decoding %s: %w", laterFile, err)
	}
	return nil
}

// storeLater replaces them: on disk first. The caller holds saving.
func (m *Manager) storeLater(edits map[string]laterEdit) error {
	if len(edits) == 0 {
		if err := disk.Removed(os.Remove(m.laterPath())); err != nil {
			return fmt.Errorf("removing edits: %w", err)
		}
	} else {
		data, err := json.Marshal(edits)
		if err == nil {
			err = m.room(m.growth(len(data)))
		}
		if err == nil {
			err = disk.WriteFile(m.laterPath(), data)
		}
		if err != nil {
			return fmt.Errorf("storing edits: %w", err)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.later = edits
	return nil
}

// growth returns by how much the stored edits grow, in bytes and files, when they have so
// many bytes: fewer than before always have room.
func (m *Manager) growth(size int) (bytes int64, files int) {
	info, err := os.Stat(m.laterPath())
	if err != nil {
		return int64(size), 1
	}
	return int64(size) - info.Size(), 0
}

func (m *Manager) laterEdits() map[string]laterEdit {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.later // replaced, never changed
}

// present returns the game's files as a person sees them: with what was saved while a
// job works.
func (m *Manager) present() (map[string][]byte, error) {
	game, err := m.gameFiles()
	if err != nil {
		return nil, err
	}
	for name, e := range m.laterEdits() {
		if e.Delete {
			delete(game, name)
		} else {
			game[name] = e.Data
		}
	}
	return game, nil
}

// editLater keeps an edit until the job that works has ended.
func (m *Manager) editLater(e Edit) (contract.Saved, error) {
	game, err := m.gameFiles()
	if err != nil {
		return contract.Saved{}, err
	}
	seen, err := m.present()
	if err != nil {
		return contract.Saved{}, err
	}
	if err := m.checkEdit(seen, e); err != nil {
		return contract.Saved{}, err
	}
	edits := maps.Clone(m.laterEdits())
	if edits == nil {
		edits = map[string]laterEdit{}
	}
	later, again := edits[e.Path]
	if !again {
		was, there := game[e.Path]
		later = laterEdit{Was: was, New: !there}
	}
	later.Data, later.Delete = e.Data, e.Delete
	edits[e.Path] = later
	if len(edits) > maxLater {
		return contract.Saved{}, ErrWorking
	}
	if err := revs.Check(inProject(applied(seen, e))); err != nil {
		return contract.Saved{}, fmt.Errorf("%w: %w", ErrPath, err)
	}
	if err := m.storeLater(edits); err != nil {
		return contract.Saved{}, err
	}
	head, _ := m.history.Head()
	return contract.Saved{Head: head.ID, SHA256: sumIf(e.Data, !e.Delete), Later: true, Problems: gen.Faults(e.Path, e.Data)}, nil
}

// joinLater is join for the end of a job, which does not fail for it. The caller holds
// saving and working.
func (m *Manager) joinLater(ctx context.Context) {
	if err := m.join(ctx); err != nil { // they stay, for the next time
		m.cfg.Log.Error("edits not joined", zap.Int("files", len(m.laterEdits())), zap.Error(err))
	}
}

// join brings what was saved while a job worked into the game that it left. What
// touches lines of the job's stays the person's; the job's are in its own revision. A
// file that can't stand beside those of the job is in a draft, and keeps no other one
// out; one that was deleted and that the job changed stays, and is gone in the draft. The
// caller holds saving and working.
func (m *Manager) join(ctx context.Context) error {
	edits := m.laterEdits()
	if len(edits) == 0 {
		return nil
	}
	game, err := m.gameFiles()
	if err != nil {
		return err
	}
	former, err := m.here()
	if err != nil {
		return err
	}
	next, lost, out := joined(game, edits)
	if _, err := gen.Rebuild(ctx, next, ""); err != nil {
		return err
	}
	if err := m.replaceGame(game, next, false); err != nil {
		return err
	}
	message := "Saved while a job worked: " + strings.Join(slices.Sorted(maps.Keys(edits)), ", ")
	if len(lost) > 0 {
		message += fmt.Sprintf(". The job changed the same lines of %s: its own are in r%d", strings.Join(lost, ", "), former.ID)
	}
	stay := undeleted(next, edits)
	if len(stay) > 0 {
		message = fmt.Sprintf("Not deleted, as the job changed them: %s. They are gone in the draft before this. %s", strings.Join(stay, ", "), message)
	}
	if len(out) > 0 {
		message = fmt.Sprintf("Left out, as files of the job have these names: %s. They are in the draft before this. %s", strings.Join(out, ", "), message)
	}
	if len(out)+len(stay) > 0 {
		if err := m.keepOut(next, edits, append(out, stay...)); err != nil {
			return err
		}
	}
	if err := m.storeLater(nil); err != nil { // first: who sees the revision sees the game as in it
		return err
	}
	_, err = m.keep(revs.Revision{Kind: revs.Authored, Author: contract.AuthorUser, Message: clip(message, maxRevisionMessage)})
	return err
}

// joined returns a game with edits, of which lost took the place of lines of the job's,
// and out have names that can't stand beside those of its files.
func joined(game map[string][]byte, edits map[string]laterEdit) (next map[string][]byte, lost, out []string) {
	next = maps.Clone(game)
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		_, there, kept := edits[name].with(game[name])
		if !there {
			delete(next, name)
		}
		if !kept {
			lost = append(lost, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(edits)) { // after what gives a name free
		text, there, _ := edits[name].with(game[name])
		if !there {
			continue
		}
		if with := applied(next, Edit{Path: name, Data: text}); revs.Check(inProject(with)) == nil {
			next = with
		} else {
			out = append(out, name)
		}
	}
	return next, lost, out
}

// undeleted returns the files of a game with edits that these were to delete.
func undeleted(game map[string][]byte, edits map[string]laterEdit) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		if _, there := game[name]; there && edits[name].Delete {
			names = append(names, name)
		}
	}
	return names
}

// keepOut keeps a draft of the game with the files that were left out of it, in place
// of those whose names they can't stand beside, and without those that were deleted.
func (m *Manager) keepOut(game map[string][]byte, edits map[string]laterEdit, out []string) error {
	files, err := m.projectFiles()
	if err != nil {
		return err
	}
	for _, name := range out {
		if edits[name].Delete {
			delete(files, path.Join(gen.Deliverable, name))
			continue
		}
		mine := map[string][]byte{name: edits[name].Data}
		for other := range game {
			if revs.Check(inProject(applied(mine, Edit{Path: other}))) != nil {
				delete(files, path.Join(gen.Deliverable, other))
			}
		}
		maps.Copy(files, inProject(mine))
	}
	message := "Saved or deleted while a job worked, and not so in its game: " + strings.Join(out, ", ")
	return m.commit(revs.Revision{Kind: revs.Draft, Author: contract.AuthorUser, Message: clip(message, maxRevisionMessage), Time: m.now()}, files)
}

// with returns the file with the edit and what the job made of it, nil for none, and
// whether all that the job changed is in it.
func (e laterEdit) with(theirs []byte) (text []byte, there, kept bool) {
	untouched := bytes.Equal(theirs, e.Was) && (theirs == nil) == e.New
	switch {
	case e.Delete:
		return theirs, !untouched && theirs != nil, true // what the job changed is not deleted
	case !e.New && bytes.Equal(e.Data, e.Was):
		return theirs, theirs != nil, true // it was undone
	case untouched, bytes.Equal(theirs, e.Data):
		return e.Data, true, true
	case theirs == nil:
		return e.Data, true, false
	}
	for _, data := range [][]byte{e.Was, e.Data, theirs} {
		if len(data) > maxDiff || !utf8.Valid(data) {
			return e.Data, true, false
		}
	}
	merged, kept := merge.Lines(string(e.Was), string(e.Data), string(theirs))
	return []byte(merged), true, kept
}
