package confine

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

var (
	oldCalls   = group{"what has a younger form", []uint32{unix.SYS_RENAMEAT, unix.SYS_GETRLIMIT}}
	oldOnModes []uint32
	oldAbsent  []uint32
)
