package calls

import "golang.org/x/sys/unix"

// oldCalls are those of allowed in their old forms.
var oldCalls = group{"what has a younger form above", []uint32{
	unix.SYS_ACCESS, unix.SYS_ARCH_PRCTL, unix.SYS_CREAT, unix.SYS_DUP2, unix.SYS_EPOLL_CREATE, unix.SYS_EPOLL_WAIT,
	unix.SYS_EVENTFD, unix.SYS_FORK, unix.SYS_GETPGRP, unix.SYS_GETRLIMIT, unix.SYS_LINK,
	unix.SYS_LSTAT, unix.SYS_MKDIR, unix.SYS_OPEN, unix.SYS_PIPE, unix.SYS_POLL, unix.SYS_READLINK, unix.SYS_RENAME, unix.SYS_RENAMEAT,
	unix.SYS_RMDIR, unix.SYS_SELECT, unix.SYS_STAT, unix.SYS_SYMLINK, unix.SYS_TIME, unix.SYS_UNLINK, unix.SYS_VFORK,
}}

var oldOnModes = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}

var oldAbsent = []uint32{unix.SYS_INOTIFY_INIT}
