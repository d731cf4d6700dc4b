package revs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/svc-games/svc/engine/disk"
)

// tempSuffix marks an object that is being written.
const tempSuffix = ".tmp"

// writers is how many objects are written at a time: each waits for the disk.
const writers = 8

// Room returns an error when there is no room for so many bytes and files more.
type Room func(bytes int64, files int) error

// Commit adds a revision of files. Its id, its tree and, where r names none, its
// parent are the store's: the head. Files that are the head's already make no
// revision; added is false then, and what is returned is the head. When Commit
// has returned the revision is on disk.
func (s *Store) Commit(r Revision, files Files, room Room) (made Revision, added bool, err error) {
	if err := checkPaths(files); err != nil {
		return Revision{}, false, err
	}
	tree, objects, err := treeOf(files)
	if err != nil {
		return Revision{}, false, err
	}
	r.Tree = tree
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.reopen(); err != nil {
		return Revision{}, false, err
	}
	head, there := s.head()
	if there && head.Tree == r.Tree {
		return head, false, nil
	}
	if there && r.Parents == nil {
		r.Parents = []int{head.ID}
	}
	r.ID = s.next
	line, err := json.Marshal(r)
	if err != nil {
		return Revision{}, false, fmt.Errorf("encoding revision: %w", err)
	}
	maps.DeleteFunc(objects, func(sum string, _ []byte) bool { _, stored := s.sizes[sum]; return stored })
	if err := s.write(objects, int64(len(line))+1, room); err != nil {
		return Revision{}, false, errors.Join(err, s.discard(objects))
	}
	if err := s.append(line); err != nil {
		if !slices.ContainsFunc(s.list, func(e entry) bool { return e.ID == r.ID }) && !s.stale {
			err = errors.Join(err, s.discard(objects))
		}
		return Revision{}, false, err
	}
	s.list, s.next = append(s.list, entry{r, line}), r.ID+1
	return r, true, nil
}

// treeOf returns the sum of the list of files, and the objects that it takes.
func treeOf(files Files) (sum string, objects map[string][]byte, err error) {
	objects, tree := map[string][]byte{}, map[string]string{}
	for name, data := range files {
		sum := sumOf(data)
		tree[name], objects[sum] = sum, data
	}
	list, err := json.Marshal(tree) // sorted by name: equal files are one tree
	if err != nil {
		return "", nil, fmt.Errorf("encoding tree: %w", err)
	}
	sum = sumOf(list)
	objects[sum] = list
	return sum, objects, nil
}

// append adds a line to the log. After an error the log is as it is on disk, if that
// could be read.
func (s *Store) append(line []byte) error {
	err := s.log.Append(line, true)
	if err == nil {
		return nil
	}
	s.stale = true
	return fmt.Errorf("storing revision: %w", errors.Join(err, s.reopen()))
}

// discard removes what was written for a revision that did not come to be.
func (s *Store) discard(objects map[string][]byte) error {
	var errs []error
	for sum := range objects {
		path := filepath.Join(s.objects(), sum)
		for _, name := range []string{path, path + tempSuffix} {
			if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, fmt.Errorf("clearing history: %w", err))
			}
		}
		delete(s.sizes, sum)
	}
	return errors.Join(errs...)
}

// write puts objects on disk, names and all, if there is room for them and for as
// many bytes more.
func (s *Store) write(objects map[string][]byte, more int64, room Room) error {
	bytes := more
	for _, data := range objects {
		bytes += int64(len(data))
	}
	if room != nil {
		if err := room(bytes, len(objects)); err != nil {
			return err
		}
	}
	var mu sync.Mutex // guards failed
	var failed error
	var wait sync.WaitGroup
	slots := make(chan struct{}, writers)
	for sum, data := range objects {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			if err := s.writeObject(sum, data); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = errors.Join(failed, err)
			}
		})
	}
	wait.Wait()
	if failed == nil && len(objects) > 0 {
		failed = disk.SyncDir(s.objects())
	}
	if failed != nil {
		return fmt.Errorf("storing files of a revision: %w", failed)
	}
	for sum, data := range objects {
		s.sizes[sum] = int64(len(data))
	}
	return nil
}

// writeObject gives an object its name once its content is on disk.
func (s *Store) writeObject(sum string, data []byte) error {
	path := filepath.Join(s.objects(), sum)
	err := disk.Create(path+tempSuffix, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	return os.Rename(path+tempSuffix, path)
}

// object returns the content of an object, which must be what its name says.
func (s *Store) object(sum string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(s.objects(), sum))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("object %s is missing: %w", sum, ErrDamaged)
	}
	if err != nil {
		return nil, fmt.Errorf("reading object: %w", err)
	}
	if sumOf(data) != sum {
		return nil, fmt.Errorf("object %s holds something else: %w", sum, ErrDamaged)
	}
	return data, nil
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
