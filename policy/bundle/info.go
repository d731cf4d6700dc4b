package bundle

import (
	"io/fs"
	"time"
)

// info describes a file or directory of a snapshot. It has no time: a
// snapshot's digest must not depend on when its files were written.
type info struct {
	name string
	size int
	dir  bool
}

func (i info) Name() string { return i.name }
func (i info) Size() int64  { return int64(i.size) }
func (i info) IsDir() bool  { return i.dir }
func (i info) Sys() any     { return nil }

func (i info) ModTime() time.Time { return time.Time{} }

func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// Interface guards
var _ fs.FileInfo = info{}
