package calls

import "golang.org/x/sys/unix"

var (
	oldCalls   = group{"what has a younger form", []uint32{unix.SYS_RENAMEAT, unix.SYS_GETRLIMIT}}
	oldOnModes []uint32
	oldAbsent  []uint32
)
