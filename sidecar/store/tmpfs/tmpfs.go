// Package tmpfs has the tests of a package keep their temporary files in memory.
// A database flushes each commit to its disk, which on a machine that is shared
// takes the longest part of a test and proves nothing: no test cuts the power,
// and what a process wrote outlives it in memory as well.
package tmpfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// mount is where Linux keeps a file system in memory that everyone may use.
const mount = "/dev/shm"

// room is how much must be free there.
const room = 2 << 30

// Use makes it the place of temporary files, those of child processes too. It is
// called by a TestMain. Where there is none, or programs can't be run from it,
// everything stays as it is, as it does where someone chose a place.
func Use() error {
	if os.Getenv("TMPDIR") != "" || !usable() {
		return nil
	}
	return os.Setenv("TMPDIR", mount)
}

func usable() bool {
	var fs unix.Statfs_t
	if err := unix.Statfs(mount, &fs); err != nil {
		return false
	}
	return fs.Type == unix.TMPFS_MAGIC && fs.Flags&unix.ST_NOEXEC == 0 && fs.Bavail*uint64(fs.Bsize) >= room
}
