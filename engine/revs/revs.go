// Package revs keeps the history of a project: revisions of its files, of which
// none is ever changed. Contents are objects named by their SHA-256, so that what
// two revisions share is stored once; a revision is one line of a log, written
// when all that it names is on disk. A crash leaves the history with or without a
// revision, never with half of one.
package revs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/journal"
)

// Kind says how a revision came about.
type Kind string

// The kinds. A draft is what a job left that did not deliver it: it never becomes
// the head. An import is what was found in the project, made by nobody we know.
const (
	Generated Kind = "generated"
	Authored  Kind = "authored"
	Draft     Kind = "draft"
	Restore   Kind = "restore"
	Import    Kind = "import"
)

// heads are the kinds that make the head. One of a later version does not: its files
// may be a proposal.
var heads = []Kind{Generated, Authored, Restore, Import}

// Revision is one state of a project's files.
type Revision struct {
	ID      int       `json:"id"` // rises; ids of forgotten revisions are not given again
	Parents []int     `json:"parents,omitempty"`
	Tree    string    `json:"tree"` // the object that lists its files
	Kind    Kind      `json:"kind"`
	Of      int       `json:"of,omitempty"` // whose files a restore brought back
	Job     string    `json:"job,omitempty"`
	Author  string    `json:"author,omitempty"` // the model's name, or the generator's
	Message string    `json:"message,omitempty"`
	Time    time.Time `json:"time"`
	// Unproven: nobody played it, though a job left it.
	Unproven bool `json:"unproven,omitempty"`
}

// Files maps a path in the project to its content.
type Files map[string][]byte

// Errors of the methods of Store.
var (
	ErrUnknown = errors.New("there is no such revision")
	// ErrPath: a path that does not stay in the project, or is not the same file
	// on every system.
	ErrPath = errors.New("not a path in the project")
	// ErrDamaged: an object is not what its name says.
	ErrDamaged = errors.New("the history is damaged")
)

// Store is the history of one project. It is safe for concurrent use.
type Store struct {
	dir string

	mu    sync.Mutex // guards the following fields
	log   *journal.File
	stale bool    // the log on disk may be another than list says
	list  []entry // oldest first
	next  int     // the id of the next revision
	// torn tells that the log has a line which can't be read: which objects its
	// revision has is not known, so none is removed.
	torn  bool
	sizes map[string]int64 // of the objects that are on disk
	marks map[int]Mark     // by revision; replaced, never changed
}

// entry is a revision with its line, which may say more than this version knows.
type entry struct {
	Revision
	line []byte
}

// Open opens the history in the folder dir, creating it if need be, and clears
// away what a crash left. cut is the number of bytes of a torn line that were
// dropped.
func Open(dir string) (s *Store, cut int64, err error) {
	s = &Store{dir: dir, sizes: map[string]int64{}}
	if err := os.MkdirAll(s.objects(), 0o700); err != nil {
		return nil, 0, fmt.Errorf("creating history: %w", err)
	}
	if cut, err = s.openLog(); err != nil {
		return nil, 0, err
	}
	if err := errors.Join(s.index(), s.openMarks()); err != nil {
		return nil, 0, errors.Join(err, s.Close())
	}
	return s, cut, nil
}

// openLog reads the log. Only a last line without an end is cut off, which no
// revision stands on; any other that can't be read stays.
func (s *Store) openLog() (cut int64, err error) {
	var list []entry
	next, torn := 1, false
	log, cut, err := journal.OpenLines(s.logPath(), func(_ int, line []byte) error {
		var r Revision
		if json.Unmarshal(line, &r) != nil || !sumPattern.MatchString(r.Tree) || r.ID < next {
			torn = true
			next++
			return nil
		}
		list, next = append(list, entry{r, line}), r.ID+1
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("opening history: %w", err)
	}
	s.log, s.list, s.next, s.torn, s.stale = log, list, next, torn, false
	return cut, nil
}

// reopen reads the log again after an error that left open what it holds. It does
// nothing otherwise.
func (s *Store) reopen() error {
	if !s.stale {
		return nil
	}
	if err := s.log.Seal(); err != nil {
		return fmt.Errorf("closing history: %w", err)
	}
	_, err := s.openLog()
	return err
}

// index learns which objects there are, and removes those of which no revision
// came to be.
func (s *Store) index() error {
	entries, err := os.ReadDir(s.objects())
	if err != nil {
		return fmt.Errorf("reading history: %w", err)
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), tempSuffix) {
			if err := os.Remove(filepath.Join(s.objects(), entry.Name())); err != nil {
				return fmt.Errorf("clearing history: %w", err)
			}
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return fmt.Errorf("reading history: %w", err)
		}
		if sumPattern.MatchString(entry.Name()) && info.Mode().IsRegular() {
			s.sizes[entry.Name()] = info.Size()
		}
	}
	if err := s.collect(); err != nil && !errors.Is(err, ErrDamaged) { // nothing is deleted from a damaged one
		return err
	}
	return nil
}

// Close gives the history's descriptor back. It can still be read.
func (s *Store) Close() error { return s.log.Seal() }

// List returns the revisions, the oldest first.
func (s *Store) List() []Revision {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Revision
	for _, e := range s.list {
		out = append(out, e.Revision)
	}
	return out
}

// Head returns the newest revision that is the project's: no draft.
func (s *Store) Head() (Revision, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head()
}

func (s *Store) head() (Revision, bool) {
	for _, e := range slices.Backward(s.list) {
		if slices.Contains(heads, e.Kind) {
			return e.Revision, true
		}
	}
	return Revision{}, false
}

// Size is what objects take of a disk.
type Size struct {
	Bytes int64
	Files int
}

// Sizes returns what the history takes, and what it takes at least: as much is left
// when all is forgotten that may be.
func (s *Store) Sizes(at time.Time) (now, least Size, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, size := range s.sizes {
		now.Bytes, now.Files = now.Bytes+size, now.Files+1
	}
	keep, err := s.newest(Limits{Now: at})
	if err == nil && s.torn {
		err = ErrDamaged
	}
	if err != nil {
		return now, now, err
	}
	reached, err := s.reach(keep)
	for sum := range reached {
		least.Bytes, least.Files = least.Bytes+s.sizes[sum], least.Files+1
	}
	return now, least, err
}

// Files returns what a revision holds.
func (s *Store) Files(id int) (Files, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, there := s.find(id)
	if !there {
		return nil, fmt.Errorf("revision %d: %w", id, ErrUnknown)
	}
	tree, err := s.tree(r.Tree)
	if err != nil {
		return nil, err
	}
	files := Files{}
	for name, sum := range tree {
		if files[name], err = s.object(sum); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// File returns one of the files that a revision holds, or fs.ErrNotExist, wrapped.
func (s *Store) File(id int, name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, there := s.find(id)
	if !there {
		return nil, fmt.Errorf("revision %d: %w", id, ErrUnknown)
	}
	tree, err := s.tree(r.Tree)
	if err != nil {
		return nil, err
	}
	sum, there := tree[name]
	if !there {
		return nil, fmt.Errorf("%s in revision %d: %w", name, id, fs.ErrNotExist)
	}
	return s.object(sum)
}

// tree returns what a tree lists: paths to objects.
func (s *Store) tree(sum string) (map[string]string, error) {
	data, err := s.object(sum)
	if err != nil {
		return nil, err
	}
	var tree map[string]string
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, fmt.Errorf("decoding tree: %w", errors.Join(ErrDamaged, err))
	}
	for _, object := range tree {
		if !sumPattern.MatchString(object) {
			return nil, fmt.Errorf("a tree names no object: %w", ErrDamaged)
		}
	}
	return tree, checkPaths(tree)
}

// state is the folder of what the engine keeps in a project, the only hidden one
// that a revision may hold.
const state = ".svc/"

// Check returns ErrPath, wrapped, for files of which no revision can be made.
func Check(files Files) error { return checkPaths(files) }

// checkPaths refuses a set of files that could not be written to every disk, or
// would be written outside of the project.
func checkPaths[T any](files map[string]T) error {
	seen := map[string]bool{}
	for name := range files {
		folded := contract.Fold(name)
		if !api.CleanPath(strings.TrimPrefix(name, state)) || seen[folded] {
			return fmt.Errorf("%q: %w", name, ErrPath)
		}
		seen[folded] = true
	}
	for name := range seen {
		for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
			if seen[dir] {
				return fmt.Errorf("%q is a file and a folder: %w", dir, ErrPath)
			}
		}
	}
	return nil
}

var sumPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (s *Store) objects() string { return filepath.Join(s.dir, "objects") }

func (s *Store) logPath() string { return filepath.Join(s.dir, "revs.jsonl") }
