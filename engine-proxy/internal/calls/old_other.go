//go:build !amd64 && !arm64

package calls

var (
	oldCalls   group
	oldOnModes []uint32
	oldAbsent  []uint32
)
