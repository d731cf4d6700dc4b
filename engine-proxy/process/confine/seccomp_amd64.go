package confine

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// oldOnModes are system calls that younger machines do without.
var oldOnModes = []uint32{unix.SYS_CHMOD}
