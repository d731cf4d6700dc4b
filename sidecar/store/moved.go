package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrMoved, an fs.ErrNotExist, is returned, wrapped, for a SQLite file that is not there
// since its rows are in PostgreSQL. A new one in its place would begin without keys and
// games.
var ErrMoved = fmt.Errorf("moved to PostgreSQL, %w", fs.ErrNotExist)

// movedSuffix is added to the name of a SQLite file whose rows were moved.
const movedSuffix = ".moved"

// SetAside renames a SQLite file whose rows were moved: from then on it is refused with
// ErrMoved.
func SetAside(path string) error { return os.Rename(path, path+movedSuffix) }

// find returns an fs.ErrNotExist for a SQLite file that is not there: ErrMoved for one that
// was set aside.
func find(path string) error {
	_, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, moved := os.Stat(path + movedSuffix); moved != nil {
		return err
	}
	return fmt.Errorf("%s: %w: set SVC_STORE to the database's URL, or move %s away to start empty", path, ErrMoved, path+movedSuffix)
}
