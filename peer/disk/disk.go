// Package disk tells how much room a disk has left.
package disk

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Free returns the room, in bytes, that a folder's disk has left for us.
func Free(dir string) (uint64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, fmt.Errorf("reading free disk space: %w", err)
	}
	return fs.Bavail * uint64(fs.Bsize), nil
}
