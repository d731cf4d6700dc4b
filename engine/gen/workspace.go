package gen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/swap"
)

// Files of the generator in the workspace, outside the deliverable.
const (
	specFile  = ".svc/game.json"  // the GameSpec, for follow-up jobs
	styleFile = ".svc/style.json" // the established look

	formerShots = ".svc/playtest/" // pictures of a playtest, in former versions
)

// shotsFolder is where the deliverable has the pictures of the last playtest.
const shotsFolder = "playtest/"

// shotOf is the path of a moment's picture in the deliverable.
func shotOf(moment string) string { return shotsFolder + moment + ".jpg" }

// isShot reports whether a file of the workspace is a picture of a playtest, which is
// no part of the game: two plays need not give the same bytes.
func isShot(name string) bool {
	return slices.ContainsFunc(playtest.Moments, func(moment string) bool { return name == path.Join(Deliverable, shotOf(moment)) })
}

// maxFile bounds what is read of a file of the workspace, in bytes.
const maxFile = 16 << 20

// folders of the deliverable that hold nothing but generated files; what a
// former game left there is deleted. Plans and foreign files elsewhere stay.
var generatedFolders = []string{"src", "lib", "licenses", "test", "checks", compile.AssetsFolder}

// readOptional returns a file of the workspace, nil when there is none.
func readOptional(root *os.Root, name string) ([]byte, error) {
	data, err := disk.Read(root, name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// delivery is what a job changes in its project. Nothing is written before apply,
// which makes all changes or none: a game and its spec never disagree.
type delivery struct {
	root    *os.Root
	change  func(changes []swap.Change, more int64) error // of the request
	changes []swap.Change
	updates map[string]bool // files that are there already
	zip     int64           // bytes that the game's ZIP may need
}

func newDelivery(req Request) *delivery {
	d := &delivery{root: req.Workspace, change: req.Change, updates: map[string]bool{}}
	if d.change == nil {
		d.change = func(changes []swap.Change, _ int64) error { return swap.Apply(d.root, changes, nil) }
	}
	return d
}

// put makes data the content of a file, if it is not already.
func (d *delivery) put(name string, data []byte) error {
	old, err := readOptional(d.root, name)
	if err != nil {
		return err
	}
	if old != nil && bytes.Equal(old, data) {
		return nil
	}
	d.updates[name] = old != nil
	d.changes = append(d.changes, swap.Change{Name: name, Data: data})
	return nil
}

// remove deletes a file, if it is there.
func (d *delivery) remove(name string) error {
	old, err := readOptional(d.root, name)
	if err == nil && old != nil {
		d.changes = append(d.changes, swap.Change{Name: name, Delete: true})
	}
	return err
}

// game makes the deliverable hold the given files, and nothing else in its
// generated folders. A plan for it is over.
func (d *delivery) game(files compile.Files) error {
	d.zip = int64(files.Bytes())
	for _, name := range files.Names() {
		if err := d.put(path.Join(Deliverable, name), files[name]); err != nil {
			return err
		}
	}
	for _, folder := range generatedFolders {
		if err := d.prune(path.Join(Deliverable, folder), files); err != nil {
			return err
		}
	}
	return d.remove(path.Join(Deliverable, planFile))
}

// shots keeps the pictures of a playtest, and none of a former one.
func (d *delivery) shots(taken []playtest.Shot) error {
	for _, moment := range playtest.Moments {
		if err := d.remove(formerShots + moment + ".jpg"); err != nil {
			return err
		}
		name := path.Join(Deliverable, shotOf(moment))
		i := slices.IndexFunc(taken, func(s playtest.Shot) bool { return s.Moment == moment })
		if i < 0 {
			if err := d.remove(name); err != nil {
				return err
			}
			continue
		}
		if err := d.put(name, taken[i].JPEG); err != nil {
			return err
		}
		d.zip += int64(len(taken[i].JPEG))
	}
	return nil
}

// prune deletes the files below folder that are not among files.
func (d *delivery) prune(folder string, files compile.Files) error {
	err := fs.WalkDir(d.root.FS(), folder, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == folder {
			return nil
		}
		if err != nil {
			return err
		}
		if _, ok := files[name[len(Deliverable)+1:]]; !ok && !entry.IsDir() {
			d.changes = append(d.changes, swap.Change{Name: name, Delete: true})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("looking for files of a former game: %w", err)
	}
	return nil
}

// apply makes the changes, reports each, and tells whether the deliverable is
// another now.
func (d *delivery) apply(rep Reporter) (changed bool, err error) {
	if err := d.change(d.changes, d.zip); err != nil {
		return false, err // that of a full volume is for the user as it is
	}
	for _, c := range d.changes {
		op := "create"
		switch {
		case c.Delete:
			op = "delete"
		case d.updates[c.Name]:
			op = "update"
		}
		rep.Event(api.EventFileChanged, map[string]any{"path": c.Name, "op": op, "bytes": len(c.Data)})
		changed = changed || strings.HasPrefix(c.Name, Deliverable+"/") && !isShot(c.Name)
	}
	return changed, nil
}
