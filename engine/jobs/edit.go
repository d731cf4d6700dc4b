package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/revs"
	"github.com/svc-games/svc/engine/swap"
)

// Errors of what a person does with a project's files.
var (
	ErrWorking = errors.New("a job works on the project's files")
	ErrNoFile  = errors.New("the game has no such file")
	ErrPath    = errors.New("this can't be the name of a file of the game")
	ErrMade    = errors.New("the file is made of the sources")
	ErrOldHead = errors.New("the project has a newer revision")
	ErrFull    = errors.New("the volume is full")
)

// ConflictError: a file is not what its editor began with.
type ConflictError struct {
	Head   int
	SHA256 string // of the file as it is, "" for none
}

func (e *ConflictError) Error() string { return "the file was changed meanwhile" }

// Edit is one file's new content, or its deletion.
type Edit struct {
	Path   string // in the game's folder
	Data   []byte
	Delete bool
	// Was is the SHA-256 of what the editor began with, "" for a new file.
	Was string
}

// Workspace returns the files of the project's game.
func (m *Manager) Workspace() (contract.Workspace, error) {
	files, err := m.present()
	if err != nil {
		return contract.Workspace{}, err
	}
	out := contract.Workspace{Files: []contract.WorkspaceFile{}}
	locks := m.Locks()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out.Files = append(out.Files, contract.WorkspaceFile{
			Path: name, Bytes: int64(len(files[name])), SHA256: sumOf(files[name]), Made: gen.Made(files, name),
			Locked: slices.Contains(locks, name),
		})
	}
	head, _ := m.history.Head()
	out.Head = head.ID
	m.mu.Lock()
	defer m.mu.Unlock()
	out.Check = m.checked
	if m.running != nil {
		out.Running = m.running.id
	}
	for _, j := range m.queue {
		out.Queued = append(out.Queued, j.id)
	}
	return out, nil
}

// File returns a file of the game as it is, or was at a revision. It reads no other.
func (m *Manager) File(name string, rev int) (data []byte, err error) {
	e, later := m.laterEdits()[name]
	switch {
	case !api.CleanPath(name), rev == 0 && later && e.Delete:
		return nil, ErrNoFile
	case rev == 0 && later:
		return e.Data, nil
	case rev == 0:
		err = m.space.Read(func(root *os.Root) error {
			data, err = gen.GameFile(root, name)
			return err
		})
	default:
		data, err = m.history.File(rev, path.Join(gen.Deliverable, name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoFile
	}
	return data, err
}

// Built returns a file of the game as the job that runs built it last, which nobody has
// proven yet.
func (m *Manager) Built(name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, there := m.built[name]
	if !there {
		return nil, ErrNoFile
	}
	return data, nil
}

// GameAt returns the files of the game as they were at a revision.
func (m *Manager) GameAt(rev int) (map[string][]byte, error) { return m.gameAt(rev) }

// Revisions returns the project's history, the newest first.
func (m *Manager) Revisions() contract.Revisions {
	out := contract.Revisions{Revisions: []contract.Revision{}}
	marks := m.history.Marks()
	unproven := map[int]bool{}
	for _, r := range m.history.List() {
		byHand := r.Job == "" && r.Kind != revs.Restore
		unproven[r.ID] = (byHand || r.Unproven || r.Kind == revs.Restore && unproven[r.Of]) && !marks[r.ID].Proven
		out.Revisions = append(out.Revisions, contract.Revision{
			ID: r.ID, Kind: string(r.Kind), Of: r.Of, Job: r.Job, Author: r.Author, Message: r.Message, Time: r.Time,
			Proven: marks[r.ID].Proven, Unproven: unproven[r.ID], Kept: marks[r.ID].Until,
		})
	}
	slices.Reverse(out.Revisions)
	return out
}

// KeepRevision has a revision be kept until a time, however many follow. A time that is over
// ends that.
func (m *Manager) KeepRevision(id int, until time.Time) error {
	m.saving.Lock()
	defer m.saving.Unlock()
	return m.history.Keep(id, until.Truncate(time.Second).UTC(), m.historyLimits())
}

// Edit saves a file if it still is what its editor began with, and builds the game
// anew. While a job works the edit is kept, on disk, and joins the game when the job has
// ended.
func (m *Manager) Edit(ctx context.Context, e Edit) (contract.Saved, error) {
	if !api.CleanPath(e.Path) || len(e.Path) > api.MaxPath {
		return contract.Saved{}, ErrPath
	}
	return m.byHand(ctx,
		func() (contract.Saved, error) { return m.edit(ctx, e) },
		func() (contract.Saved, error) { return m.editLater(e) },
		e.Delete,
	)
}

// checkEdit refuses an edit of a file that is another one now, or can't be edited.
func (m *Manager) checkEdit(game map[string][]byte, e Edit) error {
	was, there := game[e.Path]
	saved := there && e.Was != "" && !e.Delete && bytes.Equal(was, e.Data) // by a save whose answer was lost
	switch found := sumIf(was, there); {
	case found != e.Was && !saved:
		head, _ := m.history.Head()
		return &ConflictError{Head: head.ID, SHA256: found}
	case gen.Made(game, e.Path):
		return ErrMade
	case e.Delete && !there:
		return ErrNoFile
	}
	return nil
}

// applied returns a game with an edit.
func applied(game map[string][]byte, e Edit) map[string][]byte {
	next := maps.Clone(game)
	if next == nil {
		next = map[string][]byte{}
	}
	if e.Delete {
		delete(next, e.Path)
	} else {
		next[e.Path] = e.Data
	}
	return next
}

// edit changes the game now. A full volume stops no deletion, which makes room: there may
// be no revision of it then.
func (m *Manager) edit(ctx context.Context, e Edit) (contract.Saved, error) {
	if _, out := m.laterEdits()[e.Path]; out { // a full volume keeps it out of the game
		saved, err := m.editLater(e)
		saved.Later = false
		return saved, err
	}
	game, err := m.gameFiles()
	if err != nil {
		return contract.Saved{}, err
	}
	if err := m.checkEdit(game, e); err != nil {
		return contract.Saved{}, err
	}
	if _, err := m.here(); err != nil && !(e.Delete && isFull(err)) { // what is there now can be returned to
		return contract.Saved{}, err
	}
	next, what := applied(game, e), "Saved "
	if e.Delete {
		what = "Deleted "
	}
	problems, err := gen.Rebuild(ctx, next, e.Path)
	if err != nil {
		return contract.Saved{}, err
	}
	if err := m.replaceGame(game, next, e.Delete); err != nil {
		return contract.Saved{}, err
	}
	head, err := m.keep(revs.Revision{Kind: revs.Authored, Author: contract.AuthorUser, Message: clip(what+e.Path, maxRevisionMessage)})
	if e.Delete && isFull(err) {
		err = nil
	}
	return contract.Saved{Head: head, SHA256: sumIf(e.Data, !e.Delete), Problems: problems}, err
}

// RestoreTo makes the files of a revision the project's, as a new revision, if the
// newest one is still head, which is 0 for a project that has drafts alone.
func (m *Manager) RestoreTo(ctx context.Context, rev, head int) (contract.Saved, error) {
	return m.byHand(ctx, func() (contract.Saved, error) {
		former, _ := m.history.Head()
		if former.ID == head {
			made, err := m.here()
			if err != nil {
				return contract.Saved{}, err
			}
			if head > 0 { // else it is the first, and what was seen
				former = made
			}
		}
		if former.ID != head {
			return contract.Saved{}, fmt.Errorf("revision %d: %w", former.ID, ErrOldHead)
		}
		files, err := m.history.Files(rev)
		if err != nil {
			return contract.Saved{}, err
		}
		changes, err := gen.Restore(m.space.Root(), files)
		if err != nil {
			return contract.Saved{}, err
		}
		if err := m.changeKept(changes, revs.Size{Bytes: lineBytes}); err != nil { // the history has the files
			return contract.Saved{}, err
		}
		message := fmt.Sprintf("Went back to revision %d", rev)
		now, err := m.keep(revs.Revision{Kind: revs.Restore, Of: rev, Author: contract.AuthorUser, Message: message})
		return contract.Saved{Head: now, Problems: []contract.Problem{}}, err
	}, func() (contract.Saved, error) { return contract.Saved{}, ErrWorking }, false)
}

// byHand does what a person asks for, one thing at a time: while a job works it does
// later instead of now. What could not join the game at a job's end joins it first: it
// is what the person sees. Where the volume has no room for that, what frees some is done
// without.
func (m *Manager) byHand(ctx context.Context, now, later func() (contract.Saved, error), frees bool) (contract.Saved, error) {
	m.saving.Lock()
	defer m.saving.Unlock()
	m.Touch()
	do := later
	if m.working.TryLock() {
		defer m.working.Unlock()
		do = func() (contract.Saved, error) {
			if err := m.join(ctx); err != nil && !(frees && isFull(err)) {
				return contract.Saved{}, err
			}
			return now()
		}
	}
	saved, err := do()
	if isFull(err) {
		err = fmt.Errorf("%w: %w", ErrFull, err)
	}
	return saved, err
}

func isFull(err error) bool {
	_, full := errors.AsType[*fullError](err)
	return full
}

// keep adds a revision of the project as it is now, and returns the head.
func (m *Manager) keep(r revs.Revision) (int, error) {
	files, err := m.projectFiles()
	if err == nil {
		r.Time = m.now()
		err = m.commit(r, files)
	}
	head, _ := m.history.Head()
	return head.ID, err
}

// replaceGame changes the game's folder from one set of files to another, which frees room
// or is to be a revision.
func (m *Manager) replaceGame(from, to map[string][]byte, frees bool) error {
	if err := revs.Check(inProject(to)); err != nil {
		return fmt.Errorf("%w: %w", ErrPath, err)
	}
	var changes []swap.Change
	for name := range from {
		if _, stays := to[name]; !stays {
			changes = append(changes, swap.Change{Name: path.Join(gen.Deliverable, name), Delete: true})
		}
	}
	for name, data := range to {
		if was, there := from[name]; !there || !bytes.Equal(was, data) {
			changes = append(changes, swap.Change{Name: path.Join(gen.Deliverable, name), Data: data})
		}
	}
	if !frees {
		return m.changeKept(changes, revisionOf(changes, inProject(to)))
	}
	err := m.space.Change(changes, func(bytes int64, files int) error {
		if bytes <= 0 && files <= 0 {
			return nil
		}
		return m.room(bytes, files+1)
	})
	if err == nil {
		m.endLocks(changes)
	}
	return err
}

// Bounds of what a revision takes beside the content of the game: of the log with what is
// kept beside the game, and of the list of files for each of them, beside its name.
const (
	lineBytes   = 4 << 10
	listedBytes = 80
)

// revisionOf returns what a revision of files takes at most that were changed so since the
// one before.
func revisionOf(changes []swap.Change, files revs.Files) revs.Size {
	size := revs.Size{Bytes: lineBytes, Files: 1}
	for name := range files {
		size.Bytes += int64(len(name)) + listedBytes
	}
	for _, c := range changes {
		if !c.Delete {
			size.Bytes, size.Files = size.Bytes+int64(len(c.Data)), size.Files+1
		}
	}
	return size
}

// changeKept makes changes of which a revision is kept next, if there is room for both:
// what was changed without one would be there, though it was refused.
func (m *Manager) changeKept(changes []swap.Change, next revs.Size) error {
	if err := m.fitsHistory(next.Bytes, next.Files); err != nil {
		return err
	}
	err := m.space.Change(changes, func(bytes int64, files int) error { return m.room(bytes+next.Bytes, files+1+next.Files) })
	if err == nil {
		m.endLocks(changes)
	}
	return err
}

// gameAt returns the files of the game at a revision, or as they are for 0.
func (m *Manager) gameAt(rev int) (map[string][]byte, error) {
	if rev == 0 {
		return m.present()
	}
	files, err := m.history.Files(rev)
	if err != nil {
		return nil, err
	}
	return inGame(files), nil
}
