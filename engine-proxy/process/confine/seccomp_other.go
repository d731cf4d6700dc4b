//go:build !amd64 && !arm64

package confine

// auditArch is 0 where there is no filter.
const auditArch = 0

var (
	oldCalls   group
	oldOnModes []uint32
	oldAbsent  []uint32
)
