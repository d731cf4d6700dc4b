// Package swap changes several files of a project at once. What is to be
// changed is written to one file first; from the moment that it has its name,
// the changes happen, if need be by the next start.
package swap

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"

	"github.com/svc-games/svc/engine/disk"
)

const (
	// Journal is the file that notes changes while they happen.
	Journal    = ".swap.json"
	fresh      = Journal + ".tmp"
	tempSuffix = ".swap"
)

// maxJournal bounds what is read of the journal, in bytes.
const maxJournal = 256 << 20

// writers is how many files are written at a time: each waits for the disk.
const writers = 8

// Change is a file's new content, or its deletion.
type Change struct {
	Name   string `json:"name"`             // slash-separated, in the project
	Data   []byte `json:"data,omitempty"`   // the whole content
	Delete bool   `json:"delete,omitempty"` // and with it folders that are empty then
}

// Room returns an error when there is no room for so many bytes and files
// more. Nil has room for all.
type Room func(bytes int64, files int) error

// Apply makes the changes: all of them, once it has begun, and none when it
// fails before. A later Apply, Resume or Finish completes what an error
// interrupted, and Finish what a crash did.
func Apply(root *os.Root, changes []Change, room Room) error {
	if err := Resume(root); err != nil {
		return err // what is noted would be lost, and be half done for good
	}
	if len(changes) == 0 {
		return nil
	}
	bytes, files, err := check(root, changes)
	if err != nil {
		return err
	}
	if room != nil {
		if err := room(bytes, files); err != nil {
			return err
		}
	}
	if err := write(root, changes); err != nil {
		return fmt.Errorf("noting changes: %w", errors.Join(err, disk.Removed(root.Remove(fresh))))
	}
	return perform(root, changes)
}

// Resume completes the changes that an error interrupted, if there are any: a
// disk that was full may have room again. While it fails, the files are neither
// the old nor the new ones.
func Resume(root *os.Root) error {
	if _, err := root.Lstat(Journal); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := Finish(root); err != nil {
		return fmt.Errorf("finishing earlier changes: %w", err)
	}
	return nil
}

// Finish completes the changes that were begun and not finished. It must be
// called before anyone reads the files.
func Finish(root *os.Root) error {
	if err := disk.Removed(root.Remove(fresh)); err != nil {
		return fmt.Errorf("removing unfinished note: %w", err)
	}
	data, err := disk.Read(root, Journal, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading noted changes: %w", err)
	}
	var changes []Change
	if err := json.Unmarshal(data, &changes); err != nil {
		return fmt.Errorf("decoding noted changes: %w", err)
	}
	return perform(root, changes)
}

// check refuses changes that could never be made: once noted, they would keep
// every later start from finishing them. It returns by how much files grow, in
// bytes and in number.
func check(root *os.Root, changes []Change) (bytes int64, files int, err error) {
	seen := map[string]bool{}
	for _, c := range changes {
		if !fs.ValidPath(c.Name) || c.Name == "." {
			return 0, 0, fmt.Errorf("%q is not a path in the project", c.Name)
		}
		if seen[c.Name] {
			return 0, 0, fmt.Errorf("%q is to be changed twice", c.Name)
		}
		seen[c.Name] = true
		if _, err := root.Stat(path.Dir(c.Name)); err != nil && !disk.Gone(err) {
			return 0, 0, fmt.Errorf("looking for the folder of %s: %w", c.Name, err)
		}
		if !c.Delete {
			bytes += int64(len(c.Data))
			files++
		}
		if info, err := root.Lstat(c.Name); err == nil && !info.IsDir() {
			bytes -= info.Size()
			files--
		}
	}
	return bytes, files, nil
}

// write puts the journal on disk, name and all.
func write(root *os.Root, changes []Change) error {
	data, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	if err := create(root, fresh, data); err != nil {
		return err
	}
	if err := root.Rename(fresh, Journal); err != nil {
		return err
	}
	return syncDir(root, ".")
}

// perform makes the changes, of which some may have been made before, and
// then forgets them. Deletions come first: what was a file may become a folder.
func perform(root *os.Root, changes []Change) error {
	for _, c := range changes {
		if c.Delete {
			if err := remove(root, c.Name); err != nil {
				return fmt.Errorf("deleting %s: %w", c.Name, err)
			}
		}
	}
	if err := replaceAll(root, changes); err != nil {
		return err
	}
	for _, dir := range folders(changes) {
		if err := syncDir(root, dir); err != nil && !disk.Gone(err) {
			return fmt.Errorf("syncing folder: %w", err)
		}
	}
	if err := root.Remove(Journal); err != nil {
		return fmt.Errorf("forgetting changes: %w", err)
	}
	return nil
}

// folders returns the folders of the files that change.
func folders(changes []Change) []string {
	var dirs []string
	for _, c := range changes {
		dirs = append(dirs, path.Dir(c.Name))
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func replaceAll(root *os.Root, changes []Change) error {
	errs := make([]error, len(changes))
	slots := make(chan struct{}, writers)
	var wait sync.WaitGroup
	for i, c := range changes {
		if c.Delete {
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			errs[i] = replace(root, c)
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

func replace(root *os.Root, c Change) error {
	if err := root.MkdirAll(path.Dir(c.Name), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", c.Name, err)
	}
	temp := c.Name + tempSuffix
	if err := create(root, temp, c.Data); err != nil {
		return fmt.Errorf("writing %s: %w", c.Name, errors.Join(err, disk.Removed(root.Remove(temp))))
	}
	if err := root.Rename(temp, c.Name); err != nil {
		return fmt.Errorf("writing %s: %w", c.Name, err)
	}
	return nil
}

// create writes a file and waits until its content is on disk.
func create(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// remove deletes a file and the folders that it leaves empty.
func remove(root *os.Root, name string) error {
	if err := disk.Removed(root.Remove(name)); err != nil {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if err := root.Remove(dir); err != nil {
			return nil // it holds something, or is gone
		}
	}
	return nil
}

func syncDir(root *os.Root, dir string) error {
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
